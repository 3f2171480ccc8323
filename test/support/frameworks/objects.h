/* The values of the stand-in: what CoreFoundation calls CFString, CFNumber and so on. */
#ifndef OBJECTS_H
#define OBJECTS_H

#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

enum kind { STRING, NUMBER, REAL, BOOLEAN, ARRAY, DICTIONARY, DATA, NOTHING };

/* In a text: half of a character, as CFString may hold, and UTF-8 may not. */
#define LONE_SURROGATE 0xff

/* Dead objects are marked and never freed, so that their later use is seen. */
struct object {
  uint32_t mark;
  enum kind kind;
  long owned; /* references that the caller has to release; 0 for what it only borrows */
  char *text;
  int64_t integer;
  double real;
  size_t count;
  struct object **keys; /* null for arrays */
  struct object **values;
};

struct object *new_object(enum kind kind);
struct object *new_string(const char *text);
void append(struct object *container, struct object *key, struct object *value);

/* Null where there is no such entry, or where it is JSON's null. A number is named by its digits. */
struct object *entry(const struct object *dictionary, const char *key);

/* A deep copy that the caller owns and has to release: what Create and Copy give. Null stays null. */
struct object *hand_out(const struct object *original);

/* Whether this is a living object of that kind; anything else is counted as a misuse. */
int is(const struct object *object, enum kind kind, const char *caller);

/* Reads JSON; null where it is malformed. Digits as a key become a number, {"$data": ""} becomes data. */
struct object *parse(const char *json);

/* What the test put on stage under this name. */
struct object *staged(const char *name);
int64_t staged_number(const char *name, int64_t otherwise);

/* Counts of what was handed to the caller (objects, ports, open files) and what came back. */
void count_given(void);
void count_released(void);
void misuse(const char *caller, const char *what);

/* Lets each part forget what earlier tests did. */
void reset_ports(void);
void reset_assertions(void);
void reset_audio(void);
void reset_system(void);

#endif
