/**
 * What can be wrong with a model server, each seen in public. All are off until set; a set one stays
 * on until it is taken away. (A restart, the eleventh, is `crash()` and `restart()` of the server.)
 */
export interface Faults {
  /** 1. An unload is answered with success and the model stays for so many lists, or for ever. */
  stuckUnload?: number | 'forever';
  /** 2. The stream starts well and then holds an error: the usual line, or where few look for it. */
  streamError?: 'line' | 'odd-key' | 'out-of-memory' | 'named-event';
  /** 3. The answer ends, cleanly, after so many bytes of its body. */
  cutAfterBytes?: number;
  /** 3. The answer ends cleanly without its last line (or its finish_reason). */
  noDone?: boolean;
  /** 3. Of events: `[DONE]` comes though nothing was finished, or is missing, or what is before it is half. */
  doneMark?: 'unfinished' | 'missing' | 'half-usage';
  /** 4. The connection is reset. */
  reset?: 'before-headers' | 'mid-stream';
  /** 5. Nothing is sent for so long. */
  firstTokenMs?: number;
  /** 5. After so many tokens nothing more comes, and the connection stays. */
  silentAfter?: number;
  /** 6. After a disconnect the model is busy for so long all the same. */
  keepsWorkingMs?: number;
  /** 7. Arguments that are not JSON: as text, or as the server's own failure to read them. */
  toolArguments?: 'truncated' | 'trailing' | 'glued' | 'error-500' | 'error-key';
  /** 8. Ids that name no call or several; index 0 for all. */
  toolIds?: 'missing' | 'empty' | 'same';
  /** 8. Two events say that the answer is finished. */
  doubleFinish?: boolean;
  /** 9. Nothing is said. */
  empty?: 'stop' | 'length' | 'thinking';
  /** 10. The model leaves memory after each call, or in the middle of one. */
  evict?: 'after' | 'during';
  /** 12. `expires_at` that says nothing. */
  expiresAt?: 'past' | 'far' | 'zero' | 'offset';
  /** 13. Numbers that cannot be. */
  numbers?: 'beyond' | 'negative' | 'fraction';
  /** 14. Every byte comes by itself. */
  byteByByte?: boolean;
  /** 15. Two loads at once: the second fails, or the model is listed twice. */
  loads?: 'second-fails' | 'twice';
  /** 16. The call is written into the text instead of made. */
  callsAsText?: 'xml' | 'json';
  /** 17. Memory is reported as the size of the file. */
  sizeIsFile?: boolean;
  /** Another model answers, and says its own name. */
  otherModel?: string;
  /** The server gives the answer up, and says so as if that were an end. */
  finish?: 'abort';
  /** Requests need a key: this one, or (true) one that nobody has. A refusal repeats what was sent. */
  keyNeeded?: true | string;
  /** Every load fails for lack of memory. */
  outOfMemory?: boolean;
  /** Every request that needs the model is turned away: too many wait. */
  busy?: boolean;
}
