// Writes answers, with the headers that every one of them has.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import type { Answer } from './answer.js';

/** Nothing is guessed from content, no other site learns an address or reads an answer. */
const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};

/** Sends an answer; returns the error that ended it early, after which the connection is closed: a client does not take it for whole. */
export async function sendAnswer(
  { status, headers, body }: Answer,
  { method }: IncomingMessage,
  response: ServerResponse,
  onBytes: (bytes: number) => void,
): Promise<unknown> {
  try {
    response.writeHead(status, { ...SAFE_HEADERS, ...headers });
    if (body === undefined || method === 'HEAD') {
      response.end();
      return undefined;
    }
    await pipeline(counted(body, onBytes), response);
    return undefined;
  } catch (error) {
    response.destroy();
    return error;
  }
}

async function* counted(
  body: NonNullable<Answer['body']>,
  onBytes: (bytes: number) => void,
): AsyncGenerator<string | Uint8Array> {
  for await (const piece of body) {
    onBytes(Buffer.byteLength(piece));
    yield piece;
  }
}
