// One answer that says nothing of what a key may do (a clock that is wrong, a session that has just ended) is no policy:
// whoever took it for one would go on as a writer that may not look, and report what nobody has looked at.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { startFaultProxy } from '../faults/fault-proxy.js';
import { startMemoryS3 } from '../support/memory-s3.js';
import { useTestCredentials } from '../support/open-s3.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './in-process.js';
import { archiver as runProgram, makeFolder } from './upload-cli.js';

beforeAll(useTestCredentials);

test.each([
  [403, 'RequestTimeTooSkewed', /this computer's clock is too far from the store's/],
  [400, 'ExpiredToken', /the credentials have expired/],
  [403, 'SignatureDoesNotMatch', /does not accept these credentials/],
  [401, 'Unauthorized', /does not accept these credentials/],
])('a listing that is answered %i %s ends a sync, whatever is remembered', async (status, code, text) => {
  const work = await tempFolder();
  const source = makeFolder(work, 'source');
  writeFileSync(join(source, 'a'), 'a');
  const s3 = await startMemoryS3('bucket');
  const proxy = await startFaultProxy(s3.endpoint);
  onTestFinished(async () => {
    await proxy.close();
    await s3.close();
  });
  const env = { AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL: proxy.endpoint };
  const stored = (): readonly string[] => [...(s3.buckets.get('bucket')?.keys() ?? [])];
  const sync = (home: string): ReturnType<typeof archiver> =>
    archiver(makeFolder(work, home), ['sync', source, 's3://bucket/lab', '--dataset-id', 'd', '--json', '--quiet'], {
      env,
    });
  expect((await sync('knows')).status).toBe(0);
  const before = stored();

  for (const home of ['knows', 'new']) {
    proxy.inject({ operation: 'ListObjectsV2', times: 1, fault: { kind: 'status', status, code } });
    const ran = await sync(home);

    expect({ home, status: ran.status }).toEqual({ home, status: 1 });
    expect(JSON.parse(ran.stdout)).toMatchObject({
      error: { code: 'credentials', message: expect.stringMatching(text) as string },
    });
  }
  expect(stored()).toEqual(before);
});

test('who has no credentials at all is told so, and nothing is concluded for a policy', async () => {
  const work = await tempFolder();
  makeFolder(work, 'source');
  const home = makeFolder(work, 'home');
  const s3 = await startMemoryS3('bucket');
  onTestFinished(() => s3.close());
  const env = { AWS_ENDPOINT_URL: s3.endpoint, AWS_REGION: 'us-east-1', AWS_EC2_METADATA_DISABLED: 'true' };

  for (const call of ['access-check', 'sync ../source', 'list']) {
    const args = [...call.split(' '), 's3://bucket/lab', '--json'];
    const ran = await runProgram(home, args, { env: { ...env, ARCHIVER_CREATE_ONCE: 'no' } });

    expect([call, ran.status]).toEqual([call, 1]);
    expect(JSON.parse(ran.stdout)).toMatchObject({ error: { code: 'credentials' } });
  }
});
