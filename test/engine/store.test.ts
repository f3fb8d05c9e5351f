import { onTestFinished, describe, expect, test } from 'vitest';
import { archive, datasets, isArchiverError, openStore, type StoreOptions, versions } from '../../src/engine/index.js';
import { engineStore } from '../support/engine-store.js';
import { errorAnswer, startMemoryS3 } from '../support/memory-s3.js';
import { tempFolder } from '../support/temp-folder.js';

describe('openStore', () => {
  test('takes URLs of buckets and folders, and absolute paths', async () => {
    const folder = await tempFolder();
    for (const url of [folder, `file://${folder}`, `file://${folder}/`])
      expect((await openStore(url)).url).toBe(`file://${folder}`);
    expect((await openStore('s3://bucket/some/place/', { region: 'eu-west-1' })).url).toBe('s3://bucket/some/place');
  });

  test.each<[string, StoreOptions, string]>([
    ['somewhere', {}, 'is not a store URL'],
    ['./here', {}, 'is not a store URL'],
    ['file:///a/uploads/20251114-093012-1a2b3c4d', {}, 'is an upload'],
    ['/a', { home: 'here' }, 'home must be an absolute path'],
  ])('refuses %s with %j', async (url, options, message) => {
    await expect(openStore(url, options)).rejects.toMatchObject({
      name: 'ArchiverError',
      code: 'usage',
      message: expect.stringContaining(message),
    });
  });

  test('a store that is closed, or of somewhere else, is refused by every operation', async () => {
    const { store } = await engineStore();
    store.close();
    store.close();

    await expect(datasets(store)).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining('closed') });
    await expect(versions({ ...store })).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('a bucket', () => {
  const KEYS = { accessKeyId: 'AKIDGIVEN', secretAccessKey: 'secret' };
  const variables = { AWS_ACCESS_KEY_ID: 'AKIDENV', AWS_SECRET_ACCESS_KEY: 'secret' };

  async function bucket() {
    const s3 = await startMemoryS3('bucket');
    onTestFinished(() => s3.close());
    const keyIds = (): readonly string[] =>
      s3.requests.map(({ headers }) => /Credential=([^/]*)/.exec(headers.authorization ?? '')?.[1] ?? '');
    return { s3, keyIds, where: { endpointUrl: s3.endpoint, region: 'us-east-1' } };
  }

  test.each<[string, StoreOptions, string]>([
    ['keys', { credentials: KEYS, env: variables }, 'AKIDGIVEN'],
    ['a function', { credentials: () => Promise.resolve({ ...KEYS, sessionToken: 't' }) }, 'AKIDGIVEN'],
    ['variables that are given', { env: variables }, 'AKIDENV'],
  ])('is asked with %s, whatever the process has', async (_what, options, keyId) => {
    const { keyIds, where } = await bucket();
    const before = process.env['AWS_ACCESS_KEY_ID'];
    process.env['AWS_ACCESS_KEY_ID'] = 'AKIDPROCESS';
    onTestFinished(() => {
      if (before === undefined) delete process.env['AWS_ACCESS_KEY_ID'];
      else process.env['AWS_ACCESS_KEY_ID'] = before;
    });

    const store = await openStore('s3://bucket/lab', { ...where, ...options });
    expect(await datasets(store)).toEqual({ datasets: [], warnings: [] });

    expect(new Set(keyIds())).toEqual(new Set([keyId]));
    expect(store.requests).toMatchObject({ list: 1, put: 0 });
  });

  test('tells whoever works on it what is tried again', async () => {
    const { s3, where } = await bucket();
    let failures = 1;
    s3.rules.answer = () => (failures-- > 0 ? errorAnswer(503, 'SlowDown') : undefined);
    const store = await openStore('s3://bucket', { ...where, credentials: KEYS });
    const types: string[] = [];

    await datasets(store, { onEvent: ({ type }) => types.push(type) });

    expect(types).toContain('retry');
  });

  test('says what is denied, in an error with a code', async () => {
    const { s3, where } = await bucket();
    s3.rules.answer = () => errorAnswer(403, 'AccessDenied');
    const store = await openStore('s3://bucket', { ...where, credentials: KEYS });

    const error: unknown = await datasets(store).catch((thrown: unknown) => thrown);

    expect(isArchiverError(error, 'access-denied')).toBe(true);
    expect(isArchiverError(error, 'not-found')).toBe(false);
  });

  test('keeps an archive', async () => {
    const { where } = await bucket();
    const { source } = await engineStore();
    const store = await openStore('s3://bucket/lab', { ...where, credentials: KEYS });

    const { location, version } = await archive(store, source, { datasetId: 'photos' });

    expect([version, location]).toEqual([1, expect.stringMatching(/^s3:\/\/bucket\/lab\/uploads\//)]);
    expect((await versions(store, { dataset: 'photos' })).versions).toHaveLength(1);
  });
});
