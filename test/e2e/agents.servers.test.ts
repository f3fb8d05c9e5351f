// Three agents on one Ceph gateway, behind a proxy that breaks one request in twenty, killed at random, with the store away for
// a while. ARCHIVER_TEST_CYCLES says how many cycles each of them gets.
import { spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, expect, test } from 'vitest';
import { listDatasets, readVersions } from '../../src/core/dataset/records/versions.js';
import { type Heartbeat, heartbeatKey, parseHeartbeat } from '../../src/core/fleet/heartbeat.js';
import type { UploadId } from '../../src/core/store/ids/upload-id.js';
import type { ObjectStore } from '../../src/core/store/object-store.js';
import { readAll } from '../../src/core/store/read-content.js';
import { rawFromText } from '../../src/core/platform/paths/raw-path.js';
import { describeTree, noise } from '../core/archive/trees.js';
import type { Fault } from '../faults/fault.js';
import { type FaultProxy, startFaultProxy } from '../faults/fault-proxy.js';
import { openTestS3, useTestCredentials } from '../support/open-s3.js';
import { restoreMade } from '../support/restore-made.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver, CLI, environment } from './upload-cli.js';

const BUCKET = 'agents';
const PREFIX = `fleet-${process.pid}`;
const upstream = process.env['ARCHIVER_TEST_RGW'] ?? '';
const CYCLES = Number(process.env['ARCHIVER_TEST_CYCLES'] ?? 8);
/** Cycles of all agents in the middle for which the store is away. */
const DOWN = Math.max(3, Math.round(CYCLES * 0.15));
const TIMEOUT_MS = 120_000;
const EDIT_BYTES = 20_000;
/** Of a tar stream, its table and its frames, for one small file. */
const OVERHEAD_BYTES = 3000;

const FAULTS: readonly Fault[] = [
  { kind: 'status', status: 503, code: 'SlowDown' },
  { kind: 'reset' },
  { kind: 'lost-answer' },
  { kind: 'status', status: 500, code: 'InternalError' },
  { kind: 'duplicate' },
];

async function breakingProxy(): Promise<FaultProxy> {
  const proxy = await startFaultProxy(upstream);
  for (let at = 0; at < CYCLES * 6; at++) {
    const fault = FAULTS[at % FAULTS.length];
    if (fault !== undefined) proxy.inject({ fault, skip: at * 20 + 7, times: 1 });
  }
  return proxy;
}

interface CycleDocument {
  readonly lastSuccessAt: string | null;
  readonly sourceCycles: readonly [
    { readonly uploadId: UploadId; readonly version: number; readonly isHealthy: boolean },
  ];
}

class Agent {
  readonly home: string;
  readonly source: string;
  /** What the uploads are like that were reported. */
  readonly reported = new Map<UploadId, unknown>();
  killed = 0;
  failed = 0;
  edits = 0;
  /** Edits that may have been sent by cycles that did not succeed. */
  allowance = 0;
  lastSuccessAt: string | null = null;
  version = 0;
  private pending = 0;

  constructor(
    folder: string,
    readonly writerId: string,
  ) {
    this.home = join(folder, writerId, 'home');
    this.source = join(folder, writerId, 'data');
    for (const path of [this.home, this.source]) mkdirSync(path, { recursive: true });
  }

  edit(): void {
    const number = this.edits++;
    this.pending++;
    writeFileSync(join(this.source, `file-${number % 12}`), noise(EDIT_BYTES));
    if (number % 5 === 4) rmSync(join(this.source, `file-${(number + 6) % 12}`), { force: true });
  }

  /** One cycle, killed after so long where that is said. */
  async cycle(url: string, endpoint: string, killAfterMs?: number): Promise<void> {
    const args = [
      'fleetagent',
      'run',
      this.source,
      url,
      '--writer-id',
      this.writerId,
      '--track-deletes',
      '--once',
      '--json',
    ];
    const env = {
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: 'archiver',
      AWS_SECRET_ACCESS_KEY: 'archiver-secret',
      AWS_REGION: 'us-east-1',
    };
    if (killAfterMs !== undefined) return await this.kill(args, env, killAfterMs);
    const { stdout } = await archiver(this.home, args, { env, timeoutMs: TIMEOUT_MS });
    const { lastSuccessAt, sourceCycles } = JSON.parse(stdout) as CycleDocument;
    this.lastSuccessAt = lastSuccessAt;
    const [{ uploadId, version, isHealthy }] = sourceCycles;
    // Findings are for people (the proxy's address changes, and the last words of a killed agent may come late): what is archived is archived.
    if (!isHealthy) {
      this.failed++;
      this.allowance += this.pending;
      return;
    }
    this.reported.set(uploadId, describeTree(rawFromText(this.source)));
    this.version = version;
    this.pending = 0;
  }

  private async kill(args: readonly string[], env: Record<string, string>, afterMs: number): Promise<void> {
    this.killed++;
    this.allowance += this.pending;
    const child = spawn(process.execPath, [CLI, ...args], { env: environment(this.home, env), stdio: 'ignore' });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await Promise.race([ended, sleep(afterMs)]);
    child.kill('SIGKILL');
    await ended;
  }
}

beforeAll(async () => {
  useTestCredentials();
  const client = new S3Client({ endpoint: upstream, region: 'us-east-1', forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
});

test(
  'every version that was reported restores, little is sent twice, and heartbeats tell the truth',
  { timeout: CYCLES * 60_000 },
  async () => {
    const folder = await tempFolder();
    const agents = ['web-01', 'web-02', 'nas-01'].map((writerId) => new Agent(folder, writerId));
    const url = `s3://${BUCKET}/${PREFIX}`;
    let proxy = await breakingProxy();
    let ended = 0;
    const first = Math.floor((agents.length * CYCLES) / 2);
    // A gateway that is away refuses connections.
    const endpointNow = (): string => {
      const isDown = ended >= first && ended < first + DOWN;
      return isDown ? 'http://127.0.0.1:9' : proxy.endpoint;
    };
    const live = async (agent: Agent): Promise<void> => {
      for (let at = 0; at < CYCLES; at++) {
        agent.edit();
        const isKilled = Math.random() < 0.2;
        await agent.cycle(url, endpointNow(), isKilled ? 200 + Math.random() * 2000 : undefined);
        ended++;
      }
    };
    await Promise.all(agents.map(live));
    await proxy.close();
    proxy = await startFaultProxy(upstream);
    for (const agent of agents) await agent.cycle(url, proxy.endpoint);
    await proxy.close();

    for (const agent of agents) {
      const { store } = await openTestS3(upstream, BUCKET, { prefix: `${PREFIX}/writers/${agent.writerId}` });
      const versions = await uploadsOf(store);
      expect(versions.at(-1)?.version).toBe(agent.version);
      for (const { uploadId } of versions) {
        const { out, failed } = await restoreMade({ objects: new Map(), uploadId }, { reader: store });
        expect(failed).toEqual([]);
        const restored = describeTree(rawFromText(out));
        expect(restored).toEqual(agent.reported.get(uploadId) ?? restored);
        rmSync(out, { recursive: true });
      }
      expect([...agent.reported.keys()].filter((id) => !versions.some(({ uploadId }) => uploadId === id))).toEqual([]);
      const { edits, allowance } = agent;
      const sent = await chunkBytes(store);
      expect(sent).toBeLessThan((edits + allowance) * (EDIT_BYTES + OVERHEAD_BYTES));
      const { store: base } = await openTestS3(upstream, BUCKET, { prefix: PREFIX });
      expect(await statusOf(base, agent.writerId)).toMatchObject({
        phase: 'waiting',
        problem: null,
        lastSuccessAt: agent.lastSuccessAt,
        cycle: { isHealthy: true },
        sources: [{ path: agent.source, version: agent.version, isHealthy: true }],
      });
    }
  },
);

async function uploadsOf(
  store: ObjectStore,
): Promise<readonly { readonly version: number; readonly uploadId: UploadId }[]> {
  const [[, listed] = ['', []], ...others] = [...(await listDatasets(store)).versions];
  expect(others).toEqual([]);
  const read = await readVersions(store, listed);
  return read.map((found) => {
    if ('problem' in found) throw found.problem;
    return { version: found.record.version, uploadId: found.record.uploadId };
  });
}

async function chunkBytes(store: ObjectStore): Promise<number> {
  let sum = 0;
  for await (const page of store.list({ prefix: 'uploads/' }))
    for (const { key, sizeBytes } of page.objects) if (key.endsWith('.tar.zst')) sum += sizeBytes;
  return sum;
}

const statusOf = async (store: ObjectStore, writerId: string): Promise<Heartbeat> =>
  parseHeartbeat(await readAll(await store.get(heartbeatKey(writerId)), 2 ** 20));
