import { statSync } from 'node:fs';
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

/** A place of archives: a prefix of a bucket, or a folder. */
export interface ArchivePlace {
  readonly storeUrl: string;
  /** What keys of archives begin with in that store: '' or a text that ends with a slash. */
  readonly prefix: string;
  /** URL of the place, with a slash at its end. */
  readonly url: string;
  /** True for a folder. */
  readonly isFolder: boolean;
}

/** Reads SOURCE_ARCHIVE if it is a place: what ends with a slash, or the path of a folder; undefined for all else. @throws usage */
export function archivePlace(given: string, cwd: string): ArchivePlace | undefined {
  if (given.startsWith('s3://')) return given.endsWith('/') ? prefixOf(given) : undefined;
  if (/^(?!file:\/\/)[a-z][a-z0-9+.-]*:\/\//i.test(given) || /^file:\/\/(?!\/)/.test(given)) return undefined;
  const path = given.startsWith('file://') ? given.slice('file://'.length) : resolve(cwd, given);
  const isFolder = given.endsWith('/') || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  if (!isFolder) return undefined;
  const folder = posix.normalize(path).replace(/\/+$/, '');
  if (folder === '') throw usageError(`'${printable(given)}' is the topmost folder`, 'name a folder below it');
  return { storeUrl: `file://${folder}`, prefix: '', url: `file://${folder}/`, isFolder: true };
}

function prefixOf(given: string): ArchivePlace | undefined {
  const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]*)\/(.*)$/s.exec(given) ?? [];
  checkBucketName(bucket);
  if (prefix !== '') checkKey(prefix.slice(0, -1));
  return { storeUrl: `s3://${bucket}`, prefix, url: given, isFolder: false };
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
    `write it with the name of the file, such as ${example}, or end it with a slash to migrate all archives below it`,
  );
