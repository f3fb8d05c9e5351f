// Reads an object, or a piece of it, into the file that it is packed from. What keeps one object from being read is written there in its
// place, so that the packer leaves it out and names it; anything else ends the upload.
import { createHash, type Hash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { systemText } from '../../platform/failures/errno.js';
import { ArchiverError, isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { writeFully } from '../../platform/state/write-fully.js';
import type { ByteRange, ObjectContent, ObjectReader } from '../../store/object-store.js';
import { type SpooledFacts, spoolTail } from '../scan/spool-fs.js';
import type { ListedObject } from './listed-objects.js';
import { objectAttributes } from './object-attributes.js';

/** A piece of an object; `md5` runs through all pieces, in order. */
export interface ObjectPiece {
  readonly range: ByteRange & { readonly start: number };
  readonly isLast: boolean;
  readonly md5: Hash;
}

export interface ReadCall {
  readonly reader: Pick<ObjectReader, 'get'>;
  readonly object: ListedObject;
  /** Absolute path of the file. */
  readonly file: string;
  /** Undefined for all of the object. */
  readonly piece?: ObjectPiece;
  /** Set if it is known that it cannot be read. */
  readonly problem?: string | undefined;
  readonly signal: AbortSignal;
}

const OTHER_BYTES = 'the bytes that came are not those of its ETag';
const TRIES = 2;

/** Reads an object; returns what kept it from being read, which the file says as well. @throws what is not about this object alone */
export async function readObject(call: ReadCall): Promise<string | undefined> {
  const handle = await open(call.file, 'w', 0o600);
  try {
    const facts = await factsOf(call, handle);
    const at = 'problem' in facts ? 0 : call.object.stamp.size;
    await handle.truncate(at);
    await writeFully(handle, spoolTail(facts), at);
    return 'problem' in facts ? facts.problem : undefined;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    throw new ArchiverError('io', `cannot write to ${printable(call.file)}: ${systemText(error) ?? 'it failed'}`, {
      cause: error,
      hint: 'name a folder with more room with --temp-dir; the same call goes on from there',
    });
  } finally {
    await handle.close();
  }
}

async function factsOf(call: ReadCall, handle: FileHandle): Promise<SpooledFacts> {
  const { storageClass, isCold, stamp } = call.object;
  if (call.problem !== undefined) return { problem: call.problem };
  if (isCold) return { problem: coldText(storageClass) };
  try {
    for (let attempt = 1; ; attempt++) {
      const content = await fetchInto(call, handle);
      if (content !== undefined) return { stamp, xattrs: objectAttributes(content) };
      if (attempt === TRIES || call.piece !== undefined) return { problem: OTHER_BYTES };
    }
  } catch (error) {
    const problem = problemOf(error, storageClass);
    if (problem === undefined) throw error;
    return { problem };
  }
}

const coldText = (storageClass: string): string =>
  `lies in ${storageClass}: request it there first (aws s3api restore-object), and archive it once it can be read`;

/** What keeps one object from being read, while others can be. */
function problemOf(error: unknown, storageClass: string): string | undefined {
  if (isArchiverError(error, 'conflict')) return 'changed after it was listed';
  if (isArchiverError(error, 'not-found') && !isBucketGone(error)) return 'was deleted after it was listed';
  if (isArchiverError(error, 'cold-storage')) return coldText(storageClass);
  if (isArchiverError(error, 'access-denied')) return 'may not be read with these credentials';
  return undefined;
}

const isBucketGone = (error: ArchiverError): boolean => 'reason' in error && error.reason === 'NoSuchBucket';

/** Returns the answer whose bytes are in the file; undefined if they are not those of the ETag. */
async function fetchInto({ reader, object, piece, signal }: ReadCall, handle: FileHandle) {
  const { key, etag: ifMatch, stamp } = object;
  const content = await reader.get(key, { ifMatch, signal, ...(piece && { range: piece.range }) });
  const md5 = piece?.md5 ?? createHash('md5');
  let at = piece?.range.start ?? 0;
  const end = at + content.sizeBytes;
  for await (const bytes of content.body as AsyncIterable<Buffer>) {
    md5.update(bytes);
    await writeFully(handle, bytes, at);
    at += bytes.length;
  }
  if (at !== end || content.totalBytes !== stamp.size) return undefined;
  const isOver = piece === undefined || piece.isLast;
  return !isOver || !isMd5(content) || md5.digest('hex') === content.etag ? content : undefined;
}

/** The ETag of an object that was put in one piece is its MD5, unless KMS has encrypted it. */
const isMd5 = ({ etag, usesKms }: ObjectContent): boolean => usesKms !== true && /^[0-9a-f]{32}$/.test(etag);
