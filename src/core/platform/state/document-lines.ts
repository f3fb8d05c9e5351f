// An append-only file of small documents, one per line, that is kept for years: partly written or damaged lines are skipped and counted,
// and the following lines are read (log.ts stops there instead, and overwrites the rest).
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isArchiverError, undefinedOn, systemCode } from '../failures/errors.js';
import { fileFailure } from '../failures/file-failure.js';
import { encodeStateDocument, readStateDocument, type StateKind, type StateSchema } from './document.js';
import { holdLock } from './lock.js';
import { syncFolder } from './sync-folder.js';

/** Longer lines are not ours. */
const MAX_LINE = 2 ** 20;
const PATIENCE_MS = 10_000;
const NEWLINE = 10;
/** Bytes read at a time from the end of a file. */
const BLOCK = 2 ** 18;

interface AppendTo {
  readonly path: string;
  readonly lockPath: string;
  /** Name of the locked file in messages. */
  readonly what: string;
  /** This computer. */
  readonly host: string;
}

/**
 * Appends documents and flushes them to disk.
 * @throws conflict while another process keeps the lock; access-denied, no-space, io
 */
export async function appendDocuments(
  { path, lockPath, what, host }: AppendTo,
  kind: StateKind,
  documents: readonly object[],
): Promise<void> {
  const folder = dirname(path);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw fileFailure('write', folder, error);
  }
  const lock = await holdLock(lockPath, { host, what, patienceMs: PATIENCE_MS });
  try {
    await appendText(path, documents.map((document) => encodeStateDocument(kind, document)).join(''));
    await syncFolder(folder);
  } catch (error) {
    throw fileFailure('write', path, error);
  } finally {
    await lock.release();
  }
}

async function appendText(path: string, text: string): Promise<void> {
  const handle = await open(path, 'a+', 0o600);
  try {
    const { size } = await handle.stat();
    // A killed process may have left part of a line: start a new one.
    const last = await handle.read(Buffer.alloc(1), 0, 1, Math.max(0, size - 1));
    const isTorn = size > 0 && last.buffer[0] !== NEWLINE;
    await handle.appendFile(isTorn ? `\n${text}` : text);
    await handle.datasync();
  } finally {
    await handle.close();
  }
}

export interface FoundLines<T> {
  readonly found: readonly T[];
  /** Number of lines that could not be read. */
  readonly skipped: number;
}

/**
 * Reads the documents of a file, in order; none when there is no file.
 * @throws access-denied, io
 */
export async function readDocuments<T>(path: string, kind: StateSchema<T>): Promise<FoundLines<T>> {
  const found: T[] = [];
  let skipped = 0;
  for (const line of linesOf(await bytesOf(path))) {
    const document = documentIn(line, path, kind);
    if (document === undefined) skipped++;
    else found.push(document);
  }
  return { found, skipped };
}

/**
 * Yields those documents of a file whose line `mayHold` accepts, the newest first; unreadable ones are left out. Reads no more of the file
 * than requested.
 * @throws access-denied, io
 */
export async function* documentsFromEnd<T>(
  path: string,
  kind: StateSchema<T>,
  mayHold: (line: Buffer) => boolean,
): AsyncGenerator<T> {
  for await (const line of linesFromEnd(path)) {
    const document = mayHold(line) ? documentIn(line, path, kind) : undefined;
    if (document !== undefined) yield document;
  }
}

/** Parses a line; undefined when it cannot be read. */
function documentIn<T>(line: Buffer, path: string, kind: StateSchema<T>): T | undefined {
  if (line.length > MAX_LINE) return undefined;
  try {
    return readStateDocument(line.toString('utf8'), kind, { path, hint: '' });
  } catch (error) {
    if (!isArchiverError(error)) throw error;
    return undefined;
  }
}

async function bytesOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return Buffer.alloc(0);
    throw fileFailure('read', path, error);
  }
}

function* linesOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length;) {
    const newline = bytes.indexOf(NEWLINE, at);
    const end = newline < 0 ? bytes.length : newline;
    if (end > at) yield bytes.subarray(at, end);
    at = end + 1;
  }
}

async function* linesFromEnd(path: string): AsyncGenerator<Buffer> {
  const handle = await open(path, 'r').catch(undefinedOn('ENOENT'));
  if (handle === undefined) return;
  try {
    /** The beginning of what was read: the end of a line that starts earlier. */
    let rest: Buffer = Buffer.alloc(0);
    for (let { size: at } = await handle.stat(); at > 0;) {
      const length = Math.min(BLOCK, at);
      at -= length;
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, at);
      const block = Buffer.concat([buffer.subarray(0, bytesRead), rest]);
      const first = at === 0 ? 0 : block.indexOf(NEWLINE) + 1;
      // A block without a line end needs the block before it.
      if (first > 0 || at === 0) yield* [...linesOf(block.subarray(first))].toReversed();
      rest = first > 0 || at === 0 ? block.subarray(0, first) : block;
      if (rest.length > MAX_LINE) rest = Buffer.alloc(0); // too long, so the rest of it is no document either
    }
  } catch (error) {
    throw fileFailure('read', path, error);
  } finally {
    await handle.close();
  }
}
