import { hostname } from 'node:os';
import { posix, resolve } from 'node:path';
import { usageError } from '../../platform/failures/errors.js';
import { checkBucketName, checkKey } from '../../store/store-url.js';
import { printable } from '../../platform/paths/raw-path.js';

export interface ArchiveSource {
  /** The store that holds it, and its key there. */
  readonly storeUrl: string;
  readonly key: string;
  /** URL of the archive; for a local file with its absolute path. */
  readonly url: string;
  /** Name of the host for a local file; '' for a bucket, which is the same from everywhere. */
  readonly owner: string;
}

/** Reads SOURCE_ARCHIVE: `s3://bucket/key`, `file:///path` or a local path. @throws usage */
export function archiveSource(given: string, cwd: string): ArchiveSource {
  if (given.startsWith('s3://')) return inBucket(given);
  if (given.startsWith('file://')) {
    const path = given.slice('file://'.length);
    if (path.startsWith('/')) return inFolder(path, given);
    throw usageError(
      `'${printable(given)}' is a relative path`,
      'write file:// and an absolute path, or the path alone',
    );
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(given)) {
    throw usageError(
      `'${printable(given)}' is neither an s3:// nor a file:// URL`,
      'download the archive first, and name the file',
    );
  }
  return inFolder(resolve(cwd, given), given);
}

function inBucket(given: string): ArchiveSource {
  const rest = given.slice('s3://'.length);
  const slash = rest.indexOf('/');
  const key = slash < 0 ? '' : rest.slice(slash + 1);
  const bucket = checkBucketName(slash < 0 ? rest : rest.slice(0, slash));
  if (key === '' || key.endsWith('/')) throw noArchive(given, 's3://bucket/folder/archive.tar.zst');
  checkKey(key);
  return { storeUrl: `s3://${bucket}`, key, url: `s3://${bucket}/${key}`, owner: '' };
}

function inFolder(path: string, given: string): ArchiveSource {
  if (given.endsWith('/')) throw noArchive(given, 'file:///folder/archive.tar.zst');
  const { dir, base } = posix.parse(posix.normalize(path));
  if (base === '') throw noArchive(given, 'file:///folder/archive.tar.zst');
  if (dir === '/') {
    throw usageError(`${printable(path)} is in the topmost folder, which is not a store`, 'move it to a folder first');
  }
  return { storeUrl: `file://${dir}`, key: base, url: `file://${dir}/${base}`, owner: hostname() };
}

const noArchive = (given: string, example: string): Error =>
  usageError(
    `'${printable(given)}' does not name an archive`,
    `write it with the name of the file, such as ${example}`,
  );
