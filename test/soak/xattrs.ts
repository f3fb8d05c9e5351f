// Extended attributes, by libc itself: the soak uses nothing of the engine that it tests.
import { createRequire } from 'node:module';

interface Koffi {
  load(path: string | null): { func(declaration: string): (...args: readonly unknown[]) => number };
}

const library = (createRequire(import.meta.url)('koffi') as Koffi).load(null);
const setOne = library.func(
  'int lsetxattr(const uint8_t *path, const char *name, const uint8_t *value, size_t size, int flags)',
);
const removeOne = library.func('int lremovexattr(const uint8_t *path, const char *name)');
const getOne = library.func('long lgetxattr(const uint8_t *path, const char *name, _Out_ uint8_t *value, size_t size)');
const listAll = library.func('long llistxattr(const uint8_t *path, _Out_ uint8_t *list, size_t size)');
const LARGEST = 4096;

const ended = (path: Buffer): Buffer => Buffer.concat([path, Buffer.from([0])]);

/** False where the file system has no attributes. */
export const setXattr = (path: Buffer, name: string, value: Buffer): boolean =>
  setOne(ended(path), name, value, value.length, 0) === 0;

export function removeXattr(path: Buffer, name: string): void {
  removeOne(ended(path), name);
}

/** The user's attributes in one text, in the order of their names. */
export function describeXattrs(path: Buffer): string {
  const names = Buffer.alloc(LARGEST);
  const length = listAll(ended(path), names, LARGEST);
  if (length <= 0) return '';
  const value = Buffer.alloc(LARGEST);
  return names
    .toString('latin1', 0, length)
    .split('\0')
    .filter((name) => name.startsWith('user.'))
    .sort()
    .map((name) => `${name}=${value.toString('hex', 0, Math.max(0, getOne(ended(path), name, value, LARGEST)))}`)
    .join(' ');
}
