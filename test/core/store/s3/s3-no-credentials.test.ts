// Why nobody gave credentials: by the SDK's own chain and real processes.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { awsCredentials } from '../../../../src/core/store/s3/s3-credentials.js';
import { tempFolder } from '../../../support/temp-folder.js';

const CONFIG = String.raw`[default]
region = eu-west-1
[profile fails]
credential_process = sh -c "echo 'vault: sealed, token=geheim' >&2; echo more >&2; exit 3"
[profile mute]
credential_process = false
[profile junk]
credential_process = echo please sign on
[profile empty-json]
credential_process = echo {}
[profile old]
credential_process = echo '{"Version":1,"AccessKeyId":"a","SecretAccessKey":"b","Expiration":"2020-01-01T00:00:00Z"}'
[profile good]
credential_process = echo '{"Version":1,"AccessKeyId":"a","SecretAccessKey":"b"}'
[profile over-fails]
role_arn = arn:aws:iam::123456789012:role/x
source_profile = fails
[profile over-nothing]
role_arn = arn:aws:iam::123456789012:role/x
source_profile = nothing
[profile one]
role_arn = arn:aws:iam::123456789012:role/x
source_profile = two
[profile two]
role_arn = arn:aws:iam::123456789012:role/x
source_profile = one
[profile bare]
region = eu-west-1
[services other]
s3 =
  endpoint_url = http://localhost
[sso-session office]
sso_region = eu-west-1
`;

async function environment(config = CONFIG): Promise<Record<string, string>> {
  const folder = await tempFolder();
  const env = {
    AWS_CONFIG_FILE: join(folder, 'config'),
    AWS_SHARED_CREDENTIALS_FILE: join(folder, 'credentials'),
    AWS_EC2_METADATA_DISABLED: 'true',
  };
  writeFileSync(env.AWS_CONFIG_FILE, config);
  // The SDK itself reads that of the process.
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  return env;
}

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', undefined);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', undefined);
});

describe('the reason is told', () => {
  test.each<[string, RegExp, RegExp]>([
    ['fails', /the credential_process of profile fails failed: vault: sealed, token=\(hidden\)$/, /by itself/],
    ['mute', /the credential_process of profile mute failed without a word$/, /by itself/],
    ['junk', /the credential_process of profile junk printed something that is no JSON$/, /by itself/],
    ['empty-json', /the credential_process of profile empty-json printed no credentials/, /by itself/],
    ['old', /the credential_process of profile old gave credentials that have expired$/, /renew/],
    ['over-fails', /the credential_process of profile fails failed: vault/, /by itself/],
    ['one', /the profiles one → two → one build on each other in a loop/, /keys/],
    ['bare', /the profile bare has none/, /aws configure --profile bare/],
  ])('%s', async (profile, message, hint) => {
    const credentials = awsCredentials({ env: await environment(), profile });

    await expect(credentials()).rejects.toMatchObject({
      code: 'credentials',
      message: expect.stringMatching(message) as string,
      hint: expect.stringMatching(hint) as string,
    });
  });

  test.each<[string, RegExp]>([
    ['nobody', /^there is no profile nobody in the AWS config and credentials files$/],
    ['over-nothing', /there is no profile nothing, which the profile over-nothing builds on \(source_profile\) in/],
  ])('of a profile that is not there: %s', async (profile, message) => {
    const credentials = awsCredentials({ env: await environment(), profile });

    await expect(credentials()).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringMatching(message) as string,
      hint: expect.stringMatching(/^there are: bare, default, empty-json, fails, /) as string,
    });
  });

  test('also for the profile of AWS_PROFILE, where there are no files', async () => {
    const env = { ...(await environment('')), AWS_PROFILE: 'nobody' };
    vi.stubEnv('AWS_PROFILE', 'nobody');

    await expect(awsCredentials({ env })()).rejects.toMatchObject({
      message: expect.stringMatching(/there is no profile nobody in the AWS config/) as string,
      hint: expect.stringMatching(/^there are none; /) as string,
    });
  });

  test('and without any profile as before', async () => {
    const env = await environment('');

    await expect(awsCredentials({ env })()).rejects.toThrow('Could not load credentials from any providers');
  });
});

test('a process that prints credentials gives them', async () => {
  const credentials = awsCredentials({ env: await environment(), profile: 'good' });

  await expect(credentials()).resolves.toMatchObject({ accessKeyId: 'a', secretAccessKey: 'b' });
});
