import type { ServerResponse } from 'node:http';
import type { Faults } from './faults.ts';

/** Thrown when the answer was ended on purpose before its end. */
export class Cut extends Error {}

/** Writes an answer piece by piece, and breaks it where the faults say. Headers go with the first byte. */
export class Writer {
  readonly #response: ServerResponse;
  readonly #faults: Faults;
  readonly #contentType: string;
  #sent = 0;
  #pieces = 0;

  constructor(response: ServerResponse, faults: Faults, contentType: string) {
    this.#response = response;
    this.#faults = faults;
    this.#contentType = contentType;
  }

  /** A whole unit of the stream: a line, or an event. */
  async piece(text: string): Promise<void> {
    await this.raw(text);
    this.#pieces += 1;
    if (this.#faults.reset === 'mid-stream' && this.#pieces === 1) this.reset();
  }

  /** The connection breaks here. */
  reset(): never {
    this.#response.socket?.resetAndDestroy();
    throw new Cut();
  }

  async raw(text: string): Promise<void> {
    const response = this.#response;
    if (!response.headersSent) {
      response.writeHead(200, { 'content-type': this.#contentType });
      // A server writes its headers when it has something to say.
      response.socket?.setNoDelay(true);
    }
    let bytes = Buffer.from(text);
    const { cutAfterBytes, byteByByte } = this.#faults;
    const room = (cutAfterBytes ?? Number.POSITIVE_INFINITY) - this.#sent;
    const cut = bytes.length > room;
    if (cut) bytes = bytes.subarray(0, room);
    this.#sent += bytes.length;
    if (byteByByte) {
      for (const byte of bytes) {
        response.write(Buffer.of(byte));
        await new Promise<void>((resolve) => setImmediate(resolve));
      }
    } else if (bytes.length > 0) response.write(bytes);
    if (!cut) return;
    response.end();
    throw new Cut();
  }
}
