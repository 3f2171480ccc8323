#include "objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint32_t ALIVE = 0x0b1ec7;
static const uint32_t DEAD = 0xdeadc0de;

struct object *new_object(enum kind kind) {
  struct object *object = calloc(1, sizeof *object);
  object->mark = ALIVE;
  object->kind = kind;
  return object;
}

struct object *new_string(const char *text) {
  struct object *object = new_object(STRING);
  object->text = strdup(text);
  return object;
}

void append(struct object *container, struct object *key, struct object *value) {
  size_t bytes = (container->count + 1) * sizeof(struct object *);
  container->values = realloc(container->values, bytes);
  container->values[container->count] = value;
  if (container->kind == DICTIONARY) {
    container->keys = realloc(container->keys, bytes);
    container->keys[container->count] = key;
  }
  container->count++;
}

static int same(const struct object *a, const struct object *b) {
  if (a->kind != b->kind) return 0;
  if (a->kind == NUMBER) return a->integer == b->integer;
  return a->kind == STRING && strcmp(a->text, b->text) == 0;
}

static struct object *find(const struct object *dictionary, const struct object *key) {
  for (size_t i = 0; i < dictionary->count; i++)
    if (same(dictionary->keys[i], key)) return dictionary->values[i];
  return NULL;
}

struct object *entry(const struct object *dictionary, const char *key) {
  if (!dictionary || dictionary->kind != DICTIONARY) return NULL;
  for (size_t i = 0; i < dictionary->count; i++) {
    char digits[24];
    const struct object *name = dictionary->keys[i];
    snprintf(digits, sizeof digits, "%lld", (long long)name->integer);
    if (strcmp(name->kind == NUMBER ? digits : name->text, key) == 0) {
      struct object *found = dictionary->values[i];
      return found->kind == NOTHING ? NULL : found;
    }
  }
  return NULL;
}

static struct object *copy(const struct object *original) {
  struct object *made = new_object(original->kind);
  made->integer = original->integer;
  made->real = original->real;
  if (original->text) made->text = strdup(original->text);
  for (size_t i = 0; i < original->count; i++)
    append(made, original->keys ? copy(original->keys[i]) : NULL, copy(original->values[i]));
  return made;
}

struct object *hand_out(const struct object *original) {
  if (!original) return NULL;
  struct object *made = copy(original);
  made->owned = 1;
  count_given();
  return made;
}

int is(const struct object *object, enum kind kind, const char *caller) {
  if (!object) {
    misuse(caller, "of NULL");
    return 0;
  }
  if (object->mark == DEAD) {
    misuse(caller, "of a released object");
    return 0;
  }
  if (object->mark != ALIVE) {
    misuse(caller, "of no object at all");
    return 0;
  }
  int real = kind == NUMBER && object->kind == REAL;
  if (object->kind != kind && !real) {
    misuse(caller, "of the wrong kind of object");
    return 0;
  }
  return 1;
}

static void end(struct object *object) {
  for (size_t i = 0; i < object->count; i++) {
    if (object->keys) end(object->keys[i]);
    end(object->values[i]);
  }
  object->mark = DEAD;
}

/* ---- what CoreFoundation exports ---- */

EXPORT struct object *CFStringCreateWithCString(void *allocator, const char *text, uint32_t encoding) {
  if (allocator || encoding != 0x08000100) misuse("CFStringCreateWithCString", "in another encoding");
  struct object *made = new_string(text);
  made->owned = 1;
  count_given();
  return made;
}

EXPORT void CFRelease(struct object *object) {
  if (!object) abort(); /* as on macOS */
  if (!is(object, object->kind, "CFRelease")) return;
  if (object->owned == 0) {
    misuse("CFRelease", "of a borrowed object");
    return;
  }
  count_released();
  if (--object->owned == 0) end(object);
}

/* Numbers that differ from those of macOS, where they differ from start to start. */
static unsigned long type_of(enum kind kind) { return 7000 + (kind == REAL ? NUMBER : kind); }

EXPORT unsigned long CFGetTypeID(const struct object *object) {
  return is(object, object->kind, "CFGetTypeID") ? type_of(object->kind) : 0;
}

EXPORT unsigned long CFStringGetTypeID(void) { return type_of(STRING); }
EXPORT unsigned long CFNumberGetTypeID(void) { return type_of(NUMBER); }
EXPORT unsigned long CFBooleanGetTypeID(void) { return type_of(BOOLEAN); }
EXPORT unsigned long CFArrayGetTypeID(void) { return type_of(ARRAY); }
EXPORT unsigned long CFDictionaryGetTypeID(void) { return type_of(DICTIONARY); }

/* In UTF-16 units. */
EXPORT long CFStringGetLength(const struct object *string) {
  if (!is(string, STRING, "CFStringGetLength")) return 0;
  long units = 0;
  for (const unsigned char *byte = (const unsigned char *)string->text; *byte; byte++)
    units += (*byte & 0xc0) == 0x80 ? 0 : *byte >= 0xf0 ? 2 : 1;
  return units;
}

EXPORT long CFStringGetMaximumSizeForEncoding(long length, uint32_t encoding) {
  if (encoding != 0x08000100) misuse("CFStringGetMaximumSizeForEncoding", "in another encoding");
  return length * 3;
}

EXPORT uint8_t CFStringGetCString(const struct object *string, char *text, long size, uint32_t encoding) {
  if (!is(string, STRING, "CFStringGetCString") || encoding != 0x08000100) return 0;
  if ((long)strlen(string->text) >= size || strchr(string->text, LONE_SURROGATE)) return 0;
  strcpy(text, string->text);
  return 1;
}

/* Writes even where it says that the value did not fit. */
EXPORT uint8_t CFNumberGetValue(const struct object *number, long type, void *value) {
  if (!is(number, NUMBER, "CFNumberGetValue")) return 0;
  if (type != 4) {
    misuse("CFNumberGetValue", "as another type than SInt64");
    return 0;
  }
  int64_t integer = number->kind == REAL ? (int64_t)number->real : number->integer;
  memcpy(value, &integer, sizeof integer);
  return number->kind != REAL || (double)integer == number->real;
}

EXPORT uint8_t CFBooleanGetValue(const struct object *boolean) {
  return is(boolean, BOOLEAN, "CFBooleanGetValue") && boolean->integer;
}

EXPORT long CFDictionaryGetCount(const struct object *dictionary) {
  return is(dictionary, DICTIONARY, "CFDictionaryGetCount") ? (long)dictionary->count : 0;
}

EXPORT const void *CFDictionaryGetValue(const struct object *dictionary, const struct object *key) {
  if (!is(dictionary, DICTIONARY, "CFDictionaryGetValue")) return NULL;
  return is(key, key->kind, "CFDictionaryGetValue") ? find(dictionary, key) : NULL;
}

EXPORT void CFDictionaryGetKeysAndValues(const struct object *dictionary, const void **keys,
                                         const void **values) {
  if (!is(dictionary, DICTIONARY, "CFDictionaryGetKeysAndValues")) return;
  for (size_t i = 0; i < dictionary->count; i++) {
    keys[i] = dictionary->keys[i];
    values[i] = dictionary->values[i];
  }
}

EXPORT long CFArrayGetCount(const struct object *array) {
  return is(array, ARRAY, "CFArrayGetCount") ? (long)array->count : 0;
}

EXPORT const void *CFArrayGetValueAtIndex(const struct object *array, long index) {
  if (!is(array, ARRAY, "CFArrayGetValueAtIndex")) return NULL;
  if (index < 0 || (size_t)index >= array->count) {
    misuse("CFArrayGetValueAtIndex", "beyond the end");
    return NULL;
  }
  return array->values[index];
}
