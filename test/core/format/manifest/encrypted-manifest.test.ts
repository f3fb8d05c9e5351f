import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readView } from '../../../../src/core/dataset/chain/read-view.js';
import { openView, type View } from '../../../../src/core/dataset/chain/view.js';
import { openManifestCache } from '../../../../src/core/dataset/cache/manifest-cache.js';
import { ArchiverError } from '../../../../src/core/platform/failures/errors.js';
import type { KeyService } from '../../../../src/core/store/key-service.js';
import { manifestContext } from '../../../../src/core/format/encryption/place.js';
import { seal } from '../../../../src/core/format/encryption/seal.js';
import { fetchManifest, openStored } from '../../../../src/core/format/manifest/loaded-manifest.js';
import { readManifest } from '../../../../src/core/format/manifest/manifest-reader.js';
import type { ObjectReader } from '../../../../src/core/store/object-store.js';
import { readOnly } from '../../../../src/core/store/read-only.js';
import { type FakeKms, fakeKms, KEY_ARN } from '../../../support/fake-kms.js';
import { makeArchive, UPLOAD_ID } from '../../../support/make-archive.js';
import { makeChain, linkId, linkKey } from '../../../support/make-chain.js';
import { memoryReader } from '../../../support/memory-reader.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { loadManifest } from '../../../support/load-manifest.js';
import { asUploadId } from '../../../support/as-upload-id.js';
import { verifyMade } from '../../../support/verify-made.js';

async function sealAt(objects: Map<string, Buffer>, uploadId: string, kms: FakeKms): Promise<void> {
  const place = `uploads/${uploadId}`;
  const context = manifestContext(place);
  const key = `${place}/manifest.json.gz`;
  objects.set(
    key,
    seal(objects.get(key) ?? Buffer.alloc(0), { key: await kms.generate(KEY_ARN, context), context, place }),
  );
}

/** Two thousand files: the manifest has several frames when it is not compressible. */
async function encrypted() {
  const kms = fakeKms();
  const noise = (index: number): string => createHash('sha256').update(String(index)).digest('hex').repeat(2);
  const files = Array.from({ length: 2000 }, (_, index) => ({ path: `f-${noise(index)}`, content: `${index}` }));
  const { objects, manifestKey } = makeArchive({ files });
  const plain = objects.get(manifestKey) ?? Buffer.alloc(0);
  await sealAt(objects, UPLOAD_ID, kms);
  const reader = (keys: KeyService | undefined = kms): ObjectReader => ({
    ...memoryReader(objects),
    ...(keys === undefined ? {} : { keys }),
  });
  return { kms, objects, manifestKey, plain, reader, stored: objects.get(manifestKey) ?? Buffer.alloc(0) };
}

const denied = new ArchiverError('access-denied', 'kms:Decrypt with K: access denied', {
  hint: 'kms:Decrypt is needed',
});

test('is read as a stream, and its digest is that of what is stored', async () => {
  const { reader, stored } = await encrypted();
  const paths: string[] = [];

  const read = await readManifest(reader(), { uploadId: UPLOAD_ID, onEntry: ({ path }) => paths.push(path) });

  expect(paths).toHaveLength(2000);
  expect(read).toMatchObject({
    sealedBy: KEY_ARN,
    storedBytes: stored.length,
    sha256: createHash('sha256').update(stored).digest('hex'),
  });
});

test('is read by what only reads, for its head alone too', async () => {
  const { reader } = await encrypted();

  const view = await readView(readOnly(reader()), { uploadId: UPLOAD_ID, headOnly: true });

  expect(view).toMatchObject({ sealedBy: KEY_ARN, head: { totals: { files: 2000 } } });
});

test('is opened when its bytes are at hand, and never taken for damage by those who do not open it', async () => {
  const { reader, plain } = await encrypted();
  const stored = await fetchManifest(reader(), UPLOAD_ID);

  expect((await openStored(reader(), UPLOAD_ID, stored)).bytes.equals(plain)).toBe(true);
  await expect(loadManifest(UPLOAD_ID, stored)).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('is encrypted'),
  });
});

describe('without kms:Decrypt', () => {
  const sentence = `the manifest uploads/${UPLOAD_ID}/manifest.json.gz is encrypted with ${KEY_ARN} and cannot be opened: kms:Decrypt with K: access denied`;

  test('one sentence names the key and the action, nothing else is read', async () => {
    const { kms, reader } = await encrypted();
    kms.deny = denied;
    const expected = { code: 'access-denied', message: sentence, hint: 'kms:Decrypt is needed' };

    await expect(readManifest(reader(), { uploadId: UPLOAD_ID })).rejects.toMatchObject(expected);
    await expect(openView(reader(), { uploadId: UPLOAD_ID })).rejects.toMatchObject(expected);
  });

  test('a place without a key service says that', async () => {
    const { objects } = await encrypted();

    await expect(readManifest(memoryReader(objects), { uploadId: UPLOAD_ID })).rejects.toMatchObject({
      code: 'unsupported',
      message: `the manifest uploads/${UPLOAD_ID}/manifest.json.gz is encrypted with ${KEY_ARN}, and cannot be decrypted here`,
    });
  });
});

describe('damage', () => {
  const read = async (bend: (stored: Buffer) => Buffer): Promise<{ entries: number; error: unknown }> => {
    const { objects, manifestKey, stored, reader } = await encrypted();
    objects.set(manifestKey, bend(Buffer.from(stored)));
    let entries = 0;
    const error: unknown = await readManifest(reader(), { uploadId: UPLOAD_ID, onEntry: () => entries++ }).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    return { entries, error };
  };

  test.each([
    ['a flipped bit in the first frame', (stored: Buffer) => flip(stored, 1000), /frame 1 of \d+ was changed/],
    ['a flipped bit at the end', (stored: Buffer) => flip(stored, stored.length - 1), /frame (\d+) of \1 was changed/],
    ['a cut', (stored: Buffer) => stored.subarray(0, -1), /is cut off in frame (\d+) of \1/],
    ['something after it', (stored: Buffer) => Buffer.concat([stored, Buffer.from('}')]), /has data after the end/],
  ])('%s is named as what it is', async (_name, bend, message) => {
    const { error } = await read(bend);

    expect(error).toMatchObject({ code: 'integrity', message: expect.stringMatching(message) });
  });

  test('nothing of a frame that does not fit is parsed', async () => {
    expect((await read((stored) => flip(stored, 1000))).entries).toBe(0);
  });

  test('a manifest that was moved to another upload is refused for that', async () => {
    const { objects, stored, reader } = await encrypted();
    const other = UPLOAD_ID.replace('1a2b3c4d', 'ffffffff');
    objects.set(`uploads/${other}/manifest.json.gz`, stored);

    await expect(readManifest(reader(), { uploadId: asUploadId(other) })).rejects.toMatchObject({
      code: 'integrity',
      message: `the manifest uploads/${other}/manifest.json.gz is an encrypted one that was written as that of uploads/${UPLOAD_ID}`,
    });
  });

  test('verify counts it as an error of the upload', async () => {
    const { objects, manifestKey, stored, reader } = await encrypted();
    const run = () => verifyMade(reader(), UPLOAD_ID, { mode: 'quick' });

    expect(await run()).toMatchObject({ ok: true, files: 2000 });
    objects.set(manifestKey, flip(stored, 1000));
    expect(await run()).toMatchObject({ ok: false, errors: [{ message: expect.stringContaining('frame 1') }] });
  });
});

describe('a chain of encrypted manifests', () => {
  async function chain() {
    const kms = fakeKms();
    const made = makeChain(['a', 'b', 'c'].map((path) => ({ files: [{ path, content: path }] })));
    for (const [link, uploadId] of made.uploadIds.entries()) {
      if (link > 0) made.rewrite(link, (manifest) => Object.assign(manifest, { previous: before(link) }));
      await sealAt(made.objects, uploadId, kms);
    }
    function before(link: number) {
      return { uploadId: linkId(link - 1), sha256: digestAt(link - 1) };
    }
    function digestAt(link: number) {
      return createHash('sha256')
        .update(made.objects.get(linkKey(link)) ?? '')
        .digest('hex');
    }
    return { kms, made, reader: { ...memoryReader(made.objects), keys: kms }, newest: digestAt(2) };
  }
  const pathsOf = async (view: View): Promise<string[]> => {
    const paths: string[] = [];
    for await (const batch of view.entries()) paths.push(...batch.map(({ path }) => path));
    return paths;
  };

  test('is followed by the digests of what is stored', async () => {
    const { reader } = await chain();
    const view = await openView(reader, { uploadId: linkId(2) });

    expect(await pathsOf(view)).toEqual(['a', 'b', 'c']);
    expect(view.chain.map(({ sealedBy }) => sealedBy)).toEqual([KEY_ARN, KEY_ARN, KEY_ARN]);
    expect(await readView(reader, { uploadId: linkId(2), headOnly: true })).toMatchObject({ sealedBy: KEY_ARN });
  });

  test('one of which took the place of another is refused', async () => {
    const { made, kms, reader } = await chain();
    made.rewrite(1, (manifest) => Object.assign(manifest, { tool: 'another' }));
    await sealAt(made.objects, linkId(1), kms);

    await expect(openView(reader, { uploadId: linkId(2) })).rejects.toThrow(/is not the one that was recorded/);
  });

  test('is read from the cache without the key service, and the cache still says which key it was', async () => {
    const { kms, reader, newest } = await chain();
    const cache = openManifestCache({ folder: await tempFolder(), limitBytes: 1e6 });
    await openView(reader, { uploadId: linkId(2), cache });
    kms.deny = denied;

    const view = await openView(reader, { uploadId: linkId(2), sha256: newest, cache });

    expect(await pathsOf(view)).toEqual(['a', 'b', 'c']);
    expect(view.chain[0]).toMatchObject({ sealedBy: KEY_ARN, sha256: newest });
  });
});

const flip = (bytes: Buffer, at: number): Buffer => {
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
};
