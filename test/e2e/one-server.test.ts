// What is meant for one server goes to no other: a profile's addresses count however the profile is named, and what was
// begun on a server goes on there. Every lookup of another host's name is noted and fails, so AWS gets nothing (it fails
// with what is not tried again).
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Context } from '../../src/cli/context.js';
import { refuseElsewhere, savedCommand } from '../../src/commands/upload/saved-command.js';
import { openHeadCache } from '../../src/core/dataset/cache/head-cache.js';
import { savedJobs, saveNewJob } from '../../src/core/restore/jobs/job-folder.js';
import { jobFields } from '../core/restore/jobs/sample-job.js';
import { KEY_ARN } from '../support/fake-kms.js';
import { type KmsServer, startKmsServer } from '../support/kms-server.js';
import { asUploadId } from '../support/as-upload-id.js';
import { type MemoryS3, startMemoryS3 } from '../support/memory-s3.js';
import { type CountingServer, startCountingServer } from '../support/silent-server.js';
import { archiver, type Ran } from './upload-cli.js';

const KEYS = { AWS_ACCESS_KEY_ID: 'archiver', AWS_SECRET_ACCESS_KEY: 'archiver-secret' };
const WATCH_LOOKUPS = `import dns from 'node:dns';
import { appendFileSync } from 'node:fs';
const lookup = dns.lookup;
dns.lookup = (host, ...rest) => {
  if (/^(localhost|127\\.)/.test(host)) return lookup(host, ...rest);
  appendFileSync(process.env.LOOKUPS, host + '\\n');
  rest.at(-1)(Object.assign(new Error('no such host: ' + host), { code: 'CERT_HAS_EXPIRED' }));
};
`;

describe('one server', () => {
  const work = mkdtempSync(join(tmpdir(), 'archiver-server-'));
  const tree = join(work, 'tree');
  const lookups = join(work, 'lookups');
  let s3: MemoryS3;
  let kms: KmsServer;
  let other: CountingServer;
  let sts: http.Server;
  let roles = 0;

  beforeAll(async () => {
    mkdirSync(tree);
    writeFileSync(join(tree, 'a.txt'), 'content');
    writeFileSync(join(work, 'watch.mjs'), WATCH_LOOKUPS);
    [s3, kms, other] = await Promise.all([startMemoryS3('bucket'), startKmsServer(), startCountingServer()]);
    sts = http.createServer((request, response) => {
      request.resume();
      roles++;
      response.end(
        '<AssumeRoleResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleResult><Credentials><AccessKeyId>A</AccessKeyId><SecretAccessKey>S</SecretAccessKey><SessionToken>T</SessionToken><Expiration>2099-01-01T00:00:00Z</Expiration></Credentials></AssumeRoleResult></AssumeRoleResponse>',
      );
    });
    await new Promise<void>((resolve) => {
      sts.listen(0, '127.0.0.1', resolve);
    });
    const roleServer = `http://127.0.0.1:${(sts.address() as AddressInfo).port}`;
    writeFileSync(
      join(work, 'config'),
      `[profile keys]
aws_access_key_id = archiver
aws_secret_access_key = archiver-secret
[profile plain]
source_profile = keys
aws_access_key_id = archiver
aws_secret_access_key = archiver-secret
region = eu-north-1
endpoint_url = ${s3.endpoint}
[profile lab]
role_arn = arn:aws:iam::123456789012:role/lab
source_profile = keys
region = eu-north-1
services = lab-services
endpoint_url = ${other.endpoint}
[profile torn]
aws_access_key_id = archiver
aws_secret_access_key = archiver-secret
services = nowhere
[profile unused]
aws_access_key_id = archiver
aws_secret_access_key = archiver-secret
endpoint_url = ${other.endpoint}
[services lab-services]
s3 =
  endpoint_url = ${s3.endpoint}
kms =
  endpoint_url = ${kms.endpoint}
sts =
  endpoint_url = ${roleServer}
`,
    );
  });
  beforeEach(() => {
    rmSync(lookups, { force: true });
    s3.requests.length = 0;
    other.asked.length = 0;
    kms.clear();
    roles = 0;
  });
  afterAll(async () => {
    await Promise.all([s3.close(), kms.close(), other.close()]);
    sts.closeAllConnections();
    sts.close();
    rmSync(work, { recursive: true, force: true });
  });

  const run = (env: Readonly<Record<string, string>>, ...args: string[]): Promise<Ran> =>
    archiver(work, args, {
      env: {
        AWS_CONFIG_FILE: join(work, 'config'),
        NODE_OPTIONS: `--import=${join(work, 'watch.mjs')}`,
        LOOKUPS: lookups,
        ...env,
      },
    });
  const lookedUp = (): readonly string[] =>
    existsSync(lookups) ? [...new Set(readFileSync(lookups, 'utf8').trim().split('\n'))] : [];

  it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['--profile', {}, ['--profile', 'lab']],
    ['AWS_PROFILE', { AWS_PROFILE: 'lab' }, []],
    ['--profile, whatever AWS_PROFILE names', { AWS_PROFILE: 'unused' }, ['--profile', 'lab']],
  ])('S3, KMS and STS of a profile are those of its services section, named by %s', async (name, env, flags) => {
    const sealed = ['--kms-key-id', KEY_ARN, '--encrypt-manifest'];
    const url = `s3://bucket/${name.replaceAll(/\W/g, '')}`;
    const ran = await run(env, 'upload', tree, url, ...sealed, ...flags);

    expect(ran).toMatchObject({ status: 0 });
    expect([lookedUp(), other.asked, kms.asked, roles > 0]).toEqual([[], [], ['GenerateDataKey'], true]);
    expect(s3.requests.length).toBeGreaterThan(2);
    expect(s3.requests.every(({ path }) => path.startsWith('/bucket'))).toBe(true);
    expect(s3.requests[0]?.headers.authorization).toContain('/eu-north-1/s3/');
    expect(
      s3.requests.flatMap(({ headers }) => Object.keys(headers)).filter((key) => key.includes('checksum')),
    ).toEqual([]);
  });

  it.each<[string, Readonly<Record<string, string>>, readonly string[], 's3' | 'other' | 'aws']>([
    ['the address of a profile', {}, ['--profile', 'plain'], 's3'],
    ['a flag before a profile', {}, ['--profile', 'unused', '--endpoint-url', 'S3'], 's3'],
    ['a flag before variables', { AWS_ENDPOINT_URL_S3: 'OTHER' }, ['--profile', 'plain', '--endpoint-url', 'S3'], 's3'],
    [
      'the variable of S3 before the general one',
      { AWS_ENDPOINT_URL_S3: 'S3', AWS_ENDPOINT_URL: 'OTHER' },
      ['--profile', 'unused'],
      's3',
    ],
    ['the general variable before a profile', { AWS_ENDPOINT_URL: 'OTHER' }, ['--profile', 'plain'], 'other'],
    ['AWS where addresses are ignored', { AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' }, ['--profile', 'plain'], 'aws'],
    [
      'a flag where addresses are ignored',
      { AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' },
      ['--profile', 'plain', '--endpoint-url', 'S3'],
      's3',
    ],
  ])('%s counts', async (_name, env, flags, server) => {
    const named = (text: string): string => text.replace('OTHER', other.endpoint).replace('S3', s3.endpoint);
    const variables = Object.fromEntries(
      Object.entries(env).map(([key, text]) => [key, text === 'true' ? text : named(text)]),
    );
    await run(
      { ...KEYS, ...variables },
      'scuttle',
      's3://bucket/none',
      '--dry-run',
      ...flags.map((flag) => (flag === 'S3' ? s3.endpoint : flag)),
    );

    expect([s3.requests.length > 0, other.asked.length > 0, lookedUp().length > 0]).toEqual([
      server === 's3',
      server === 'other',
      server === 'aws',
    ]);
  });

  it('a services section that is not there is named', async () => {
    const { status, stderr } = await run({}, 'scuttle', 's3://bucket/none', '--dry-run', '--profile', 'torn');

    expect([status, stderr]).toEqual([
      2,
      expect.stringContaining('the profile torn names the services section nowhere'),
    ]);
    expect(lookedUp()).toEqual([]);
  });

  it('a job that was made for AWS stays there when another server is configured later', async () => {
    const jobs = join(work, '.archiver', 'restore-jobs');
    const { id } = await saveNewJob(
      jobs,
      jobFields({ endpointUrl: null, kmsEndpointUrl: null, region: 'eu-west-1', profile: 'keys' }),
    );
    const { status } = await run({ ...KEYS, AWS_ENDPOINT_URL: other.endpoint }, 'restore', 'jobs', 'check', id);

    expect(status).not.toBe(0);
    expect(other.asked).toEqual([]);
    expect(lookedUp()).toEqual([expect.stringContaining('eu-west-1.amazonaws.com')]);
  });

  it('a job that does not say where it was made for is not sent elsewhere', async () => {
    const jobs = join(work, '.archiver', 'restore-jobs');
    const { id } = await saveNewJob(jobs, jobFields({ endpointUrl: undefined }));
    const { stderr } = await run({ ...KEYS, AWS_ENDPOINT_URL: other.endpoint }, 'restore', 'jobs', 'check', id);

    expect(stderr).toContain(`${id} does not say whether it was made for AWS itself or for ${other.endpoint}`);
    expect([other.asked, lookedUp()]).toEqual([[], []]);
  });

  it('a job remembers the server that a profile named', async () => {
    const flags = ['--storage-class', 'GLACIER', '--profile', 'plain', '--json', '--quiet'];
    const made = await run({}, 'upload', tree, 's3://bucket/cold', ...flags);
    const { location } = JSON.parse(made.stdout) as { location: string };
    const asked = await run(
      { AWS_PROFILE: 'plain' },
      'restore',
      location,
      join(work, 'out'),
      '--all',
      '--json',
      '--quiet',
    );
    const { jobId } = JSON.parse(asked.stdout) as { jobId: string };
    s3.requests.length = 0;
    await run({ ...KEYS, AWS_ENDPOINT_URL: other.endpoint }, 'restore', 'jobs', 'check', jobId);

    expect(await savedJobs(join(work, '.archiver', 'restore-jobs')).read(jobId)).toMatchObject({
      endpointUrl: s3.endpoint,
    });
    expect([s3.requests.length > 0, other.asked, lookedUp()]).toEqual([true, [], []]);
  });

  it('an upload goes on where it began, or says so', async () => {
    const command = { command: 'upload', sources: [], destination: 's3://bucket', storeUrl: 's3://bucket' };
    const saved = (env: Record<string, string>, values: Record<string, unknown> = {}) =>
      savedCommand({ ...command, values }, { env, cwd: work, origins: {} } as unknown as Context);
    const nowhere = { AWS_CONFIG_FILE: join(work, 'config') };
    const aws = await saved(nowhere);
    const server = await saved({ ...nowhere, AWS_ENDPOINT_URL_S3: other.endpoint });
    const again = await saved({ ...nowhere, AWS_ENDPOINT_URL: 'http://elsewhere' }, server.flags);
    const run = { ...command, values: {} };

    expect(() => refuseElsewhere(asUploadId('u'), aws, server, run)).toThrow(
      `was started on AWS itself, but ${other.endpoint} is`,
    );
    expect(() => refuseElsewhere(asUploadId('u'), aws, aws, run)).not.toThrow();
    expect([again.endpoint, again.flags]).toEqual([
      other.endpoint,
      { endpointUrl: other.endpoint, kmsEndpointUrl: null },
    ]);
  });

  it('the heads of two servers are not mixed', async () => {
    const head = { version: 3, uploadId: asUploadId('20260101-000000-00000000'), manifestSha256: '0'.repeat(64) };
    const on = (server?: string) => openHeadCache(join(work, 'heads'), () => undefined, server);
    mkdirSync(join(work, 'heads'));
    await on('http://one').put('s3://bucket', 'data', head);

    expect(await on('http://one').get('s3://bucket', 'data')).toEqual(head);
    expect(await on('http://two').get('s3://bucket', 'data')).toBeUndefined();
    expect(await on().get('s3://bucket', 'data')).toBeUndefined();
  });
});
