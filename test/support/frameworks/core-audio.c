/* CoreAudio's objects.
   Stage: audio {object: {"selector/scope": value}}; a number is a UInt32, a list is UInt32s, a text is
   a CFString; false is a property that is there and cannot be read. */
#include "objects.h"

#include <stdio.h>
#include <string.h>

struct address {
  uint32_t selector, scope, element;
};

static const int32_t UNKNOWN_PROPERTY = 0x77686f3f, BAD_OBJECT = 0x216f626a, BAD_SIZE = 0x2173697a;
static const int32_t NOT_RUNNING = 0x73746f70;
static const uint32_t RUN_LOOP = 0x726e6c70;

/* Until it is told to use a thread of its own, it hears of changes by a run loop that plain programs
   do not run: then what was first seen is all there ever is. */
static int has_own_thread;
static const struct object *first_seen;

void reset_audio(void) {
  has_own_thread = 0;
  first_seen = NULL;
}

static const struct object *audio(void) {
  if (!first_seen) first_seen = staged("audio");
  return has_own_thread ? staged("audio") : first_seen;
}

static int32_t find(uint32_t id, const struct address *address, struct object **found) {
  char object_name[16], name[16];
  uint32_t s = address->selector, p = address->scope;
  snprintf(object_name, sizeof object_name, "%u", id);
  snprintf(name, sizeof name, "%c%c%c%c/%c%c%c%c", s >> 24, s >> 16 & 255, s >> 8 & 255, s & 255,
           p >> 24, p >> 16 & 255, p >> 8 & 255, p & 255);
  struct object *object = entry(audio(), object_name);
  *found = entry(object, name);
  if (!object) return BAD_OBJECT;
  return *found && address->element == 0 ? 0 : UNKNOWN_PROPERTY;
}

static uint32_t size_of(const struct object *value) {
  if (value->kind == STRING) return sizeof(void *);
  return value->kind == ARRAY ? (uint32_t)value->count * 4 : 4;
}

EXPORT uint8_t AudioObjectHasProperty(uint32_t id, const struct address *address) {
  struct object *value;
  return find(id, address, &value) == 0;
}

/* For lists an upper bound: one may have ended by the time it is read. */
EXPORT int32_t AudioObjectGetPropertyDataSize(uint32_t id, const struct address *address,
                                              uint32_t qualifier_size, const void *qualifier,
                                              uint32_t *size) {
  struct object *value;
  int32_t status = find(id, address, &value);
  if (qualifier_size || qualifier) misuse("AudioObjectGetPropertyDataSize", "with a qualifier");
  if (status == 0) *size = size_of(value) + (value->kind == ARRAY ? 4 : 0);
  return status;
}

EXPORT int32_t AudioObjectGetPropertyData(uint32_t id, const struct address *address,
                                          uint32_t qualifier_size, const void *qualifier,
                                          uint32_t *size, void *out) {
  struct object *value;
  int32_t status = find(id, address, &value);
  if (qualifier_size || qualifier) misuse("AudioObjectGetPropertyData", "with a qualifier");
  if (status != 0) return status;
  if (value->kind == BOOLEAN) return NOT_RUNNING;
  if (*size < size_of(value)) return BAD_SIZE;
  *size = size_of(value);
  if (value->kind == STRING) {
    struct object *text = hand_out(value);
    memcpy(out, &text, sizeof text);
  } else if (value->kind == ARRAY) {
    for (size_t i = 0; i < value->count; i++)
      ((uint32_t *)out)[i] = (uint32_t)value->values[i]->integer;
  } else {
    *(uint32_t *)out = (uint32_t)value->integer;
  }
  return 0;
}

EXPORT int32_t AudioObjectSetPropertyData(uint32_t id, const struct address *address,
                                          uint32_t qualifier_size, const void *qualifier, uint32_t size,
                                          const void *data) {
  const void *run_loop;
  if (id != 1 || address->selector != RUN_LOOP || qualifier_size || qualifier || size != sizeof run_loop) {
    misuse("AudioObjectSetPropertyData", "of something else than the run loop");
    return UNKNOWN_PROPERTY;
  }
  memcpy(&run_loop, data, sizeof run_loop);
  has_own_thread = run_loop == NULL;
  return 0;
}
