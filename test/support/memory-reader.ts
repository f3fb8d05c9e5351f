// A store that is a map, for tests of readers: counts its requests and can be bent.
import { Readable } from 'node:stream';
import { ArchiverError } from '../../src/core/platform/failures/errors.js';
import type { GetOptions, ObjectContent, ObjectReader } from '../../src/core/store/object-store.js';

export interface MemoryReader extends ObjectReader {
  readonly requests: { get: number; head: number; list: number };
  readonly ranges: string[];
}

export interface Bent {
  readonly get?: (
    key: string,
    options: GetOptions,
    normal: () => ObjectContent,
  ) => ObjectContent | Promise<ObjectContent>;
  readonly list?: () => never;
}

/** Reads from `objects`. */
export function memoryReader(objects: ReadonlyMap<string, Buffer>, bent: Bent = {}): MemoryReader {
  const requests = { get: 0, head: 0, list: 0 };
  const ranges: string[] = [];
  const normal = (key: string, { range }: GetOptions): ObjectContent => {
    const object = objects.get(key);
    if (object === undefined) throw new ArchiverError('not-found', `there is no ${key}`);
    const [start, end] =
      range === undefined
        ? [0, object.length]
        : 'suffix' in range
          ? [object.length - range.suffix, object.length]
          : [range.start, Math.min(range.end, object.length)];
    const bytes = object.subarray(start, end);
    return {
      sizeBytes: bytes.length,
      totalBytes: object.length,
      start,
      etag: 'x',
      body: Readable.from(bytes.length === 0 ? [] : [bytes]),
    };
  };
  return {
    url: 'memory:',
    requests,
    ranges,
    async get(key, options = {}) {
      requests.get++;
      ranges.push(key);
      return await (bent.get?.(key, options, () => normal(key, options)) ?? normal(key, options));
    },
    head(key) {
      requests.head++;
      const object = objects.get(key);
      const info = object && {
        key,
        sizeBytes: object.length,
        etag: 'x',
        lastModified: new Date(0),
        storageClass: 'STANDARD',
      };
      return Promise.resolve(info);
    },
    async *list({ prefix = '' } = {}) {
      requests.list++;
      bent.list?.();
      const keys = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
      yield await Promise.resolve({
        prefixes: [],
        objects: keys.map((key) => ({
          key,
          sizeBytes: objects.get(key)?.length ?? 0,
          etag: 'x',
          lastModified: new Date(0),
          storageClass: 'STANDARD',
        })),
      });
    },
  };
}
