import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../../../src/core/store/open-store.js';
import { awsCredentials } from '../../../../src/core/store/s3/s3-credentials.js';
import { startSilentServer } from '../../../support/silent-server.js';
import { tempFolder } from '../../../support/temp-folder.js';

const SLOW = `[profile slow]
credential_process = sh -c "exec sleep 3"
[profile role]
role_arn = arn:aws:iam::123456789012:role/x
source_profile = keys
region = eu-west-1
endpoint_url = ENDPOINT
[profile keys]
aws_access_key_id = a
aws_secret_access_key = b
`;

/** An environment whose AWS config has these profiles; the SDK itself reads that of the process. */
async function environment(endpoint = ''): Promise<Record<string, string>> {
  const file = join(await tempFolder(), 'config');
  writeFileSync(file, SLOW.replace('ENDPOINT', endpoint));
  const before = process.env['AWS_CONFIG_FILE'];
  process.env['AWS_CONFIG_FILE'] = file;
  onTestFinished(() => {
    if (before === undefined) delete process.env['AWS_CONFIG_FILE'];
    else process.env['AWS_CONFIG_FILE'] = before;
  });
  return { AWS_CONFIG_FILE: file };
}

test('a credential_process that does not answer in time is named with its profile', async () => {
  const credentials = awsCredentials({ env: await environment(), profile: 'slow' }, 100);

  await expect(credentials()).rejects.toMatchObject({
    code: 'stalled',
    message: 'no credentials within 0.1 s: the credential_process of profile slow did not answer',
    hint: 'see what it does on its own: aws sts get-caller-identity --profile slow',
  });
});

test('an STS that does not answer in time is named, and is that of the profile', async () => {
  const silent = await startSilentServer();
  onTestFinished(() => silent.close());
  const credentials = awsCredentials({ env: await environment(silent.endpoint), profile: 'role' }, 1000);

  await expect(credentials()).rejects.toMatchObject({ code: 'stalled', message: expect.stringContaining('STS') });
  expect(silent.connections()).toBe(1);
});

test('opening a store ends with the signal while nobody gives credentials', async () => {
  const env = await environment();
  const opening = openStore('s3://bucket', { env, profile: 'slow', signal: AbortSignal.timeout(200) });

  await expect(opening).rejects.toMatchObject({ code: 'cancelled' });
});
