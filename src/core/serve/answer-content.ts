// The answer to a request for a file: its conditions, its range, and its bytes. The first bytes are read before anything is answered, so that
// what cannot be read has a status that says so; and the last ones of a whole file wait for its MD5, so that a wrong file never ends well.
import type { IncomingHttpHeaders } from 'node:http';
import { isArchiverError } from '../platform/failures/errors.js';
import { type ContentRange, readFile, type ReadFileOptions, readRange } from '../restore/listing/read-file.js';
import { type Answer, errorAnswer, plain } from './answer.js';
import { byteRange } from './byte-range.js';
import { conditionStatus, mayUseRange } from './conditions.js';
import { contentType } from './content-type.js';
import type { FoundFile } from './served-tree.js';

/** Reads content, and knows what to say where it cannot be read. */
export interface ContentSource {
  readonly read: (file: FoundFile) => ReadFileOptions;
  /** Says what it takes to read a file in cold storage. */
  readonly coldText: (file: FoundFile) => Promise<string>;
  /** Finds the file anew: the listing that it was found in may be older than what the store has. */
  readonly again: (file: FoundFile) => Promise<FoundFile | undefined>;
}

interface Asked {
  readonly method: string;
  readonly headers: IncomingHttpHeaders;
}

/**
 * What browsers may do with content of an archive, whatever it says itself: show it, and run nothing. Its origin is that of nobody.
 */
const CONTENT_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:; media-src 'self'";

/** Answers GET and HEAD. @throws what reading throws, except for cold storage */
export async function answerContent(file: FoundFile, asked: Asked, source: ContentSource): Promise<Answer> {
  const { sizeBytes, etag, modified, name } = file;
  const headers = {
    'content-type': contentType(name),
    'content-security-policy': CONTENT_POLICY,
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    etag,
    ...(modified && { 'last-modified': modified.toUTCString() }),
  };
  const status = conditionStatus(asked.headers, file);
  if (status === 304) return { status, headers };
  if (status === 412) return plain(412, 'the file is another one than the request is for');
  if (asked.method === 'HEAD') return { status: 200, headers: { ...headers, 'content-length': sizeBytes } };
  const range = mayUseRange(asked.headers, file) ? byteRange(asked.headers.range, sizeBytes) : undefined;
  if (range === 'unsatisfiable') {
    const answer = plain(416, `the file has ${sizeBytes} bytes`);
    return { ...answer, headers: { ...answer.headers, 'content-range': `bytes */${sizeBytes}` } };
  }
  const { start, end } = range ?? { start: 0, end: sizeBytes };
  const body = await opened(file, { start, end }, source);
  if ('status' in body) return body;
  const sent = { ...headers, 'content-length': end - start };
  if (range === undefined) return { status: 200, headers: sent, body };
  return { status: 206, headers: { ...sent, 'content-range': `bytes ${start}-${end - 1}/${sizeBytes}` }, body };
}

/** Opens content, or says what keeps it from being read. */
async function opened(
  file: FoundFile,
  range: ContentRange,
  source: ContentSource,
): Promise<AsyncIterable<Uint8Array> | Answer> {
  try {
    return await begun(file, range, source);
  } catch (error) {
    if (isArchiverError(error, 'cold-storage')) return plain(409, await source.coldText(file));
    if (!isArchiverError(error, 'not-found')) throw error;
    const again = await source.again(file);
    if (again?.etag !== file.etag) return errorAnswer(error, 502);
    // A chunk that is missing is not a path that is.
    return await begun(again, range, source).catch((second: unknown) => errorAnswer(second, 502));
  }
}

async function begun(
  file: FoundFile,
  { start, end }: ContentRange,
  { read }: ContentSource,
): Promise<AsyncIterable<Uint8Array>> {
  const isWhole = start === 0 && end === file.sizeBytes;
  const options = read(file);
  const pieces = isWhole ? lastHeldBack(readFile(file.index, options)) : readRange(file.index, { start, end }, options);
  const first = await pieces.next();
  return continued(first, pieces);
}

/** Yields pieces one later than they come. */
async function* lastHeldBack(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  let held: Uint8Array | undefined;
  for await (const piece of pieces) {
    if (held !== undefined) yield held;
    held = piece;
  }
  if (held !== undefined) yield held;
}

async function* continued(
  first: IteratorResult<Uint8Array, void>,
  rest: AsyncGenerator<Uint8Array, void, void>,
): AsyncGenerator<Uint8Array, void, void> {
  if (first.done === true) return;
  yield first.value;
  yield* rest;
}
