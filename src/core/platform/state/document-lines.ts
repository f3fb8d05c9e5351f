// An append-only file of small documents, a line each, that are kept for years: one that was written in part, or is damaged,
// is skipped and counted, and the lines after it are read (log.ts ends there, and goes over what follows).
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isArchiverError, noneOn, systemCode } from '../failures/errors.js';
import { fileFailure } from '../failures/file-failure.js';
import { encodeStateDocument, readStateDocument, type StateKind, type StateSchema } from './document.js';
import { holdLock } from './lock.js';
import { syncFolder } from './sync-folder.js';

/** Longer lines are none of ours. */
const MAX_LINE = 2 ** 20;
const PATIENCE_MS = 10_000;
const NEWLINE = 10;
/** Read at once from the end of a file. */
const BLOCK = 2 ** 18;

interface AppendTo {
  readonly path: string;
  readonly lockPath: string;
  /** What is locked, for messages. */
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
    // A process that was killed may have left a part of a line: ours must not become the end of it.
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
  /** Lines that could not be read. */
  readonly skipped: number;
}

/**
 * Reads the documents of a file, in its order; none where there is no file.
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
 * The documents of a file, the newest first, those that `mayHold` lets pass; what cannot be read is left out. No more of the
 * file is read than is asked for.
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

/** Undefined where it cannot be read. */
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
  const handle = await open(path, 'r').catch(noneOn('ENOENT'));
  if (handle === undefined) return;
  try {
    /** The beginning of what was read: the end of a line that begins before it. */
    let rest: Buffer = Buffer.alloc(0);
    for (let { size: at } = await handle.stat(); at > 0;) {
      const length = Math.min(BLOCK, at);
      at -= length;
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(length), 0, length, at);
      const block = Buffer.concat([buffer.subarray(0, bytesRead), rest]);
      const first = at === 0 ? 0 : block.indexOf(NEWLINE) + 1;
      // Of a block without an end of a line more is needed.
      if (first > 0 || at === 0) yield* [...linesOf(block.subarray(first))].toReversed();
      rest = first > 0 || at === 0 ? block.subarray(0, first) : block;
      if (rest.length > MAX_LINE) rest = Buffer.alloc(0); // nor is what is left of it a document
    }
  } catch (error) {
    throw fileFailure('read', path, error);
  } finally {
    await handle.close();
  }
}
