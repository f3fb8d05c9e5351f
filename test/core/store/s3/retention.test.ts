import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { retentionOf } from '../../../../src/core/store/s3/s3-retention.js';
import { useBrokenS3 } from '../../../support/broken-s3.js';

const s3 = useBrokenS3();
const UNTIL = new Date('2031-02-03T04:05:06Z');

describe('Object Lock', () => {
  test('goes with a PUT as mode, moment and the checksum that S3 demands', async () => {
    const { store } = await s3.open();
    const body = Buffer.from('body');

    await store.put('locked', body, { retention: { mode: 'compliance', until: UNTIL } });
    await store.put('free', body);

    const [locked, free] = s3.server.requests.slice(-2).map(({ headers }) => headers);
    expect(locked).toMatchObject({
      'x-amz-object-lock-mode': 'COMPLIANCE',
      'content-md5': createHash('md5').update(body).digest('base64'),
    });
    expect(Date.parse(String(locked?.['x-amz-object-lock-retain-until-date']))).toBe(UNTIL.getTime());
    expect(Object.keys(free ?? {}).filter((name) => /lock|md5/.test(name))).toEqual([]);
  });

  test.each([
    ['COMPLIANCE', UNTIL, { mode: 'compliance', until: UNTIL }],
    ['GOVERNANCE', UNTIL, { mode: 'governance', until: UNTIL }],
    ['SOMETHING', UNTIL, undefined],
    ['GOVERNANCE', undefined, undefined],
    ['GOVERNANCE', new Date(Number.NaN), undefined],
    [undefined, undefined, undefined],
  ])('is read as it is told: %s until %s', (mode, until, expected) => {
    expect(retentionOf(mode, until)).toEqual(expected);
  });

  test.each(['ObjectLockConfigurationNotFoundError', 'NoSuchObjectLockConfiguration'])(
    'a bucket without it says %s, which is an answer',
    async (code) => {
      const { lock, posture } = await s3.open();
      s3.proxy.inject({ path: /\?.*object-lock/, fault: { kind: 'status', status: 404, code } });

      expect(await posture?.ask('objectLock')).toBeUndefined();
      expect(await lock?.read()).toBeUndefined();
    },
  );

  test('a server that does not know the question has none, and that is not what the bucket says', async () => {
    const { lock, posture } = await s3.open();
    s3.proxy.inject({ path: /\?.*object-lock/, fault: { kind: 'status', status: 501, code: 'NotImplemented' } });

    expect(await lock?.read()).toBeUndefined();
    await expect(posture?.ask('objectLock')).rejects.toMatchObject({ code: 'unsupported' });
  });
});
