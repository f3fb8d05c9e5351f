import { createDecipheriv, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { FRAME_BYTES, TAG_BYTES } from '../../../../src/core/format/encryption/envelope.js';
import { manifestContext } from '../../../../src/core/format/encryption/place.js';
import { seal } from '../../../../src/core/format/encryption/seal.js';
import { unsealBytes } from '../../../../src/core/format/encryption/unseal-bytes.js';
import { Unsealer, type UnsealOptions } from '../../../../src/core/format/encryption/unsealer.js';
import { fakeKms, KEY_ARN } from '../../../support/fake-kms.js';

const PLACE = 'writers/nas/uploads/20251114-093012-1a2b3c4d';
const context = manifestContext(PLACE);

async function sealed(content: Buffer, kms = fakeKms()) {
  const key = await kms.generate(KEY_ARN, context);
  const dataKey = Buffer.from(key.dataKey);
  const envelope = seal(content, { key, context, place: PLACE });
  const headerBytes = 12 + envelope.readUInt32LE(8);
  const options: UnsealOptions = {
    what: 'the manifest M',
    place: PLACE,
    context,
    openKey: (wrapped) => kms.decrypt(wrapped, context),
  };
  return { envelope, headerBytes, dataKey, options, kms };
}

const frameAt = (index: number): number => index * (FRAME_BYTES + TAG_BYTES);
const opened = async (envelope: Buffer, options: UnsealOptions): Promise<Buffer> =>
  (await unsealBytes(envelope, options)).bytes;

describe.each([0, 1, FRAME_BYTES - 1, FRAME_BYTES, FRAME_BYTES + 1, 3 * FRAME_BYTES])(
  'a content of %i bytes',
  (size) => {
    test('comes back, in pieces of any size', async () => {
      const content = randomBytes(size);
      const { envelope, options } = await sealed(content);

      const { bytes, sealedBy } = await unsealBytes(envelope, options);
      expect([bytes.equals(content), sealedBy]).toEqual([true, KEY_ARN]);
      for (const step of [1009, FRAME_BYTES, FRAME_BYTES + TAG_BYTES]) {
        const unsealer = new Unsealer(options);
        const parts: Buffer[] = [];
        for (let at = 0; at < envelope.length; at += step)
          parts.push(...(await unsealer.push(envelope.subarray(at, at + step))));
        unsealer.finish();
        expect(Buffer.concat(parts).equals(content)).toBe(true);
      }
    });
  },
);

test('the layout is that of docs/format.md', async () => {
  const content = randomBytes(FRAME_BYTES + 5);
  const { envelope, headerBytes, dataKey } = await sealed(content);
  const header = JSON.parse(envelope.toString('utf8', 12, headerBytes)) as Record<string, unknown>;
  const aad = Buffer.concat([
    envelope.subarray(0, headerBytes),
    Buffer.from(`{"archiver:format":"1","archiver:kind":"manifest","archiver:upload":"${PLACE}"}`),
  ]);
  const frame = (bytes: Buffer, nonce: string): Buffer => {
    const decipher = createDecipheriv('aes-256-gcm', dataKey, Buffer.from(nonce, 'hex'));
    decipher.setAAD(aad).setAuthTag(bytes.subarray(-16));
    return Buffer.concat([decipher.update(bytes.subarray(0, -16)), decipher.final()]);
  };
  const body = envelope.subarray(headerBytes);

  expect(envelope.toString('latin1', 0, 8)).toBe('ARCHENC1');
  expect(header).toEqual({
    format: 1,
    algorithm: 'AES-256-GCM',
    upload: PLACE,
    size: FRAME_BYTES + 5,
    kmsKeyId: KEY_ARN,
    wrappedKey: expect.any(String),
  });
  expect(frame(body.subarray(0, frameAt(1)), '000000000000000000000000').equals(content.subarray(0, FRAME_BYTES))).toBe(
    true,
  );
  expect(frame(body.subarray(frameAt(1)), '000000000000000000000101')).toEqual(content.subarray(FRAME_BYTES));
});

test('any bit that is flipped is noticed, and nothing comes out', async () => {
  const { envelope, options } = await sealed(Buffer.from('{"files":[]}'));
  for (let at = 0; at < envelope.length; at++) {
    for (const bit of [1, 128]) {
      const flipped = Buffer.from(envelope);
      flipped[at] = (flipped[at] ?? 0) ^ bit;
      const outcome = await opened(flipped, options).then(
        (bytes) => (bytes.equals(flipped) && at < 7 ? 'not taken for sealed' : `opened with byte ${at} flipped`),
        (error: { code?: string }) => error.code,
      );
      expect(['integrity', 'unsupported', 'not taken for sealed']).toContain(outcome);
    }
  }
});

describe('frames', () => {
  const three = () => sealed(randomBytes(3 * FRAME_BYTES - 10));

  test('swapped are each refused, before anything of them comes out', async () => {
    const { envelope, headerBytes, options } = await three();
    const body = envelope.subarray(headerBytes);
    const swapped = Buffer.concat([
      envelope.subarray(0, headerBytes),
      body.subarray(frameAt(1), frameAt(2)),
      body.subarray(0, frameAt(1)),
      body.subarray(frameAt(2)),
    ]);
    const unsealer = new Unsealer(options);

    await expect(unsealer.push(swapped)).rejects.toMatchObject({
      code: 'integrity',
      message: 'the manifest M is damaged: frame 1 of 3 was changed, or does not belong there',
    });
  });

  test('that are missing at the end are noticed', async () => {
    const { envelope, headerBytes, options } = await three();
    for (const [length, where] of [
      [headerBytes + frameAt(2), 'frame 3 of 3'],
      [envelope.length - 1, 'frame 3 of 3'],
      [headerBytes + 5, 'frame 1 of 3'],
      [headerBytes - 1, 'its encryption header'],
      [10, 'its encryption header'],
    ] as const) {
      await expect(opened(envelope.subarray(0, length), options)).rejects.toMatchObject({
        code: 'integrity',
        message: `the manifest M is cut off in ${where}`,
      });
    }
  });

  test('of a shorter envelope with the same key do not make its end', async () => {
    const kms = fakeKms();
    const key = await kms.generate(KEY_ARN, context);
    const content = randomBytes(2 * FRAME_BYTES);
    const again = (bytes: Buffer): Buffer => seal(bytes, { key, context, place: PLACE });
    const long = again(content);
    const short = again(content.subarray(0, FRAME_BYTES));
    const { options } = await sealed(content, kms);
    const headerBytes = 12 + short.readUInt32LE(8);
    const cut = Buffer.concat([
      short.subarray(0, headerBytes),
      long.subarray(12 + long.readUInt32LE(8)).subarray(0, frameAt(1)),
    ]);

    await expect(opened(cut, options)).rejects.toThrow(/frame 1 of 1 was changed/);
  });

  test('or anything else after the last one are refused', async () => {
    const { envelope, options } = await three();

    await expect(opened(Buffer.concat([envelope, Buffer.from('x')]), options)).rejects.toMatchObject({
      code: 'integrity',
      message: 'the manifest M has data after the end of the encrypted content',
    });
  });
});

describe('a header', () => {
  const withHeader = (envelope: Buffer, change: (header: Record<string, unknown>) => void): Buffer => {
    const end = 12 + envelope.readUInt32LE(8);
    const header = JSON.parse(envelope.toString('utf8', 12, end)) as Record<string, unknown>;
    change(header);
    const json = Buffer.from(JSON.stringify(header));
    const preamble = Buffer.from(envelope.subarray(0, 12));
    preamble.writeUInt32LE(json.length, 8);
    return Buffer.concat([preamble, json, envelope.subarray(end)]);
  };

  test('of another place is named as that, before a key is asked for', async () => {
    const { envelope, options, kms } = await sealed(Buffer.from('x'));
    kms.calls.length = 0;

    await expect(opened(envelope, { ...options, place: 'uploads/other' })).rejects.toMatchObject({
      code: 'integrity',
      message: `the manifest M is an encrypted one that was written as that of ${PLACE}`,
    });
    expect(kms.calls).toEqual([]);
  });

  test('that was made to name the place it is read from does not open', async () => {
    const { envelope, options, kms } = await sealed(Buffer.from('x'));
    const moved = withHeader(envelope, (header) => (header['upload'] = 'uploads/other'));
    const there = manifestContext('uploads/other');

    await expect(
      opened(moved, { ...options, place: 'uploads/other', context: there, openKey: (key) => kms.decrypt(key, there) }),
    ).rejects.toMatchObject({ code: 'integrity' });
    // Not even when the key service would give the key away.
    await expect(opened(moved, { ...options, place: 'uploads/other', context: there })).rejects.toThrow(/frame 1 of 1/);
  });

  test('that names another size or key does not open', async () => {
    const { envelope, options } = await sealed(randomBytes(100));
    const other = withHeader(envelope, (header) => (header['kmsKeyId'] = 'arn:aws:kms:us-east-1:1:key/other'));
    const shorter = withHeader(envelope, (header) => (header['size'] = 99));

    await expect(opened(other, options)).rejects.toMatchObject({ code: 'integrity' });
    await expect(opened(shorter, options)).rejects.toThrow(/frame 1 of 1 was changed/);
  });

  test('of a later version is unsupported, a monstrous or senseless one refused before it is parsed', async () => {
    const { envelope, options } = await sealed(Buffer.from('x'));
    const later = Buffer.from(envelope);
    later[7] = '2'.charCodeAt(0);
    const monstrous = Buffer.from(envelope);
    monstrous.writeUInt32LE(0xff_ff_ff_ff, 8);

    await expect(opened(later, options)).rejects.toMatchObject({ code: 'unsupported', hint: 'update archiver' });
    await expect(opened(monstrous, options)).rejects.toThrow(/announces an encryption header of 4294967295 bytes/);
    await expect(
      opened(
        withHeader(envelope, (header) => (header['size'] = -1)),
        options,
      ),
    ).rejects.toThrow(/'size'/);
    await expect(
      opened(
        withHeader(envelope, (header) => (header['wrappedKey'] = '')),
        options,
      ),
    ).rejects.toThrow(/wrapped/);
    await expect(
      opened(
        withHeader(envelope, (header) => (header['format'] = 2)),
        options,
      ),
    ).rejects.toMatchObject({
      code: 'unsupported',
    });
  });
});
