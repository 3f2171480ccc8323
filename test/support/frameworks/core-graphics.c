/* CoreGraphics: the session, its input and the displays.
   Stage: session {..} or null, sessionIdleSeconds, displays [{id, asleep}], displaysResult. */
#include "objects.h"

EXPORT struct object *CGSessionCopyCurrentDictionary(void) { return hand_out(staged("session")); }

/* Outside a session the window server is not to be asked: programs have been ended for that. */
static void needs_session(const char *caller) {
  if (!staged("session")) misuse(caller, "without a session");
}

EXPORT double CGEventSourceSecondsSinceLastEventType(int32_t state, uint32_t event) {
  needs_session("CGEventSourceSecondsSinceLastEventType");
  if (state != 0 || event != 0xffffffffu)
    misuse("CGEventSourceSecondsSinceLastEventType", "of another state or event");
  struct object *seconds = staged("sessionIdleSeconds");
  if (!seconds) return 1.0 / 0.0;
  return seconds->real;
}

EXPORT int32_t CGGetOnlineDisplayList(uint32_t max, uint32_t *ids, uint32_t *count) {
  needs_session("CGGetOnlineDisplayList");
  struct object *displays = staged("displays");
  *count = 0;
  for (size_t i = 0; displays && i < displays->count && *count < max; i++)
    ids[(*count)++] = (uint32_t)entry(displays->values[i], "id")->integer;
  return (int32_t)staged_number("displaysResult", 0);
}

/* boolean_t: only 0 and 1 have a meaning, and it is 4 bytes wide. */
EXPORT uint32_t CGDisplayIsAsleep(uint32_t id) {
  struct object *displays = staged("displays");
  for (size_t i = 0; displays && i < displays->count; i++)
    if (entry(displays->values[i], "id")->integer == id)
      return entry(displays->values[i], "asleep")->integer != 0;
  misuse("CGDisplayIsAsleep", "of no display");
  return 0;
}
