// Keeps what was read of the uploads of a store on this computer, so that the next start reads only what is new. A hint: a file that cannot
// be used counts as none and is written again. One file for each store; the oldest are removed.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as s from '../../platform/documents/schema.js';
import { isArchiverError, systemCode } from '../../platform/failures/errors.js';
import { encodeStateDocument, readStateDocument } from '../../platform/state/document.js';
import { replaceFile } from '../../platform/state/replace-file.js';
import type { StoredUpload } from './stored-upload.js';

/** An upload takes 0.6 KB; when there are more, the newest are kept. */
const MOST_UPLOADS = 20_000;
const MOST_STORES = 16;
const FILE = /^[0-9a-f]{32}\.inventory\.json$/;

/** The kept part of an upload; uploads that cannot be read are not kept. */
export type KeptUpload = Omit<StoredUpload, 'tags' | 'fork' | 'problem' | 'checks'>;

const BODY = s.schema(() => s.object({ uploads: s.listOf(s.unchecked<KeptUpload>()) }));
const KIND = { type: 'archiver-inventory', format: 1, noun: 'inventory', body: BODY };

/** Path of the file for the store at a URL. `server` names the server, because two servers may have buckets of the same name. */
export function inventoryPath(folder: string, baseUrl: string, server: string | undefined): string {
  const place = createHash('sha256')
    .update(`${server ?? ''}\n${baseUrl}`)
    .digest('hex');
  return join(folder, `${place.slice(0, 32)}.inventory.json`);
}

/** Reads the kept uploads; none when there is no file, or one that cannot be used. */
export async function readInventoryCache(path: string): Promise<readonly KeptUpload[]> {
  try {
    return readStateDocument(await readFile(path, 'utf8'), KIND, { path, hint: '' }).uploads;
  } catch (error) {
    if (isArchiverError(error, 'integrity', 'unsupported') || systemCode(error) !== undefined) return [];
    throw error;
  }
}

/** Replaces the kept uploads; `uploads` are sorted newest first. @throws errors of the file system */
export async function writeInventoryCache(path: string, folder: string, uploads: readonly KeptUpload[]): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await replaceFile(path, encodeStateDocument(KIND, { uploads: uploads.slice(0, MOST_UPLOADS) }));
  const files = await Promise.all(
    (await readdir(folder))
      .filter((name) => FILE.test(name))
      .map(async (name) => ({ path: join(folder, name), at: (await stat(join(folder, name))).mtimeMs })),
  );
  const old = files.toSorted((a, b) => b.at - a.at).slice(MOST_STORES);
  for (const { path } of old) await rm(path, { force: true });
}
