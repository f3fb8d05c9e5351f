// URLs of stores: `s3://bucket[/prefix]` or `file:///absolute/folder`. A store URL names a base; keys are relative to it. Folders with odd
// names are never percent-encoded: `file://` is followed by the path as it is.
import { posix, resolve } from 'node:path';
import { usageError } from '../platform/failures/errors.js';
import type { UploadId } from './ids/upload-id.js';
import { printable } from '../platform/paths/raw-path.js';

export type StoreUrl =
  | {
      readonly kind: 's3';
      readonly bucket: string;
      /** No slash at either end; empty for the whole bucket. */ readonly prefix: string;
    }
  | { readonly kind: 'file'; /** Absolute, without a trailing slash. */ readonly folder: string };

const STORE_URL = /^(?:s3:\/\/[^/\s]+(?:\/.*)?|file:\/\/\/.*)$/s;
const PATH = /^(?:\/|\.{1,2}(?:\/|$))/;

/**
 * Returns the URL of a place as people write it: a URL as it is, a path that begins with `/`, `./` or `../` as that of its folder;
 * undefined for anything else. Relative paths begin at `cwd`.
 */
export function storeUrlOf(text: string, cwd: string): string | undefined {
  if (STORE_URL.test(text)) return text;
  return PATH.test(text) ? `file://${resolve(cwd, text)}` : undefined;
}

/** True for a word without a colon that is no path as `storeUrlOf` takes it: `data`. */
export const isBareWord = (text: string): boolean => !PATH.test(text) && !text.includes(':');

/** True for what is written as a path, with `./` or without, and not as a URL or the name of a store. */
export const isPathWord = (text: string): boolean => PATH.test(text) || isBareWord(text);

/** Returns the URL for --bucket: the name of a bucket, or a place as people write it (`storeUrlOf`). */
export const bucketUrl = (bucket: string, cwd: string): string =>
  storeUrlOf(bucket, cwd) ?? (bucket.includes('://') ? bucket : `s3://${bucket}`);

const MAX_KEY_BYTES = 1024;
// The rules of S3 for general purpose buckets.
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const ADDRESS = /^\d{1,3}(\.\d{1,3}){3}$/;

const trimSlashes = (text: string): string => text.replace(/^\/+|\/+$/g, '');

/** Joins key parts with exactly one slash between them; empty parts are dropped, inner slashes stay. */
export function joinKey(...parts: readonly string[]): string {
  const last = parts.length - 1;
  return parts
    .map((part, index) => (index === last ? part.replace(/^\/+/, '') : trimSlashes(part)))
    .filter((part) => part !== '')
    .join('/');
}

/** Checks and returns the name of a bucket. @throws usage when it cannot be one */
export function checkBucketName(bucket: string): string {
  if (bucket === '') throw usageError('the S3 URL names no bucket; write s3://bucket or s3://bucket/prefix');
  if (!BUCKET.test(bucket) || bucket.includes('..') || ADDRESS.test(bucket)) {
    throw usageError(
      `'${printable(bucket)}' is not a bucket name: 3 to 63 lower-case letters, digits, dots and hyphens, beginning and ending with a letter or digit`,
    );
  }
  return bucket;
}

/**
 * Checks and returns a key relative to a base; `prefix` counts for its length. @throws usage for an empty key, a leading slash, `.` or `..`
 * segments, a lone surrogate, or more than 1024 bytes
 */
export function checkKey(key: string, prefix = ''): string {
  const complain = (why: string): never => {
    throw usageError(`'${printable(key.slice(0, 200))}' cannot be an object key: ${why}`);
  };
  if (key === '') complain('it is empty');
  if (key.startsWith('/')) complain('it begins with a slash');
  if (key.split('/').some((segment) => segment === '.' || segment === '..')) complain("it has a '.' or '..' segment");
  if (key.includes('\0')) complain('it holds a zero byte');
  if (/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(key))
    complain('it is not valid Unicode');
  const bytes = Buffer.byteLength(joinKey(prefix, key));
  if (bytes > MAX_KEY_BYTES) complain(`it is ${bytes} bytes long with its prefix, and ${MAX_KEY_BYTES} are allowed`);
  return key;
}

function parseS3(rest: string): StoreUrl {
  const slash = rest.indexOf('/');
  const bucket = checkBucketName(slash < 0 ? rest : rest.slice(0, slash));
  const prefix = slash < 0 ? '' : trimSlashes(rest.slice(slash));
  if (prefix !== '') checkKey(prefix);
  return { kind: 's3', bucket, prefix };
}

function parseFile(rest: string): StoreUrl {
  if (!rest.startsWith('/')) {
    throw usageError(
      rest === ''
        ? 'the file URL names no folder; write file:///absolute/folder'
        : `'file://${printable(rest)}' is a relative path; write file:// and an absolute one: file:///${printable(rest)}`,
    );
  }
  if (rest.includes('\0')) throw usageError('the file URL holds a zero byte');
  const folder = posix.normalize(rest).replace(/\/+$/, '');
  if (folder === '') throw usageError('file:/// is the whole file system; name a folder: file:///absolute/folder');
  return { kind: 'file', folder };
}

/** Reads a store URL. @throws usage with one sentence about what is wrong */
export function parseStoreUrl(url: string): StoreUrl {
  if (url.startsWith('s3://')) return parseS3(url.slice('s3://'.length));
  if (url.startsWith('file://')) return parseFile(url.slice('file://'.length));
  throw usageError(`'${printable(url)}' is not a store URL; write s3://bucket/prefix or file:///absolute/folder`);
}

/** Returns the canonical form of a store URL, without a trailing slash. */
export function formatStoreUrl(url: StoreUrl): string {
  if (url.kind === 'file') return `file://${url.folder}`;
  return url.prefix === '' ? `s3://${url.bucket}` : `s3://${url.bucket}/${url.prefix}`;
}

/** Returns the store URL of a folder below a base. */
export function joinStoreUrl(url: string, ...parts: readonly string[]): string {
  const base = parseStoreUrl(url);
  const below = trimSlashes(joinKey(...parts));
  if (below === '') return formatStoreUrl(base);
  checkKey(below);
  return base.kind === 'file'
    ? formatStoreUrl({ kind: 'file', folder: `${base.folder}/${below}` })
    : formatStoreUrl({ ...base, prefix: joinKey(base.prefix, below) });
}

export interface UploadLocation {
  /** `s3://bucket[/prefix][/writers/<id>]` or the same under `file://`. */
  readonly baseUrl: string;
  readonly uploadId: UploadId;
}

/** Splits `<base>/uploads/<upload id>` (a trailing slash is forgiven); undefined when the URL does not end so. */
export function splitUploadUrl(url: string): { readonly baseUrl: string; readonly uploadId: string } | undefined {
  const text = formatStoreUrl(parseStoreUrl(url));
  const match = /^(.+)\/uploads\/([^/]+)$/s.exec(text);
  const [, baseUrl, uploadId] = match ?? [];
  if (baseUrl === undefined || uploadId === undefined || baseUrl === 'file://' || baseUrl === 's3:/') return undefined;
  return { baseUrl, uploadId };
}
