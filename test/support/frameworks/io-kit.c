/* IOKit: the registry, the power sources and the power assertions.
   Stage: registry {class: {property: value}}, powerSources [..], powerInfoFails, powerListFails,
   assertions {pid: [..]}, assertionsResult. */
#include "objects.h"

#include <stdlib.h>
#include <string.h>

/* ---- the registry: services are ports, that is numbers with the high bit set ---- */

static const uint32_t FIRST_PORT = 0x80000000u;
static struct object **ports;
static uint32_t port_count;

void reset_ports(void) { port_count = 0; }

static struct object *service_at(uint32_t port, const char *caller) {
  uint32_t index = port - FIRST_PORT;
  if (port >= FIRST_PORT && index < port_count && ports[index]) return ports[index];
  misuse(caller, "of no open port");
  return NULL;
}

EXPORT struct object *IOServiceMatching(const char *class_name) {
  struct object *dictionary = new_object(DICTIONARY);
  append(dictionary, new_string("IOProviderClass"), new_string(class_name));
  return hand_out(dictionary);
}

/* Uses up one reference of the dictionary, found or not. */
EXPORT uint32_t IOServiceGetMatchingService(uint32_t main_port, struct object *matching) {
  extern void CFRelease(struct object *);
  if (main_port != 0) misuse("IOServiceGetMatchingService", "with another main port than 0");
  if (!is(matching, DICTIONARY, "IOServiceGetMatchingService")) return 0;
  struct object *service = entry(staged("registry"), entry(matching, "IOProviderClass")->text);
  CFRelease(matching);
  if (!service) return 0;
  ports = realloc(ports, (port_count + 1) * sizeof *ports);
  ports[port_count] = service;
  count_given();
  return FIRST_PORT + port_count++;
}

EXPORT struct object *IORegistryEntryCreateCFProperty(uint32_t port, struct object *key, void *allocator,
                                                      uint32_t options) {
  if (allocator || options != 0) misuse("IORegistryEntryCreateCFProperty", "with options");
  struct object *service = service_at(port, "IORegistryEntryCreateCFProperty");
  if (!service || !is(key, STRING, "IORegistryEntryCreateCFProperty")) return NULL;
  return hand_out(entry(service, key->text));
}

EXPORT int32_t IOObjectRelease(uint32_t port) {
  if (!service_at(port, "IOObjectRelease")) return (int32_t)0xe00002c2;
  ports[port - FIRST_PORT] = NULL;
  count_released();
  return 0;
}

/* ---- power sources ---- */

/* Where powerd cannot be reached, the list is empty: that is macOS's way, and the stage's. */
EXPORT struct object *IOPSCopyPowerSourcesInfo(void) {
  if (staged("powerInfoFails")) return NULL;
  struct object *sources = staged("powerSources");
  return hand_out(sources ? sources : new_object(ARRAY));
}

/* Its entries are handles: here the places in the blob. */
EXPORT struct object *IOPSCopyPowerSourcesList(struct object *blob) {
  if (staged("powerListFails") || !is(blob, blob->kind, "IOPSCopyPowerSourcesList")) return NULL;
  if (blob->kind != ARRAY) return hand_out(blob);
  struct object *list = new_object(ARRAY);
  for (size_t i = 0; i < blob->count; i++) {
    struct object *handle = new_object(NUMBER);
    handle->integer = (int64_t)i;
    append(list, NULL, handle);
  }
  return hand_out(list);
}

/* Borrowed from the blob, so gone with it. */
EXPORT struct object *IOPSGetPowerSourceDescription(struct object *blob, struct object *handle) {
  if (!is(blob, ARRAY, "IOPSGetPowerSourceDescription")) return NULL;
  if (!is(handle, NUMBER, "IOPSGetPowerSourceDescription")) return NULL;
  struct object *found = blob->values[handle->integer];
  return found->kind == NOTHING ? NULL : found;
}

/* ---- power assertions ---- */

/* With none, the caller's pointer is not touched. */
EXPORT int32_t IOPMCopyAssertionsByProcess(struct object **out) {
  struct object *assertions = staged("assertions");
  if (*out) misuse("IOPMCopyAssertionsByProcess", "with a pointer that is not NULL");
  if (assertions && (assertions->count > 0 || assertions->kind != DICTIONARY))
    *out = hand_out(assertions);
  return (int32_t)staged_number("assertionsResult", 0);
}
