// Three agents of a fleet on Ceph that may put and list and nothing else, and what goes wrong on one of them: what the agent's exit status, its
// heartbeat, `fleet status`, `fleet monitor`, the text file and the alert say, and that the other two stay well.
import { generateKeyPairSync } from 'node:crypto';
import { cpSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, expect, test } from 'vitest';
import { signConfig } from '../../src/core/fleet/config/signature.js';
import { noise } from '../core/archive/trees.js';
import { type FaultProxy, startFaultProxy } from '../faults/fault-proxy.js';
import { startHook } from '../support/hook-server.js';
import { openTestS3, useTestCredentials } from '../support/open-s3.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './upload-cli.js';

const BUCKET = 'drill';
const upstream = process.env['ARCHIVER_TEST_RGW'] ?? '';
const KEYS = { AWS_ACCESS_KEY_ID: 'archiver', AWS_SECRET_ACCESS_KEY: 'archiver-secret', AWS_REGION: 'us-east-1' };
const TIMEOUT_MS = 900_000;
const HOUR_MS = 3_600_000;
const FILES = 20;

beforeAll(async () => {
  useTestCredentials();
  const credentials = { accessKeyId: KEYS.AWS_ACCESS_KEY_ID, secretAccessKey: KEYS.AWS_SECRET_ACCESS_KEY };
  const client = new S3Client({ endpoint: upstream, region: 'us-east-1', forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET })).catch(() => undefined); // it may be there
  client.destroy();
});

/** Refuses what such a writer may not, as its policy does. */
async function writeOnly(): Promise<FaultProxy> {
  const proxy = await startFaultProxy(upstream);
  const fault = { kind: 'status', status: 403, code: 'AccessDenied' } as const;
  for (const operation of ['GetObject', 'HeadObject'] as const) proxy.inject({ operation, path: /\/writers\//, fault });
  return proxy;
}

const fill = (folder: string): void => {
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < FILES; at++) writeFileSync(join(folder, `note-${at}.txt`), `text ${at} `.repeat(300));
};

async function fleet() {
  const above = await tempFolder();
  const prefix = `lab-${process.pid}-${Date.now()}`;
  const base = `s3://${BUCKET}/${prefix}`;
  const keys = generateKeyPairSync('ed25519');
  const publicKey = join(above, 'public.pem');
  writeFileSync(publicKey, keys.publicKey.export({ type: 'spki', format: 'pem' }));
  const { store } = await openTestS3(upstream, BUCKET, { prefix });
  const writeOnlyUrl = (await writeOnly()).endpoint;
  const publish = async (id: string, version: number, source: string): Promise<void> => {
    const config = Buffer.from(`version: ${version}\nwriter_id: ${id}\nwatch_paths:\n  - path: ${source}\n`);
    await store.put(`fleet/${id}/config.yaml`, config);
    await store.put(`fleet/${id}/config.yaml.sig`, signConfig(config, keys.privateKey).bytes);
  };
  const agent = async (id: string) => {
    const [home, source] = [join(above, id), join(above, `${id}-data`)];
    mkdirSync(home, { recursive: true });
    fill(source);
    await publish(id, 1, source);
    const args = [
      'fleetagent',
      'run',
      '--config-url',
      base,
      '--public-key',
      publicKey,
      '--writer-id',
      id,
      '--once',
      '--quiet',
    ];
    return {
      id,
      home,
      source,
      publish: (version: number) => publish(id, version, source),
      cycle: async (env: Readonly<Record<string, string>> = {}, from = home) =>
        (await archiver(from, args, { env: { ...KEYS, AWS_ENDPOINT_URL: writeOnlyUrl, ...env } })).status,
      adopt: async () => (await archiver(home, ['fleetagent', 'adopt', base, '--writer-id', id])).status,
    };
  };
  /** What somebody sees who watches, with nothing remembered of the last time. */
  const seen = async (id: string) => {
    const hook = await startHook();
    const home = await tempFolder();
    const env = { ...KEYS, AWS_ENDPOINT_URL: upstream };
    await archiver(home, ['alerts', 'configure', 'webhook', '--webhook-url', hook.url]);
    const prom = join(home, 'fleet.prom');
    const monitor = await archiver(home, ['fleet', 'monitor', base, '--once', '--textfile', prom], { env });
    const status = await archiver(home, ['fleet', 'status', base, '--json'], { env });
    const { writers } = JSON.parse(status.stdout) as { readonly writers: readonly Writer[] };
    const one = writers.find(({ writerId }) => writerId === id);
    const alerts = hook.requests.flatMap(
      ({ body }) => (JSON.parse(body) as { readonly alerts: readonly Alerted[] }).alerts,
    );
    return {
      condition: one?.condition,
      findings: one?.writerFindings.map(({ finding }) => finding),
      others: writers.filter(({ writerId }) => writerId !== id).map(({ condition }) => condition),
      monitor: monitor.status,
      healthy: new RegExp(`archiver_writer_healthy\\{.*"${id}"\\} (\\d)`).exec(readFileSync(prom, 'utf8'))?.[1],
      alerted: alerts.map(({ writerId }) => writerId),
      text: monitor.stdout,
    };
  };
  const [a, b, c] = [await agent('a'), await agent('b'), await agent('c')];
  for (const one of [a, b, c]) expect(await one.cycle()).toBe(0);
  return { a, store, above, seen, records: async () => await keysBelow(store, 'writers/a/datasets/') };
}

interface Writer {
  readonly writerId: string;
  readonly condition: string;
  readonly writerFindings: readonly { readonly finding: string }[];
}

interface Alerted {
  readonly writerId: string;
}

async function keysBelow(store: Awaited<ReturnType<typeof openTestS3>>['store'], prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const page of store.list({ prefix })) found.push(...page.objects.map(({ key }) => key));
  return found;
}

/** What everybody says of writer a with these findings, while the others are well. */
const troubled = (...findings: readonly string[]) => ({
  condition: 'failing',
  findings,
  others: ['healthy', 'healthy'],
  monitor: 3,
  healthy: '0',
  alerted: ['a'],
});
const WELL = {
  condition: 'healthy',
  findings: [],
  others: ['healthy', 'healthy'],
  monitor: 0,
  healthy: '1',
  alerted: [],
};

test('a source that is not what it was', { timeout: TIMEOUT_MS }, async () => {
  const { a, seen } = await fleet();
  const { source } = a;
  const clear = (keep: number): void =>
    readdirSync(source)
      .slice(keep)
      .forEach((name) => rmSync(join(source, name)));
  expect(await seen('a')).toMatchObject(WELL);

  clear(0);
  expect(await a.cycle()).toBe(4);
  expect(await seen('a')).toMatchObject(troubled('source-empty'));

  rmSync(source, { recursive: true });
  expect(await a.cycle()).toBe(1);
  expect(await seen('a')).toMatchObject(troubled('source-empty'));

  fill(source);
  clear(3);
  expect(await a.cycle()).toBe(3);
  expect(await seen('a')).toMatchObject(troubled('source-shrunk'));

  fill(source);
  renameSync(source, `${source}-2`);
  symlinkSync(`${source}-2`, source);
  expect(await a.cycle()).toBe(4);
  expect(await seen('a')).toMatchObject(troubled('source-moved'));

  rmSync(source);
  renameSync(`${source}-2`, source);
  expect(await a.cycle()).toBe(0);
  expect(await seen('a')).toMatchObject(WELL);

  for (const name of readdirSync(source)) {
    rmSync(join(source, name));
    writeFileSync(join(source, `${name}.locked`), noise(2000));
  }
  expect([await a.cycle(), await a.cycle()]).toEqual([3, 3]);
  expect(await seen('a')).toMatchObject(troubled('mass-change'));
  await a.publish(2);
  expect(await a.cycle()).toBe(0);
  expect(await seen('a')).toMatchObject(WELL);
});

test('a config that is refused, and a clock that is an hour behind', { timeout: TIMEOUT_MS }, async () => {
  const { a, seen, above } = await fleet();
  await a.publish(5);
  expect(await a.cycle()).toBe(0);
  await a.publish(4);
  expect(await a.cycle()).toBe(3);
  const refused = await seen('a');
  expect(refused).toMatchObject(troubled('config-refused'));
  expect(refused.text).toContain('version 4, and 5 was in use');
  await a.publish(6);

  const clock = join(above, 'clock.mjs');
  writeFileSync(
    clock,
    `const now = Date.now, off = ${-HOUR_MS};
     globalThis.Date = class extends Date {
       constructor(...given) { given.length === 0 ? super(now() + off) : super(...given); }
       static now() { return now() + off; }
     };`,
  );
  expect(await a.cycle({ NODE_OPTIONS: `--import file://${clock}` })).toBe(3);
  const late = await seen('a');
  expect(late).toMatchObject(troubled('clock-skewed'));
  expect(late.text).toContain("its clock is 60 minutes behind the store's");
  expect(await a.cycle()).toBe(0);
  expect(await seen('a')).toMatchObject(WELL);
});

test('what is sent again: a forged record, another address, two clones', { timeout: TIMEOUT_MS }, async () => {
  const { a, seen, store, above, records } = await fleet();
  const forge = async (version: number): Promise<void> => {
    const [key = ''] = await records();
    await store.put(key.replace(/v\d{8}/, `v${String(version).padStart(8, '0')}`), Buffer.from('{"format":1}'));
  };
  await forge(2);
  expect(await a.cycle()).toBe(3);
  expect(await seen('a')).toMatchObject(troubled('sent-again'));
  await forge(9);
  expect([await a.cycle(), await a.cycle()]).toEqual([4, 4]);
  expect(await records()).toHaveLength(4);
  expect(await seen('a')).toMatchObject(troubled('sent-again', 'held'));
  expect([await a.adopt(), await a.cycle()]).toEqual([0, 0]);
  expect(await seen('a')).toMatchObject(WELL);

  const address = { AWS_ENDPOINT_URL: (await writeOnly()).endpoint };
  expect([await a.cycle(address), await a.cycle(address)]).toEqual([3, 3]);
  expect(await seen('a')).toMatchObject(troubled('endpoint-changed', 'sent-again'));
  expect([await a.adopt(), await a.cycle(address)]).toEqual([0, 0]);
  expect(await seen('a')).toMatchObject(WELL);

  const clone = join(above, 'clone');
  cpSync(a.home, clone, { recursive: true });
  const before = (await records()).length;
  const statuses: (number | null)[] = [];
  for (let at = 0; at < 5; at++)
    for (const home of [a.home, clone]) {
      writeFileSync(join(a.source, 'log'), `${home} ${at}`);
      statuses.push(await a.cycle(address, home));
    }
  expect(statuses).toEqual([0, 3, 3, 4, 3, 4, 3, 4, 3, 4]);
  expect(await records()).toHaveLength(before + 6);
  expect(await seen('a')).toMatchObject(troubled('sent-again', 'held'));
});
