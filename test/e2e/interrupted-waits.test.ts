// Whatever waits for others (S3, KMS, a credential_process, STS) hears the first signal: the built program ends with the
// status of the signal, long before what it waits for would.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KEY_ARN } from '../support/fake-kms.js';
import { type MemoryS3, startMemoryS3 } from '../support/memory-s3.js';
import { type SilentServer, startSilentServer } from '../support/silent-server.js';
import { CLI, uploadJson } from './upload-cli.js';

const KEYS = { AWS_ACCESS_KEY_ID: 'archiver', AWS_SECRET_ACCESS_KEY: 'archiver-secret' };

/** Alone on a machine it is half a second; what does not hear the signal waits for a minute. */
const IN_TIME_MS = 15_000;

interface Interrupted {
  readonly status: number | null;
  readonly endedAfterMs: number;
  readonly stderr: string;
}

describe('a signal while waiting', () => {
  const work = mkdtempSync(join(tmpdir(), 'archiver-waits-'));
  const tree = join(work, 'tree');
  const started = join(work, 'credential-process-started');
  let silent: SilentServer;
  let s3: MemoryS3;

  beforeAll(async () => {
    mkdirSync(tree);
    writeFileSync(join(tree, 'a.txt'), 'content');
    writeFileSync(
      join(work, 'aws-config'),
      `[profile slow]\ncredential_process = sh -c "touch ${started}; sleep 60; echo"\n[profile role]\nrole_arn = arn:aws:iam::123456789012:role/x\nsource_profile = keys\nregion = eu-west-1\n[profile keys]\naws_access_key_id = a\naws_secret_access_key = b\n`,
    );
    silent = await startSilentServer();
    s3 = await startMemoryS3('bucket');
  });
  afterAll(async () => {
    await silent.close();
    await s3.close();
    rmSync(work, { recursive: true, force: true });
  });

  /** Runs the program until `isWaiting`, interrupts it once, and sees how it ends. */
  async function interrupted(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    isWaiting: () => boolean,
    signal: NodeJS.Signals = 'SIGINT',
  ): Promise<Interrupted> {
    const child = spawn(process.execPath, [CLI, ...args], {
      env: { PATH: process.env['PATH'], HOME: work, AWS_CONFIG_FILE: join(work, 'aws-config'), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
    child.stdout.resume();
    const ended = new Promise<number | null>((resolve) => {
      child.once('exit', (code) => resolve(code));
    });
    for (let tries = 0; !isWaiting() && child.exitCode === null && tries < 2400; tries++) await sleep(50);
    const at = performance.now();
    child.kill(signal);
    const status = await Promise.race([ended, sleep(2 * IN_TIME_MS, -1)]);
    const endedAfterMs = performance.now() - at;
    if (status === -1) child.kill('SIGKILL');
    return { status, endedAfterMs, stderr };
  }

  const connectionsFrom = (server: SilentServer): (() => boolean) => {
    const before = server.connections();
    return () => server.connections() > before;
  };

  it('ends an upload whose KMS never answers', async () => {
    const env = {
      ...KEYS,
      AWS_ENDPOINT_URL_S3: s3.endpoint,
      AWS_ENDPOINT_URL_KMS: silent.endpoint,
      AWS_REGION: 'eu-west-1',
    };
    const args = ['upload', tree, 's3://bucket/kms', '--kms-key-id', KEY_ARN, '--encrypt-manifest'];
    const ran = await interrupted(args, env, connectionsFrom(silent));

    expect(ran).toMatchObject({ status: 130, stderr: expect.stringContaining('interrupted') });
    expect(ran.endedAfterMs).toBeLessThan(IN_TIME_MS);
  });

  it.each([
    ['upload', ['upload', 'TREE', 's3://bucket/x']],
    ['sync', ['sync', 'TREE', 's3://bucket/x']],
    ['restore', ['restore', 's3://bucket/x/uploads/20260101-000000-00000000', 'out', '--all']],
    ['list', ['list', 's3://bucket/x/uploads/20260101-000000-00000000']],
    ['dataset list', ['dataset', 'list', 's3://bucket/x']],
    ['dataset prune', ['dataset', 'prune', 's3://bucket/x', '--dataset-id', 'd', '--keep-last', '1', '--force']],
    ['repair', ['repair', 's3://bucket/x/uploads/20260101-000000-00000000']],
    ['scuttle', ['scuttle', 's3://bucket/x', '--dry-run']],
  ])('ends %s whose store never answers', async (_name, words) => {
    const env = { ...KEYS, AWS_ENDPOINT_URL: silent.endpoint, AWS_REGION: 'eu-west-1' };
    const args = words.map((word) => (word === 'TREE' ? tree : word));
    const ran = await interrupted(args, env, connectionsFrom(silent));

    expect(ran).toMatchObject({ status: 130, stderr: expect.stringContaining('interrupted') });
    expect(ran.endedAfterMs).toBeLessThan(IN_TIME_MS);
  });

  it.each([['SIGINT', 130] as const, ['SIGTERM', 143] as const])(
    'ends an upload whose credential_process sleeps, with %s',
    async (signal, status) => {
      rmSync(started, { force: true });
      const env = { AWS_ENDPOINT_URL: s3.endpoint };
      const args = ['upload', tree, 's3://bucket/x', '--profile', 'slow'];
      const ran = await interrupted(args, env, () => existsSync(started), signal);

      expect(ran.status).toBe(status);
      expect(ran.endedAfterMs).toBeLessThan(IN_TIME_MS);
    },
  );

  it('ends the question for the region of a bucket whose credential_process sleeps', async () => {
    rmSync(started, { force: true });
    const args = ['upload', tree, 's3://bucket/x', '--profile', 'slow'];
    const ran = await interrupted(args, {}, () => existsSync(started));

    expect(ran.status).toBe(130);
    expect(ran.endedAfterMs).toBeLessThan(IN_TIME_MS);
  });

  it.each([
    ['verify', '--deep'],
    ['restore', '--all'],
  ])('ends %s of a hole of a terabyte that has an MD5', async (verb, flag) => {
    const base = join(work, `holes-${verb}`);
    const { document } = await uploadJson(work, [tree, `file://${base}`]);
    const manifest = join(base, document.manifestKey);
    const text = gunzipSync(readFileSync(manifest)).toString('utf8');
    const torn = text
      .replace('"type":"file","size":7', `"type":"file","size":${7 + 2 ** 40},"holes":[[7,${2 ** 40}]]`)
      .replace(
        /("totals":\{[^}]*"bytes":)(\d+)/,
        (_all, before: string, bytes: string) => `${before}${Number(bytes) + 2 ** 40}`,
      );
    writeFileSync(manifest, gzipSync(torn));
    // A record would refuse it at once.
    rmSync(join(base, 'datasets'), { recursive: true });
    const out = verb === 'restore' ? [join(work, 'holes-out')] : [];
    const startedAt = performance.now();
    const ran = await interrupted(
      [verb, document.location, ...out, flag],
      {},
      () => performance.now() - startedAt > 2500,
    );

    expect(torn).not.toBe(text);
    expect(ran.status).toBe(130);
    expect(ran.endedAfterMs).toBeLessThan(IN_TIME_MS);
  });

  it('ends an upload whose STS never answers', async () => {
    const env = { AWS_ENDPOINT_URL_S3: s3.endpoint, AWS_ENDPOINT_URL_STS: silent.endpoint, AWS_REGION: 'eu-west-1' };
    const ran = await interrupted(['upload', tree, 's3://bucket/x', '--profile', 'role'], env, connectionsFrom(silent));

    expect(ran.status).toBe(130);
    expect(ran.endedAfterMs).toBeLessThan(IN_TIME_MS);
  });
});
