/* libSystem: sysctl, the memory of the host, and who is logged in.
   Stage: sysctl {name: value}, memory {count: pages}, memoryResult, logins [{type, host}], programs. */
#include "objects.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int is_wide(const char *name) {
  return strcmp(name, "hw.memsize") == 0 || strcmp(name, "hw.pagesize") == 0;
}

static int path_reads;

/* Lenient in one way only: four bytes do for an eight byte value that fits into them. */
EXPORT int sysctlbyname(const char *name, void *old, size_t *length, void *new_value, size_t new_length) {
  struct object *found = entry(staged("sysctl"), name);
  size_t size = is_wide(name) ? 8 : 4;
  if (new_value || new_length) misuse("sysctlbyname", "that sets a value");
  if (!found) return errno = ENOENT, -1;
  if (*length < size && (*length < 4 || found->integer >> 32 != 0)) return errno = ERANGE, -1;
  if (*length < size) size = 4;
  memcpy(old, &found->integer, size);
  *length = size;
  return 0;
}

/* Each call adds a reference to the port, which is why it is to be made once. */
static int host_asked;

EXPORT uint32_t mach_host_self(void) {
  if (host_asked++ > 0) misuse("mach_host_self", "a second time");
  return 0x80000b03u;
}

static void put(uint32_t *words, int offset, const char *name) {
  struct object *count = entry(staged("memory"), name);
  words[offset / 4] = count ? (uint32_t)count->integer : 0;
}

EXPORT int32_t host_statistics64(uint32_t host, int32_t flavor, uint32_t *words, uint32_t *count) {
  if (host != 0x80000b03u || flavor != 4 || *count < 38) return 4; /* KERN_INVALID_ARGUMENT */
  int32_t result = (int32_t)staged_number("memoryResult", 0);
  if (result != 0) return result;
  memset(words, 0xee, 152);
  put(words, 0, "free");
  put(words, 4, "active");
  put(words, 8, "inactive");
  put(words, 12, "wired");
  put(words, 88, "purgeable");
  put(words, 92, "speculative");
  put(words, 128, "compressor");
  put(words, 132, "throttled");
  put(words, 136, "external");
  put(words, 140, "internal");
  *count = 38;
  return 0;
}

/* ---- utmpx: one place for every answer, void once the file is closed ---- */

static size_t next_login;
static int is_open;
static unsigned char answer[640];

void reset_system(void) {
  host_asked = 0;
  is_open = 0;
  next_login = 0;
  path_reads = 0;
}

EXPORT void setutxent(void) {
  if (!is_open) count_given();
  is_open = 1;
  next_login = 0;
}

EXPORT void *getutxent(void) {
  const struct object *logins = staged("logins");
  if (!is_open) misuse("getutxent", "of a closed file");
  if (!logins || next_login >= logins->count) return NULL;
  const struct object *login = logins->values[next_login++];
  memset(answer, 0, sizeof answer);
  int16_t type = (int16_t)entry(login, "type")->integer;
  memcpy(answer + 296, &type, sizeof type);
  strncpy((char *)answer + 320, entry(login, "host")->text, 256);
  return answer;
}

EXPORT void endutxent(void) {
  if (is_open) count_released();
  is_open = 0;
  memset(answer, 0xee, sizeof answer);
}

/* ---- libproc: programs {pid: path}; null for one that ends between the list and the question ---- */

EXPORT int proc_listallpids(int32_t *pids, int bytes) {
  const struct object *programs = staged("programs");
  int count = programs ? (int)programs->count : 0;
  if (!pids) return count;
  if (count > bytes / 4) count = bytes / 4;
  for (int i = 0; i < count; i++) pids[i] = (int32_t)programs->keys[i]->integer;
  return count;
}

EXPORT int proc_pidpath(int pid, char *path, uint32_t size) {
  const struct object *programs = staged("programs");
  for (size_t i = 0; programs && i < programs->count; i++) {
    if (programs->keys[i]->integer != pid || programs->values[i]->kind != STRING) continue;
    strncpy(path, programs->values[i]->text, size);
    path_reads++;
    return (int)strlen(programs->values[i]->text);
  }
  return 0;
}

EXPORT int standin_path_reads(void) { return path_reads; }
