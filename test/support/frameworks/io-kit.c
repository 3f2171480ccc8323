/* IOKit: the registry, the power sources and the power assertions.
   Stage: registry {class: {property: value}}, powerSources [..], powerInfoFails, powerListFails,
   assertions {pid: [..]}, assertionsResult, assertionRefusal. */
#include "objects.h"

#include <stdio.h>
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

enum { MOST_HELD = 8, LONGEST_NAME = 128 };
static char held[MOST_HELD][LONGEST_NAME + 32];

void reset_assertions(void) { memset(held, 0, sizeof held); }

/* The name and the seconds of what is held, one a line. */
EXPORT const char *standin_held(void) {
  static char lines[sizeof held];
  lines[0] = 0;
  for (int i = 0; i < MOST_HELD; i++)
    if (held[i][0]) strcat(strcat(lines, lines[0] ? "\n" : ""), held[i]);
  return lines;
}

/* Everything but the type and the name may be NULL; an unknown type is refused only by powerd. */
EXPORT int32_t IOPMAssertionCreateWithDescription(struct object *type, struct object *name, struct object *details,
                                                  struct object *reason, struct object *path, double timeout,
                                                  struct object *action, uint32_t *id) {
  const char *me = "IOPMAssertionCreateWithDescription";
  if (!is(type, STRING, me) || !is(name, STRING, me) || !is(action, STRING, me)) return (int32_t)0xe00002c2;
  if (details || reason || path) misuse(me, "with what it was not to be told");
  if (strcmp(type->text, "PreventUserIdleSystemSleep")) misuse(me, "with another type");
  if (strcmp(action->text, "TimeoutActionRelease")) misuse(me, "with another end of its time");
  if (strlen(name->text) > LONGEST_NAME) misuse(me, "with too long a name");
  int32_t refusal = (int32_t)staged_number("assertionRefusal", 0);
  if (refusal) return refusal;
  for (uint32_t i = 0; i < MOST_HELD; i++) {
    if (held[i][0]) continue;
    snprintf(held[i], sizeof held[i], "%s, %g s", name->text, timeout);
    count_given();
    *id = i + 1;
    return 0;
  }
  misuse(me, "again and again without a release");
  return (int32_t)0xe00002bd;
}

EXPORT int32_t IOPMAssertionRelease(uint32_t id) {
  if (id == 0 || id > MOST_HELD || !held[id - 1][0]) return (int32_t)0xe00002f0; /* its time is over */
  held[id - 1][0] = 0;
  count_released();
  return 0;
}
