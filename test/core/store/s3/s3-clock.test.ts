// A clock that is an hour off: the answer of the store sets the one that requests are signed with, before a refusal is believed.
import { expect, onTestFinished, test } from 'vitest';
import { failure } from '../../../support/broken-s3.js';
import { startMemoryS3 } from '../../../support/memory-s3.js';
import { openTestS3, useTestCredentials } from '../../../support/open-s3.js';
import { startSkewedServer } from '../../../support/skewed-server.js';

const HOUR_MS = 3_600_000;

test.each([HOUR_MS, -HOUR_MS])('a request is sent again once when the clock was set by %d ms', async (aheadMs) => {
  useTestCredentials();
  const s3 = await startMemoryS3('bucket');
  onTestFinished(() => s3.close());
  const server = await startSkewedServer(s3.endpoint, aheadMs);
  const { store, clockAheadMs } = await openTestS3(server.endpoint, 'bucket');
  expect(clockAheadMs?.()).toBe(0);

  await Promise.all(['a', 'b', 'c'].map((key) => store.put(key, Buffer.from('x'))));
  expect(Math.abs((clockAheadMs?.() ?? 0) + aheadMs)).toBeLessThan(5000);
  const refused = server.refused;
  expect(refused).toBeLessThanOrEqual(3);
  await store.head('a');
  expect(await failure(store.get('none'))).toMatchObject({ code: 'not-found' });
  expect(server.refused).toBe(refused);
});

test('a clock that is right, or off by minutes, changes nothing', async () => {
  useTestCredentials();
  const s3 = await startMemoryS3('bucket');
  onTestFinished(() => s3.close());
  const server = await startSkewedServer(s3.endpoint, 120_000);
  const { store, clockAheadMs } = await openTestS3(server.endpoint, 'bucket');

  expect(await failure(store.get('none'))).toMatchObject({ code: 'not-found' });
  expect([server.refused, server.passed]).toEqual([0, 1]);
  expect(Math.abs((clockAheadMs?.() ?? 0) + 120_000)).toBeLessThan(5000);
});
