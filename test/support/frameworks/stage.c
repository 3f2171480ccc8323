/* What the tests set and count: the JSON they put on stage, and the balance of references. */
#include "objects.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct object *stage;
static long given, released, misused;
static char first_misuse[200];

void count_given(void) { given++; }
void count_released(void) { released++; }

void misuse(const char *caller, const char *what) {
  if (misused++ == 0) snprintf(first_misuse, sizeof first_misuse, "%s %s", caller, what);
}

struct object *staged(const char *name) { return entry(stage, name); }

int64_t staged_number(const char *name, int64_t otherwise) {
  struct object *found = staged(name);
  return found ? found->integer : otherwise;
}

/* 0, or -1 where the JSON is malformed. What was on stage is kept: it may still be in use. */
EXPORT int standin_stage(const char *json) {
  stage = parse(json);
  return stage ? 0 : -1;
}

EXPORT void standin_reset(void) {
  given = released = misused = 0;
  first_misuse[0] = 0;
  reset_ports();
  reset_assertions();
  reset_audio();
  reset_system();
}

EXPORT long standin_given(void) { return given; }
EXPORT long standin_released(void) { return released; }
EXPORT const char *standin_misuse(void) { return first_misuse; }

/* ---- JSON ---- */

static const char *at;

static void skip_space(void) {
  while (isspace((unsigned char)*at)) at++;
}

static int take(char expected) {
  skip_space();
  if (*at != expected) return 0;
  at++;
  return 1;
}

static char *parse_text(void) {
  if (!take('"')) return NULL;
  char *text = malloc(strlen(at) + 1), *to = text;
  while (*at && *at != '"') {
    if (*at == '\\' && at[1] == 'u') {
      char hex[5] = {at[2], at[3], at[4], at[5], 0};
      long unit = strtol(hex, NULL, 16);
      *to++ = (char)(unit >= 0xd800 ? LONE_SURROGATE : unit);
      at += 6;
    } else if (*at == '\\') {
      *to++ = at[1] == 'n' ? '\n' : at[1] == 't' ? '\t' : at[1];
      at += 2;
    } else {
      *to++ = *at++;
    }
  }
  *to = 0;
  return take('"') ? text : NULL;
}

static struct object *parse_number(void) {
  char *end, *real_end;
  errno = 0;
  int64_t integer = strtoll(at, &end, 10);
  double real = strtod(at, &real_end);
  if (real_end == at) return NULL;
  struct object *number = new_object(real_end == end ? NUMBER : REAL);
  number->integer = integer;
  number->real = real;
  at = real_end;
  return number;
}

static struct object *key_of(const char *text) {
  size_t length = strlen(text);
  if (length == 0 || strspn(text, "0123456789") != length) return new_string(text);
  struct object *number = new_object(NUMBER);
  number->integer = strtoll(text, NULL, 10);
  return number;
}

static struct object *parse_value(void);

static struct object *parse_container(enum kind kind, char close) {
  struct object *made = new_object(kind);
  if (take(close)) return made;
  do {
    char *name = NULL;
    if (kind == DICTIONARY && (!(name = parse_text()) || !take(':'))) return NULL;
    struct object *value = parse_value();
    if (!value) return NULL;
    if (name && strcmp(name, "$data") == 0) made->kind = DATA;
    else append(made, name ? key_of(name) : NULL, value);
  } while (take(','));
  return take(close) ? made : NULL;
}

static struct object *parse_word(const char *word, enum kind kind, int64_t value) {
  if (strncmp(at, word, strlen(word)) != 0) return NULL;
  at += strlen(word);
  struct object *made = new_object(kind);
  made->integer = value;
  return made;
}

static struct object *parse_value(void) {
  skip_space();
  switch (*at) {
    case '{': at++; return parse_container(DICTIONARY, '}');
    case '[': at++; return parse_container(ARRAY, ']');
    case 't': return parse_word("true", BOOLEAN, 1);
    case 'f': return parse_word("false", BOOLEAN, 0);
    case 'n': return parse_word("null", NOTHING, 0);
    case '"': {
      char *text = parse_text();
      return text ? new_string(text) : NULL;
    }
    default: return parse_number();
  }
}

struct object *parse(const char *json) {
  at = json;
  struct object *value = parse_value();
  skip_space();
  return value && *at == 0 ? value : NULL;
}
