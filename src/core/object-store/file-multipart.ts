// Multipart uploads of the folder store: parts lie in a hidden folder until they are put together. Nothing of it is
// visible as a key before the last step, a rename.
import { randomBytes } from 'node:crypto';
import { readdir, readFile, rm, rmdir, stat, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemCode } from '../failures/errors.js';
import { printable } from '../paths/raw-path.js';
import type { UnfinishedMultipart, UploadedPart } from './object-store.js';
import { fileError } from './file-errors.js';
import { fileEtag } from './file-etag.js';
import { PARTS_FOLDER } from './file-keys.js';
import type { FileModes } from './file-modes.js';
import { makeFolder, writeFully } from './file-temp.js';
import { appendFrom, writeAtomically } from './file-write.js';
import { StoreError } from './store-error.js';

const MAX_PART = 10_000;
const ID = /^[0-9a-f]{32}$/;

const gone = (key: string): StoreError =>
  new StoreError('not-found', `${printable(key)}: that multipart upload no longer exists`, { reason: 'NoSuchUpload' });

function uploadFolder(folder: string, key: string, multipartId: string): string {
  if (!ID.test(multipartId)) throw gone(key);
  return join(folder, PARTS_FOLDER, multipartId);
}

const partName = (partNumber: number): string => `part-${String(partNumber).padStart(5, '0')}`;

async function requireUpload(path: string, key: string): Promise<void> {
  const owner = await readFile(join(path, 'key'), 'utf8').catch(() => undefined);
  if (owner !== key) throw gone(key);
}

/** Begins an upload and gives its id. */
export async function createFileMultipart(folder: string, key: string, modes: FileModes): Promise<string> {
  const multipartId = randomBytes(16).toString('hex');
  const path = uploadFolder(folder, key, multipartId);
  try {
    await makeFolder(path, modes);
    await writeAtomically(join(path, 'key'), (handle) => writeFully(handle, Buffer.from(key)), {
      ifAbsent: true,
      modes,
    });
  } catch (error) {
    throw fileError(error, 'write', path);
  }
  return multipartId;
}

/** Stores one part; a part of the same number is replaced. */
export async function writePart(
  folder: string,
  upload: { readonly key: string; readonly multipartId: string; readonly modes: FileModes },
  partNumber: number,
  fill: (handle: FileHandle) => Promise<void>,
): Promise<UploadedPart> {
  if (!Number.isInteger(partNumber) || partNumber < 1 || partNumber > MAX_PART) {
    throw new StoreError('usage', `${partNumber} is not a part number: 1 to ${MAX_PART}`);
  }
  const path = uploadFolder(folder, upload.key, upload.multipartId);
  await requireUpload(path, upload.key);
  const target = join(path, partName(partNumber));
  try {
    await writeAtomically(target, fill, { modes: upload.modes });
    return { partNumber, etag: await partEtag(target) };
  } catch (error) {
    throw fileError(error, 'write', target);
  }
}

async function partEtag(path: string): Promise<string> {
  return fileEtag(await stat(path, { bigint: true }));
}

/** Puts the parts together, in the order given, as the file `target`. */
export async function completeFileMultipart(
  folder: string,
  upload: { readonly key: string; readonly multipartId: string; readonly target: string; readonly modes: FileModes },
  parts: readonly UploadedPart[],
  signal?: AbortSignal,
): Promise<void> {
  const path = uploadFolder(folder, upload.key, upload.multipartId);
  await requireUpload(path, upload.key);
  const invalid = (why: string): StoreError =>
    new StoreError('store', `${printable(upload.target)}: ${why}`, { reason: 'InvalidPart' });
  if (parts.length === 0) throw invalid('a multipart upload needs at least one part');
  for (const [index, { partNumber, etag }] of parts.entries()) {
    if (index > 0 && partNumber <= (parts[index - 1]?.partNumber ?? 0)) throw invalid('the parts are not in order');
    const found = await partEtag(join(path, partName(partNumber))).catch(() => undefined);
    if (found !== etag) throw invalid(`part ${partNumber} is missing or another one`);
  }
  try {
    await writeAtomically(
      upload.target,
      async (handle) => {
        for (const { partNumber } of parts) await appendFrom(join(path, partName(partNumber)), handle, signal);
      },
      { modes: upload.modes },
    );
  } catch (error) {
    throw fileError(error, 'write', upload.target);
  }
  await removeUpload(path);
}

async function removeUpload(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true });
  // The folder of all uploads goes with the last one; while it holds others it stays.
  await rmdir(dirname(path)).catch(() => undefined);
}

/** Forgets an upload; one that does not exist is no failure. */
export async function abortFileMultipart(folder: string, key: string, multipartId: string): Promise<void> {
  if (!ID.test(multipartId)) return;
  const path = uploadFolder(folder, key, multipartId);
  await removeUpload(path).catch((error: unknown) => {
    throw fileError(error, 'delete', path);
  });
}

/** The unfinished uploads whose key begins with `prefix`, in the order of their keys. */
export async function listFileMultipart(folder: string, prefix: string): Promise<readonly UnfinishedMultipart[]> {
  const parts = join(folder, PARTS_FOLDER);
  let names: readonly string[];
  try {
    names = await readdir(parts);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw fileError(error, 'list', parts);
  }
  const found: UnfinishedMultipart[] = [];
  for (const multipartId of names) {
    const file = join(parts, multipartId, 'key');
    const key = await readFile(file, 'utf8').catch(() => undefined);
    const info = await stat(file).catch(() => undefined);
    if (key !== undefined && info && key.startsWith(prefix)) found.push({ key, multipartId, startedAt: info.mtime });
  }
  return found.sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)));
}
