// Three agents of a fleet on Ceph that may put and list and nothing else, and what is seen of them: the exit status of a cycle, `fleet status`,
// `fleet monitor`, its text file and its alert.
import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, onTestFinished } from 'vitest';
import { signConfig } from '../../src/core/fleet/config/signature.js';
import { type FaultProxy, startFaultProxy } from '../faults/fault-proxy.js';
import { startHook } from '../support/hook-server.js';
import { openTestS3, useTestCredentials } from '../support/open-s3.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver, type Ran } from './upload-cli.js';

const BUCKET = 'drill';
const upstream = process.env['ARCHIVER_TEST_RGW'] ?? '';
const KEYS = {
  AWS_ACCESS_KEY_ID: 'archiver',
  AWS_SECRET_ACCESS_KEY: 'archiver-secret',
  AWS_REGION: 'us-east-1',
};
/** Files of each source. */
export const FILES = 20;

/** Makes the bucket of the drills. */
export async function makeBucket(): Promise<void> {
  useTestCredentials();
  const credentials = { accessKeyId: KEYS.AWS_ACCESS_KEY_ID, secretAccessKey: KEYS.AWS_SECRET_ACCESS_KEY };
  const client = new S3Client({ endpoint: upstream, region: 'us-east-1', forcePathStyle: true, credentials });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET })).catch(() => undefined); // it may be there
  client.destroy();
}

/** Starts a server that refuses what such a writer may not do, as its policy does. */
export async function writeOnly(): Promise<FaultProxy> {
  const proxy = await startFaultProxy(upstream);
  onTestFinished(async () => await proxy.close());
  const fault = { kind: 'status', status: 403, code: 'AccessDenied' } as const;
  for (const operation of ['GetObject', 'HeadObject'] as const) proxy.inject({ operation, path: /\/writers\//, fault });
  return proxy;
}

/** Fills a folder with the files of a source, which compress well. */
export const fill = (folder: string): void => {
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < FILES; at++) writeFileSync(join(folder, `note-${at}.txt`), `text ${at} `.repeat(300));
};

/** Starts a fleet of three writers that have archived once each; `a` is the one that things happen to. */
export async function fleet() {
  const above = await tempFolder();
  const prefix = `lab-${process.pid}-${Date.now()}`;
  const base = `s3://${BUCKET}/${prefix}`;
  const keys = generateKeyPairSync('ed25519');
  const publicKey = join(above, 'public.pem');
  writeFileSync(publicKey, keys.publicKey.export({ type: 'spki', format: 'pem' }));
  const { store } = await openTestS3(upstream, BUCKET, { prefix });
  const writeOnlyUrl = (await writeOnly()).endpoint;
  const publish = async (id: string, version: number, source: string, allowed = ''): Promise<void> => {
    const text = `version: ${version}\nwriter_id: ${id}\nwatch_paths:\n  - path: ${source}\n`;
    const config = Buffer.from(allowed === '' ? text : `${text}    ${allowed}\n`);
    await store.put(`fleet/${id}/config.yaml`, config);
    await store.put(`fleet/${id}/config.yaml.sig`, signConfig(config, keys.privateKey).bytes);
  };
  const agent = async (id: string) => {
    const [home, source] = [join(above, id), join(above, `${id}-data`)];
    mkdirSync(home, { recursive: true });
    fill(source);
    await publish(id, 1, source);
    const env = { ...KEYS, AWS_ENDPOINT_URL: writeOnlyUrl };
    const where = ['--config-url', base, '--public-key', publicKey, '--writer-id', id];
    return {
      id,
      home,
      source,
      publish: (version: number, allowed?: string) => publish(id, version, source, allowed),
      env,
      cycle: async (other: Readonly<Record<string, string>> = {}, from = home) =>
        await archiver(from, ['fleetagent', 'run', ...where, '--once'], { env: { ...env, ...other } }),
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
  for (const one of [a, b, c]) expectStatuses([await one.cycle()], [0]);
  /** Runs a cycle of writer a for each exit status; it has these findings then, or is well. Returns what the monitor prints. */
  const ends = async (statuses: readonly number[], findings: readonly string[] = [], env = {}): Promise<string> => {
    const ran: Ran[] = [];
    while (ran.length < statuses.length) ran.push(await a.cycle(env));
    expectStatuses(ran, statuses);
    const { text, ...now } = await seen('a');
    expect(now).toEqual(findings.length === 0 ? WELL : troubled(...findings));
    return text;
  };
  const records = async (): Promise<string[]> => await keysBelow(store, 'writers/a/datasets/');
  return { a, store, above, base, ends, seen, records };
}

/** Compares exit statuses; where they differ, what the program said is shown. */
export function expectStatuses(ran: readonly Ran[], statuses: readonly number[]): void {
  const ended = ran.map(({ status }) => status);
  const isExpected = ended.join() === statuses.join();
  const said = isExpected ? '' : ran.map(({ stderr }) => stderr).join('\n');
  expect({ ended, said }).toEqual({ ended: statuses, said: '' });
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
export const troubled = (...findings: readonly string[]) => ({
  condition: 'failing',
  findings,
  others: ['healthy', 'healthy'],
  monitor: 3,
  healthy: '0',
  alerted: ['a'],
});
export const WELL = {
  condition: 'healthy',
  findings: [],
  others: ['healthy', 'healthy'],
  monitor: 0,
  healthy: '1',
  alerted: [],
};
