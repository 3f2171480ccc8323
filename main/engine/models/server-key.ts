/** What opens a model server that asks who calls. */
export interface ServerKey {
  /**
   * The key for one request. `token` is that of the job that calls; without one it is Lull's own call.
   * Throws ModelError `denied` where there is none.
   */
  reveal(token: string | undefined): Promise<string>;
  /** The text without the key, wherever the server repeats it. */
  scrub(text: string): string;
}
