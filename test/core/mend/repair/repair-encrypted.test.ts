import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import type { ManifestCache } from '../../../../src/core/dataset/cache/manifest-cache.js';
import { encodeVersionRecord, recordKey } from '../../../../src/core/dataset/records/version-record.js';
import { expectedIn } from '../../../../src/core/dataset/records/assert-expected.js';
import { openView } from '../../../../src/core/dataset/chain/view.js';
import { ArchiverError } from '../../../../src/core/platform/failures/errors.js';
import { ManifestSealer } from '../../../../src/core/format/manifest/manifest-sealer.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import { fakeKms, KEY_ARN } from '../../../support/fake-kms.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { noise } from '../../archive/trees.js';
import { flipBit, loseManifest, manifestPath, recordOf, repair, signal, uploaded } from './repair-cases.js';
import { asUploadId } from '../../../support/as-upload-id.js';

let source = '';
let base = '';

beforeEach(async () => {
  const home = await tempFolder();
  source = join(home, 'source');
  base = join(home, 'store');
  mkdirSync(source);
});

describe('an encrypted manifest', () => {
  const keys = fakeKms();
  const wrap = (store: ObjectStore): ObjectStore => ({ ...store, keys });

  /** Encrypts the manifest of an upload, and its record with it, as an upload to S3 would. */
  async function sealed(): Promise<string> {
    for (let i = 0; i < 45; i++) writeFileSync(join(source, `file-${i}`), noise(2000));
    const id = await uploaded(source, base);
    const store = wrap(fileStore(base));
    const sealer = new ManifestSealer({ store, uploadId: asUploadId(id), kmsKeyId: KEY_ARN, signal });
    const { bytes, sha256 } = await sealer.seal({ bytes: readFileSync(manifestPath(base, id)), sha256: '' });
    writeFileSync(manifestPath(base, id), bytes);
    const { digest: _digest, ...record } = await recordOf(base, id);
    const encryption = { kmsKeyId: KEY_ARN, manifest: true };
    const encoded = encodeVersionRecord({ ...record, manifestSha256: sha256, source: {}, encryption });
    await store.put(recordKey({ datasetId: record.datasetId, version: 1 }), encoded);
    return id;
  }

  async function pathsOf(id: string): Promise<number> {
    const { manifestSha256 } = await recordOf(base, id);
    const view = await openView(wrap(fileStore(base)), { uploadId: asUploadId(id), sha256: manifestSha256 });
    expect(view.chain[0]?.sealedBy).toBe(KEY_ARN);
    return view.totals.files;
  }

  test('that is sound stays', async () => {
    const id = await sealed();

    expect(await repair(base, id, { wrap })).toMatchObject({ status: 'sound' });
  });

  test('is encrypted again with the same key, whether it is lost or damaged', async () => {
    const id = await sealed();
    loseManifest(base, id);

    const lost = await repair(base, id, { wrap });
    const files = await pathsOf(id);
    flipBit(manifestPath(base, id), 900);
    const damaged = await repair(base, id, { wrap });

    expect([lost, damaged]).toMatchObject([
      { status: 'repaired', lost: [], rebuilt: { encryptedBy: KEY_ARN } },
      { status: 'repaired', lost: [], rebuilt: { encryptedBy: KEY_ARN } },
    ]);
    expect([files, await pathsOf(id)]).toEqual([45, 45]);
    expect(readFileSync(manifestPath(base, id)).subarray(0, 8).toString()).toBe('ARCHENC1');
  });

  test('comes back from the cache, encrypted again, and stands in for the one that is lost', async () => {
    const id = await sealed();
    const { manifestSha256: old } = await recordOf(base, id);
    const opened = await openView(wrap(fileStore(base)), { uploadId: asUploadId(id), sha256: old });
    const [{ bytes = Buffer.alloc(0) } = {}] = opened.chain;
    const cache: ManifestCache = {
      get: (sha256) => Promise.resolve(sha256 === old ? { bytes, sealedBy: KEY_ARN } : undefined),
      put: () => Promise.resolve(),
    };
    loseManifest(base, id);

    const result = await repair(base, id, { wrap, cache });

    expect(result).toMatchObject({ isProven: true, parts: [{ from: 'cache' }], rebuilt: { encryptedBy: KEY_ARN } });
    expect(await pathsOf(id)).toBe(45);
    const { datasetId } = await recordOf(base, id);
    const expected = expectedIn(datasetId, [old]);
    expect(
      (await openView(wrap(fileStore(base)), { uploadId: asUploadId(id), sha256: expected })).head.replaces,
    ).toEqual([old]);
    expect(readFileSync(manifestPath(base, id)).subarray(0, 8).toString()).toBe('ARCHENC1');
  });

  test('whose key is not to be had is not taken for damaged', async () => {
    const id = await sealed();
    keys.deny = new ArchiverError('access-denied', 'kms:Decrypt is not allowed');

    await expect(repair(base, id, { wrap })).rejects.toMatchObject({ code: 'access-denied' });
    keys.deny = undefined;
  });

  test('is never replaced by one in the clear', async () => {
    const id = await sealed();
    rmSync(join(base, 'datasets'), { recursive: true });
    flipBit(manifestPath(base, id), 900);

    await expect(repair(base, id, { wrap })).rejects.toMatchObject({
      code: 'integrity',
      message: expect.stringContaining('names the key') as string,
    });
  });
});
