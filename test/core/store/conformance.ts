// What every object store must do. Run with a function that gives a new, empty store for each test.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type {
  ListOptions,
  ListVersionsOptions,
  ObjectInfo,
  ObjectStore,
  ObjectVersion,
  WholeStore,
} from '../../../src/core/store/object-store.js';
import { readAll } from '../../../src/core/store/read-content.js';

export interface ConformanceOptions {
  readonly open: () => Promise<WholeStore>;
  /** What this store or server cannot do, as found out by running the suite. */
  readonly omits: readonly ('slash-keys' | 'control-keys')[];
  /** Begins a multipart upload of the key below this store, where there is such a thing; gives its id. */
  readonly beginMultipart?: (storeUrl: string, key: string) => Promise<string>;
  /** Up to how many keys the page tests go. */
  readonly maxKeys: number;
}

const text = (value: string): Buffer => Buffer.from(value);
const read = async (store: ObjectStore, key: string, options?: Parameters<ObjectStore['get']>[1]): Promise<string> =>
  (await readAll(await store.get(key, options), 1e9)).toString();

/** Everything that a listing gives, page after page. */
export async function listAll(
  store: ObjectStore,
  options?: ListOptions,
): Promise<{ keys: string[]; prefixes: string[]; infos: ObjectInfo[] }> {
  const infos: ObjectInfo[] = [];
  const prefixes: string[] = [];
  for await (const page of store.list(options)) {
    infos.push(...page.objects);
    prefixes.push(...page.prefixes);
  }
  return { keys: infos.map(({ key }) => key), prefixes, infos };
}

/** Runs `work` over the items, `width` at a time. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}

const ODD_KEYS = [
  'plain.txt',
  'a b.txt',
  'a+b.txt',
  'a%b.txt',
  'a%20b.txt',
  'a%2Bb.txt',
  'quote"\'`.txt',
  '<tag>&amp;.txt',
  'back\\slash',
  '#hash?question=1&x',
  '~tilde*star!(paren)',
  'émoji-😀-日本語/ü.txt',
  'e\u0301-decomposed',
  '-leading-dash',
  ' leading and trailing ',
  '...three-dots',
  '.hidden/..double',
];

const CONTROL_KEYS = ['line\nbreak', 'return\rtab\t', 'control-\u0001-\u001f-\u007f'];

function describeObjects({ open, omits }: ConformanceOptions): void {
  it('gives back what was put, with its size and ETag', async () => {
    const store = await open();

    const { etag } = await store.put('a/b.txt', text('hello'));
    const content = await store.get('a/b.txt');
    const info = await store.head('a/b.txt');

    expect((await readAll(content, 5)).toString()).toBe('hello');
    expect(content).toMatchObject({ sizeBytes: 5, totalBytes: 5, start: 0, etag, lastModified: info?.lastModified });
    expect(info).toMatchObject({ key: 'a/b.txt', sizeBytes: 5, etag, storageClass: 'STANDARD' });
    expect(Math.abs((info?.lastModified.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
  });

  it('replaces an object as a whole and changes its ETag', async () => {
    const store = await open();

    const first = await store.put('k', text('first, and longer'));
    const second = await store.put('k', text('second'));

    expect(await read(store, 'k')).toBe('second');
    expect(second.etag).not.toBe(first.etag);
  });

  it('keeps an empty object', async () => {
    const store = await open();

    await store.put('empty', new Uint8Array());

    expect(await read(store, 'empty')).toBe('');
    expect(await store.head('empty')).toMatchObject({ sizeBytes: 0 });
  });

  it('keeps a larger object byte for byte', async () => {
    const store = await open();
    const body = Buffer.alloc(5_000_011, 'abcdefg');

    await store.put('large', body, { sha256: createHash('sha256').update(body).digest('hex') });

    expect((await readAll(await store.get('large'), body.length)).equals(body)).toBe(true);
  });

  it('says not-found for a missing key, and undefined for its head', async () => {
    const store = await open();
    await store.put('there', text('x'));

    await expect(store.get('missing')).rejects.toMatchObject({ code: 'not-found' });
    await expect(store.get('there/below')).rejects.toMatchObject({ code: 'not-found' });
    expect(await store.head('missing')).toBeUndefined();
    expect(await store.head('there/below')).toBeUndefined();
  });

  it('keeps keys with odd characters apart, lists and deletes them', async () => {
    const store = await open();
    const slashed = omits.includes('slash-keys') ? [] : ['x'.repeat(900), 'double//slash', 'trailing/'];
    const controlled = omits.includes('control-keys') ? [] : CONTROL_KEYS;
    const keys = [...ODD_KEYS, ...slashed, ...controlled];

    for (const key of keys) await store.put(key, text(key));

    for (const key of keys) expect(await read(store, key)).toBe(key);
    expect((await listAll(store)).keys).toEqual(keys.toSorted((a, b) => Buffer.compare(text(a), text(b))));
    expect(await store.delete(keys)).toEqual([]);
    expect((await listAll(store)).keys).toEqual([]);
  });

  it('takes a key of 1024 bytes with its prefix and refuses a longer one', async () => {
    const store = await open();
    const room =
      1024 - Buffer.byteLength(store.url.startsWith('s3://') ? store.url.replace(/^s3:\/\/[^/]+\//, '') : '') - 1;
    const key = `${'k/'.repeat(600).slice(0, room - 2)}zz`;

    await store.put(key, text('deep'));

    expect(await read(store, key)).toBe('deep');
    await expect(store.put(`${key}${'x'.repeat(1024 - Buffer.byteLength(key) + 1)}`, text(''))).rejects.toMatchObject({
      code: 'usage',
    });
  });

  it.each(['', '/absolute', '../up', 'a/../b', 'a/./b', 'nul\0'])('refuses to write the key %j', async (key) => {
    const store = await open();

    await expect(store.put(key, text('x'))).rejects.toMatchObject({ code: 'usage' });
  });

  it('copies an object', async () => {
    const store = await open();
    await store.put('from a+b %/ü', text('content'));

    await store.copy('from a+b %/ü', 'to/there');

    expect(await read(store, 'to/there')).toBe('content');
    await expect(store.copy('missing', 'x')).rejects.toMatchObject({ code: 'not-found' });
  });
}

function describeConditions({ open }: ConformanceOptions): void {
  it('reads ranges, also past the end, and suffixes longer than the object', async () => {
    const store = await open();
    await store.put('k', text('0123456789'));

    expect(await read(store, 'k', { range: { start: 0, end: 1 } })).toBe('0');
    expect(await read(store, 'k', { range: { start: 3, end: 7 } })).toBe('3456');
    expect(await read(store, 'k', { range: { start: 8, end: 100 } })).toBe('89');
    expect(await read(store, 'k', { range: { suffix: 4 } })).toBe('6789');
    expect(await read(store, 'k', { range: { suffix: 100 } })).toBe('0123456789');
  });

  it('tells where a range lies', async () => {
    const store = await open();
    await store.put('k', text('0123456789'));

    const content = await store.get('k', { range: { suffix: 3 } });
    content.body.destroy();

    expect(content).toMatchObject({ start: 7, sizeBytes: 3, totalBytes: 10 });
  });

  it('refuses a range that begins past the end', async () => {
    const store = await open();
    await store.put('k', text('0123456789'));

    await expect(store.get('k', { range: { start: 10, end: 12 } })).rejects.toMatchObject({ code: 'integrity' });
  });

  it('reads only the object it is told to (if-match)', async () => {
    const store = await open();
    const { etag } = await store.put('k', text('one'));

    expect(await read(store, 'k', { ifMatch: etag })).toBe('one');
    expect(await read(store, 'k', { ifMatch: etag, range: { start: 1, end: 3 } })).toBe('ne');
    await store.put('k', text('other'));
    await expect(store.get('k', { ifMatch: etag })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('writes only where nothing is (if-absent)', async () => {
    const store = await open();

    await store.put('k', text('mine'), { ifAbsent: true });

    await expect(store.put('k', text('theirs'), { ifAbsent: true })).rejects.toMatchObject({ code: 'conflict' });
    expect(await read(store, 'k')).toBe('mine');
  });

  it('lets exactly one of 24 rivals write with if-absent', async () => {
    const store = await open();
    const rivals = Array.from({ length: 24 }, (_, index) => `rival ${index}`);

    const outcomes = await Promise.allSettled(
      rivals.map((rival) => store.put('new/folder/record', text(rival), { ifAbsent: true })),
    );

    const winners = rivals.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    const codes = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [(outcome.reason as { code: string }).code] : [],
    );
    expect(winners).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set(['conflict']));
    expect(await read(store, 'new/folder/record')).toBe(winners[0]);
  });

  it('replaces only the object it is told to (if-match on a put)', async () => {
    const store = await open();
    const { etag } = await store.put('k', text('one'));
    const [listed] = (await listAll(store)).infos;

    const second = await store.put('k', text('two'), { ifMatch: listed?.etag ?? '' });

    await expect(store.put('k', text('three'), { ifMatch: etag })).rejects.toMatchObject({ code: 'conflict' });
    expect(await read(store, 'k')).toBe('two');
    await store.delete(['k']);
    await expect(store.put('k', text('three'), { ifMatch: second.etag })).rejects.toMatchObject({ code: 'conflict' });
    await expect(store.put('never', text('x'), { ifMatch: etag })).rejects.toMatchObject({ code: 'conflict' });
    expect((await listAll(store)).keys).toEqual([]);
  });

  it('lets exactly one of 12 rivals replace an object with if-match', async () => {
    const store = await open();
    const { etag } = await store.put('folder/record', text('old'));
    const rivals = Array.from({ length: 12 }, (_, index) => `rival ${index}`);

    const outcomes = await Promise.allSettled(
      rivals.map((rival) => store.put('folder/record', text(rival), { ifMatch: etag })),
    );

    const winners = rivals.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    const codes = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [(outcome.reason as { code: string }).code] : [],
    );
    expect(winners).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set(['conflict']));
    expect(await read(store, 'folder/record')).toBe(winners[0]);
  });

  it('tells the time by the clock of its objects, before anything is there and afterwards', async () => {
    const store = await open();
    const second = 1000;

    const before = await store.time();
    await store.put('k', text('x'));
    const written = (await store.head('k'))?.lastModified.getTime() ?? 0;
    const after = await store.time();

    expect((await listAll(store)).keys).toEqual(['k']);
    expect(before.getTime()).toBeLessThan(written + 2 * second);
    expect(after.getTime()).toBeGreaterThan(written - 2 * second);
    expect(Math.abs(after.getTime() - before.getTime())).toBeLessThan(60 * second);
    await expect(store.time(AbortSignal.abort())).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('refuses what was cancelled before it began', async () => {
    const store = await open();
    await store.put('k', text('x'));
    const signal = AbortSignal.abort();

    await expect(store.put('other', text('x'), { signal })).rejects.toMatchObject({ code: 'cancelled' });
    await expect(store.get('k', { signal })).rejects.toMatchObject({ code: 'cancelled' });
    expect(await store.head('other')).toBeUndefined();
  });
}

function describeListings({ open, maxKeys }: ConformanceOptions): void {
  it.each([0, 1, 999, 1000, 1001, 2500].filter((count) => count <= maxKeys))(
    'lists all of %i keys once, in order, and deletes them',
    async (count) => {
      const store = await open();
      const keys = Array.from({ length: count }, (_, index) => `n/${String(index).padStart(5, '0')}`);
      await inParallel(keys, 16, (key) => store.put(key, text('')));

      expect((await listAll(store, { prefix: 'n/' })).keys).toEqual(keys);
      const middle = Math.floor(count / 2);
      expect((await listAll(store, { startAfter: keys[middle] ?? 'n/' })).keys).toEqual(keys.slice(middle + 1));
      expect(await store.delete(keys)).toEqual([]);
      expect((await listAll(store)).keys).toEqual([]);
    },
  );

  it('folds folders, and lists them among the keys in byte order', async () => {
    const store = await open();
    for (const key of ['a-b', 'a/x', 'a/y/z', 'ab', 'b/1', 'c']) await store.put(key, text(key));

    expect(await listAll(store, { delimiter: '/' })).toMatchObject({
      keys: ['a-b', 'ab', 'c'],
      prefixes: ['a/', 'b/'],
    });
    expect(await listAll(store, { delimiter: '/', prefix: 'a/' })).toMatchObject({ keys: ['a/x'], prefixes: ['a/y/'] });
    expect((await listAll(store)).keys).toEqual(['a-b', 'a/x', 'a/y/z', 'ab', 'b/1', 'c']);
    expect((await listAll(store, { prefix: 'a' })).keys).toEqual(['a-b', 'a/x', 'a/y/z', 'ab']);
    expect((await listAll(store, { prefix: 'a/y/z' })).keys).toEqual(['a/y/z']);
  });

  it('goes on after any key or folded folder', async () => {
    const store = await open();
    for (const key of ['a-b', 'a/x', 'a/y/z', 'ab', 'b/1', 'c']) await store.put(key, text(key));

    expect((await listAll(store, { startAfter: 'a/' })).keys).toEqual(['a/x', 'a/y/z', 'ab', 'b/1', 'c']);
    expect((await listAll(store, { startAfter: 'a/x' })).keys).toEqual(['a/y/z', 'ab', 'b/1', 'c']);
    expect((await listAll(store, { startAfter: 'aa' })).keys).toEqual(['ab', 'b/1', 'c']);
    expect((await listAll(store, { startAfter: 'c' })).keys).toEqual([]);
  });

  it('lists what comes after a key and begins with a prefix, wherever the key lies', async () => {
    const store = await open();
    for (const key of ['a/1', 'b-0', 'b/1', 'b/2', 'b/2x/y', 'b/3', 'b0', 'c/1']) await store.put(key, text(key));
    const after = async (startAfter: string): Promise<string[]> => {
      return (await listAll(store, { prefix: 'b/', startAfter })).keys;
    };

    for (const before of ['a', 'a/1', 'b', 'b/', 'b.'])
      expect(await after(before)).toEqual(['b/1', 'b/2', 'b/2x/y', 'b/3']);
    expect(await after('b/1')).toEqual(['b/2', 'b/2x/y', 'b/3']);
    expect(await after('b/11')).toEqual(['b/2', 'b/2x/y', 'b/3']);
    expect(await after('b/2x/')).toEqual(['b/2x/y', 'b/3']);
    for (const behind of ['b/3', 'b/4', 'b0', 'c', 'c/1', 'd']) expect(await after(behind)).toEqual([]);
  });

  it('lists sizes, ETags and times as head tells them', async () => {
    const store = await open();
    await store.put('k', text('12345'));

    const [listed] = (await listAll(store)).infos;
    const head = await store.head('k');

    expect(listed).toMatchObject({ key: 'k', sizeBytes: 5, etag: head?.etag, storageClass: 'STANDARD' });
    expect(Math.abs((listed?.lastModified.getTime() ?? 0) - (head?.lastModified.getTime() ?? 1e9))).toBeLessThan(1000);
  });

  it('deletes what is there and does not mind what is not', async () => {
    const store = await open();
    await store.put('a/b/c', text('x'));
    await store.put('a/b2', text('x'));

    expect(await store.delete(['a/b/c', 'a/b/missing', 'nothing'])).toEqual([]);
    expect(await store.delete([])).toEqual([]);

    expect((await listAll(store)).keys).toEqual(['a/b2']);
    expect((await listAll(store, { delimiter: '/', prefix: 'a/' })).prefixes).toEqual([]);
  });
}

async function allVersions(store: ObjectStore, options?: ListVersionsOptions): Promise<ObjectVersion[]> {
  const found: ObjectVersion[] = [];
  for await (const page of store.listVersions(options)) found.push(...page.versions);
  return found;
}

function describeVersions({ open, maxKeys }: ConformanceOptions): void {
  it('lists every object as a version, odd names included, and deletes it as one', async () => {
    const store = await open();
    const keys = ['data/a b+ü%20', 'data/b', 'data2/c'];
    for (const key of keys) await store.put(key, text(key));

    const below = await allVersions(store, { prefix: 'data/' });

    expect(below).toMatchObject([
      { key: 'data/a b+ü%20', sizeBytes: 14, isCurrent: true, isDeleteMarker: false },
      { key: 'data/b', sizeBytes: 6, isCurrent: true, isDeleteMarker: false },
    ]);
    expect(await store.deleteVersions(below)).toEqual([]);
    expect(await store.deleteVersions(below)).toEqual([]);
    expect((await listAll(store)).keys).toEqual(['data2/c']);
    expect((await allVersions(store)).map(({ key }) => key)).toEqual(['data2/c']);
  });

  it.each([0, 1000, 1001].filter((count) => count <= maxKeys))('lists %i versions once', async (count) => {
    const store = await open();
    const keys = Array.from({ length: count }, (_, index) => `n/${String(index).padStart(5, '0')}`);
    await inParallel(keys, 16, (key) => store.put(key, text('')));

    const versions = await allVersions(store);

    expect(versions.map(({ key }) => key)).toEqual(keys);
    expect(await store.deleteVersions(versions)).toEqual([]);
    expect(await allVersions(store)).toEqual([]);
  });
}

function describeMultipart({ open, beginMultipart }: ConformanceOptions): void {
  it('lists unfinished uploads by prefix, and forgets aborted ones', async () => {
    const store = await open();
    const list = async (prefix: string): Promise<string[]> => {
      const found: string[] = [];
      for await (const { key } of store.listMultipart(prefix)) found.push(key);
      return found;
    };
    const begun = beginMultipart === undefined ? [] : ['data/a b+ü', 'data2/b'];
    const ids: (string | undefined)[] = [];
    for (const key of begun) ids.push(await beginMultipart?.(store.url, key)); // moto lists them as they came

    expect(await list('')).toEqual(begun);
    expect(await list('data/')).toEqual(begun.slice(0, 1));
    await store.abortMultipart('data/a b+ü', ids[0] ?? 'none');
    await store.abortMultipart('data/a b+ü', ids[0] ?? 'none');
    expect(await list('')).toEqual(begun.slice(1));
  });
}

/** Declares the suite for one store. */
export function describeConformance(name: string, options: ConformanceOptions): void {
  describe(`conformance of the ${name}`, () => {
    describeObjects(options);
    describeConditions(options);
    describeListings(options);
    describeVersions(options);
    describeMultipart(options);
  });
}
