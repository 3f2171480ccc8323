import type { IncomingMessage, ServerResponse } from 'node:http';
import { failure } from '../../base/errors.ts';
import type { Dispatch, Reply } from '../dispatch.ts';

const LARGEST_BODY = 16 * 1024 * 1024;

/**
 * One command: its JSON input in the body, its reply as the answer. Every reply of a room has status
 * 200, refusals too; other statuses are those of the carrier, with a failure in the body as well.
 */
export async function answerCommand(
  command: string,
  request: IncomingMessage,
  response: ServerResponse,
  dispatch: Dispatch,
): Promise<void> {
  const body = await readBody(request);
  if (body === null) return; // the page went away
  if (body === 'too-large') {
    return sendReply(response, 413, failure('invalid', 'a command may be 16 MB at most'));
  }
  let input: unknown;
  try {
    input = body.length === 0 ? {} : JSON.parse(body.toString('utf8'));
  } catch {
    return sendReply(response, 400, failure('invalid', 'the input must be JSON'));
  }
  sendReply(response, 200, await dispatch(command, input));
}

export function sendReply(response: ServerResponse, status: number, reply: Reply): void {
  if (response.destroyed) return;
  const text = JSON.stringify(reply);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** Reads to the end even what is too large (keeping nothing of it), so that the answer is heard. */
async function readBody(request: IncomingMessage): Promise<Buffer | 'too-large' | null> {
  let parts: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= LARGEST_BODY) parts.push(chunk);
      else parts = [];
    }
  } catch {
    return null;
  }
  return size > LARGEST_BODY ? 'too-large' : Buffer.concat(parts);
}
