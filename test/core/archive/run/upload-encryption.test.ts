// Uploads of encrypted datasets, end to end in this process: what lies in the store, what is kept by the next version, and
// what a writer that may not decrypt can do.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { UploadResult } from '../../../../src/core/archive/upload-result.js';
import { openHeadCache } from '../../../../src/core/dataset/cache/head-cache.js';
import { openManifestCache } from '../../../../src/core/dataset/cache/manifest-cache.js';
import { openView } from '../../../../src/core/dataset/chain/view.js';
import { ArchiverError } from '../../../../src/core/platform/failures/errors.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectStore, WholeStore } from '../../../../src/core/store/object-store.js';
import { filesBelow } from '../../../e2e/upload-cli.js';
import { type FakeKms, fakeKms, KEY_ARN } from '../../../support/fake-kms.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { accessDenied, uploadFolder, type UploadRun, type UploadRunOptions, withAccess } from '../upload-folder.js';
import { raw } from '../../../support/raw.js';

const SECRET = 'patient-4711';
const BOTH = { kmsKeyId: KEY_ARN, encryptManifest: true, keep: false };
const KEEP = { kmsKeyId: undefined, encryptManifest: false, keep: true };
const denied = new ArchiverError('access-denied', 'kms:Decrypt: access denied');

let nextId = 0;

async function setUp() {
  const home = await tempFolder();
  const source = join(home, SECRET);
  mkdirSync(source);
  for (let i = 0; i < 20; i++) writeFileSync(join(source, `${SECRET}-${i}.txt`), `${i}`);
  const kms = fakeKms();
  const base = join(home, 'store');
  /** Which key each object was put with. */
  const keyOf = new Map<string, string | undefined>();
  const run = (options: UploadRunOptions): UploadRun =>
    uploadFolder(source, base, {
      randomBytes: () => Buffer.from([2, 0, ++nextId >> 8, nextId & 0xff]),
      ...options,
      wrap: (store) => {
        const bucket = asBucket(store, kms, keyOf);
        return options.wrap?.(bucket) ?? bucket;
      },
    });
  const sync = (options: UploadRunOptions = {}): UploadRun =>
    run({ encryption: KEEP, changes: { trackDeletes: true }, ...options });
  const read = async ({ uploadId }: UploadResult) =>
    await openView(asBucket(fileStore(base), kms, new Map()), { uploadId });
  const record = ({ datasetId, version }: UploadResult) =>
    JSON.parse(readFileSync(join(base, 'datasets', datasetId, `v0000000${version}.json`), 'utf8')) as Record<
      string,
      unknown
    >;
  return { home, source, base, kms, keyOf, run, sync, read, record };
}

/** A folder that takes keys, as a bucket does. */
const asBucket = (store: WholeStore, kms: FakeKms, keyOf: Map<string, string | undefined>): WholeStore => ({
  ...store,
  url: 's3://bucket/prefix',
  keys: kms,
  put: (key, body, { kmsKeyId, ...options } = {}) => {
    keyOf.set(key, kmsKeyId);
    return store.put(key, body, options);
  },
});

const notes = ({ events }: UploadRun): string[] =>
  events.flatMap((event) => (event.type === 'note' ? [event.text] : []));
const addFile = (source: string): void => writeFileSync(join(source, `${SECRET}-new-${++nextId}`), 'new');

describe('an encrypted upload', () => {
  test('leaves no name in manifest, record or key', async () => {
    const { base, run, home, record, read } = await setUp();
    const commit = '4711'.repeat(10);
    const git = { commit, branch: SECRET, remote: `https://example.org/${SECRET}`, dirty: false };
    const stages = { outs: new Map([[raw(''), SECRET]]), areAll: true };
    const provenance = { git, dvc: { cacheDir: SECRET }, ofEntries: { commit, stages } };
    const result = await run({ encryption: BOTH, provenance }).result;
    const outside = filesBelow(base).filter((path) => !path.endsWith('.tar.zst'));

    expect(outside).toHaveLength(2);
    for (const path of outside) {
      expect(path).not.toContain(SECRET);
      const text = readFileSync(join(base, path)).toString('latin1');
      for (const name of [SECRET, home, 'test-host', commit]) expect(text).not.toContain(name);
    }
    expect((await read(result)).head).toMatchObject({ git, dvc: { cacheDir: SECRET } });
    expect(result.datasetId).toMatch(/^data-[0-9a-f]{8}$/);
    expect(record(result)).toMatchObject({ source: {}, encryption: { kmsKeyId: KEY_ARN, manifest: true } });
  });

  test('has its chunks encrypted by the store, and nothing else', async () => {
    const { run, keyOf } = await setUp();
    await run({ encryption: BOTH }).result;

    for (const [key, kmsKeyId] of keyOf)
      expect([key, kmsKeyId]).toEqual([key, key.endsWith('.zst') ? KEY_ARN : undefined]);
  });

  test('with --kms-key-id alone has a manifest that everybody reads, and says the key in it', async () => {
    const { base, run, keyOf, record } = await setUp();
    const result = await run({ encryption: { ...BOTH, encryptManifest: false } }).result;
    const { head, chain } = await openView(fileStore(base), result);

    expect(head.storage).toMatchObject({ kmsKeyId: KEY_ARN });
    expect(chain[0]?.sealedBy).toBeUndefined();
    expect(new Set(keyOf.values())).toEqual(new Set([KEY_ARN, undefined]));
    expect(result.datasetId).toContain(SECRET);
    expect(record(result)).toMatchObject({ encryption: { manifest: false }, source: { host: 'test-host' } });
  });

  test('sends nothing when there is no data key to be had', async () => {
    const { run, kms } = await setUp();
    kms.generate = () => Promise.reject(new ArchiverError('access-denied', 'kms:GenerateDataKey: access denied'));
    const attempt = run({ encryption: BOTH });

    await expect(attempt.result).rejects.toMatchObject({ code: 'access-denied' });
    expect(attempt.calls.filter((call) => call.startsWith('put'))).toEqual([]);
  });

  test('asks for no key in a dry run', async () => {
    const { run, kms } = await setUp();
    await run({ encryption: BOTH, dryRun: true }).result;

    expect(kms.calls).toEqual([]);
  });
});

describe('the next version', () => {
  test('is encrypted without a word about it, which is said once', async () => {
    const { source, run, sync, read, record, keyOf } = await setUp();
    const first = await run({ encryption: BOTH }).result;
    addFile(source);
    const second = sync();
    const result = await second.result;
    const view = await read(result);

    expect(result).toMatchObject({ datasetId: first.datasetId, version: 2 });
    expect(view.chain.map(({ sealedBy }) => sealedBy)).toEqual([KEY_ARN, KEY_ARN]);
    expect(view.totals.files).toBe(21);
    expect(record(result)).toMatchObject({ listing: 'delta', source: {} });
    expect(notes(second)).toEqual([`chunks and manifest are encrypted with ${KEY_ARN}, as in the version before`]);
    expect([...keyOf].filter(([key, kmsKeyId]) => key.endsWith('.zst') && kmsKeyId === undefined)).toEqual([]);
  });

  test('is not written when nothing changed, and costs no data key', async () => {
    const { run, sync, kms } = await setUp();
    await run({ encryption: BOTH }).result;
    kms.calls.length = 0;

    expect((await sync().result).changes).toMatchObject({ noChanges: true });
    expect(kms.calls).toEqual(['decrypt']);
  });

  test('written anew with --force is encrypted too', async () => {
    const { run, sync, read } = await setUp();
    const { datasetId } = await run({ encryption: BOTH }).result;
    const result = await sync({ changes: undefined }).result;

    expect(result).toMatchObject({ datasetId, version: 2 });
    expect((await read(result)).chain[0]?.sealedBy).toBe(KEY_ARN);
  });

  test('is encrypted with another key when one is given', async () => {
    const { source, run, sync, read } = await setUp();
    await run({ encryption: BOTH }).result;
    addFile(source);
    const result = await sync({ encryption: { ...KEEP, kmsKeyId: 'another' } }).result;

    expect((await read(result)).chain.map(({ sealedBy }) => sealedBy)).toEqual(['another', KEY_ARN]);
  });

  test('keeps the key of chunks alone, too', async () => {
    const { source, run, sync, keyOf } = await setUp();
    await run({ encryption: { ...BOTH, encryptManifest: false } }).result;
    addFile(source);
    keyOf.clear();
    const { result, ...second } = sync();
    await result;

    expect([...keyOf.values()]).toContain(KEY_ARN);
    expect(notes({ ...second, result })).toEqual([`chunks are encrypted with ${KEY_ARN}, as in the version before`]);
  });

  test('of a plain upload follows its own flags, in a dataset of its own', async () => {
    const { run, read } = await setUp();
    const first = await run({ encryption: BOTH }).result;
    const result = await run({}).result;

    expect(result.datasetId).not.toBe(first.datasetId);
    expect((await read(result)).chain[0]?.sealedBy).toBeUndefined();
  });

  test('of a dataset that is not encrypted stays so', async () => {
    const { source, run, sync, read } = await setUp();
    await run({}).result;
    addFile(source);
    const second = sync();
    const result = await second.result;

    expect(result.version).toBe(2);
    expect((await read(result)).chain.map(({ sealedBy }) => sealedBy)).toEqual([undefined, undefined]);
    expect(notes(second)).toEqual([]);
  });

  test('beaten by a rival is sealed for the upload id that it gets then', async () => {
    const { home, source, run, sync, read } = await setUp();
    const { datasetId } = await run({ encryption: BOTH }).result;
    addFile(source);
    const other = join(home, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'theirs'), 'of the rival');
    const changes = { trackDeletes: false };
    let rival: UploadResult | undefined;
    const withRival = (store: ObjectStore): ObjectStore => ({
      ...store,
      put: async (key, body, options) => {
        if (key.endsWith('v00000002.json')) rival ??= await sync({ source: other, datasetId, changes }).result;
        return await store.put(key, body, options);
      },
    });
    const result = await sync({ wrap: withRival, changes }).result;

    expect([rival?.version, result.version]).toEqual([2, 3]);
    expect((await read(result)).chain.map(({ sealedBy }) => sealedBy)).toEqual([KEY_ARN, KEY_ARN, KEY_ARN]);
  });

  test('cannot be written to a folder that is a copy', async () => {
    const { base, source, run } = await setUp();
    const { datasetId } = await run({ encryption: BOTH }).result;
    const kms = fakeKms();
    const copy = uploadFolder(source, base, {
      encryption: KEEP,
      changes: undefined,
      datasetId,
      wrap: (store) => ({ ...store, keys: kms }),
    });

    await expect(copy.result).rejects.toMatchObject({
      code: 'unsupported',
      message: `a folder cannot encrypt with KMS, as the version before is (${KEY_ARN})`,
    });
  });
});

describe('a writer that may not decrypt', () => {
  async function writer() {
    const made = await setUp();
    const folder = join(made.home, 'manifest-cache');
    const caches = () => ({
      cache: openManifestCache({ folder, limitBytes: 1e6 }),
      heads: openHeadCache(folder, (text) => {
        throw new Error(text);
      }),
    });
    await made.sync({ encryption: { ...BOTH, keep: true }, ...caches() }).result;
    made.kms.deny = denied;
    return { ...made, folder, caches };
  }

  test('compares with what its cache holds, and its deltas are encrypted', async () => {
    const { source, sync, caches, kms, read } = await writer();
    expect((await sync(caches()).result).changes).toMatchObject({ noChanges: true });
    addFile(source);
    const result = await sync(caches()).result;

    kms.deny = undefined;
    const view = await read(result);
    expect(view.head.listing).toBe('delta');
    expect(view.chain.map(({ sealedBy }) => sealedBy)).toEqual([KEY_ARN, KEY_ARN]);
  });

  test('without its cache writes a full version, which is encrypted as the record says', async () => {
    const { folder, sync, caches, kms, read } = await writer();
    rmSync(folder, { recursive: true });
    const again = sync(caches());
    const result = await again.result;

    kms.deny = undefined;
    const view = await read(result);
    expect(view.head.listing).toBe('full');
    expect(view.chain[0]?.sealedBy).toBe(KEY_ARN);
    expect(notes(again)).toContain(
      'this writer may not read, and remembers nothing that the store still has: a full version',
    );
  });

  test('and may neither read nor list does not write in clear because what it remembered is damaged', async () => {
    const { folder, sync, caches, kms } = await writer();
    const asked = (options: UploadRunOptions): UploadRun =>
      sync({
        ...options,
        datasetId: 'lab',
        wrap: (store) => withAccess(store, 'may neither read nor list', () => ''),
      });
    kms.deny = undefined;
    await asked({ ...caches(), encryption: { ...BOTH, keep: true } }).result;
    kms.deny = denied;
    for (const name of readdirSync(folder)) if (name.endsWith('.head.json')) writeFileSync(join(folder, name), 'torn');
    const damaged = { ...caches(), heads: openHeadCache(folder, () => undefined) };

    await expect(asked(damaged).result).rejects.toMatchObject({
      code: 'access-denied',
      message: 'whether dataset lab is encrypted is not known any more, and this writer may not read it',
      hint: expect.stringContaining('--no-encrypt-manifest'),
    });
    expect((await asked({ ...damaged, encryption: { ...KEEP, keep: false } }).result).version).toBe(2);
  });

  test('and may not read either needs its cache to know the key, or is told what to give', async () => {
    const { folder, sync, caches, kms, read } = await writer();
    const unreadable = (store: ObjectStore): ObjectStore => ({
      ...store,
      get: () => Promise.reject(accessDenied('s3:GetObject')),
    });
    const forced = await sync({ ...caches(), changes: undefined, wrap: unreadable }).result;
    rmSync(folder, { recursive: true });

    await expect(sync({ ...caches(), wrap: unreadable }).result).rejects.toMatchObject({
      code: 'access-denied',
      message: expect.stringMatching(
        /^dataset data-[0-9a-f]{8} is encrypted, with which key is not known, and this writer may not read it$/,
      ),
      hint: 'give --kms-key-id and --encrypt-manifest',
    });
    kms.deny = undefined;
    expect((await read(forced)).chain[0]?.sealedBy).toBe(KEY_ARN);
  });
});
