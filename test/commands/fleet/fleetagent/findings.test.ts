// What agents find of themselves and of their sources, end to end: the heartbeat, the exit status of the agent, what `fleet status` and
// `fleet monitor` say, and answers by `fleetagent adopt`.
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseHeartbeat } from '../../../../src/core/fleet/heartbeat.js';
import { noise } from '../../../core/archive/trees.js';
import { archiver } from '../../../e2e/in-process.js';
import { startFaultProxy } from '../../../faults/fault-proxy.js';
import { startMemoryS3 } from '../../../support/memory-s3.js';
import { openTestS3, useTestCredentials } from '../../../support/open-s3.js';
import { startSkewedServer } from '../../../support/skewed-server.js';
import { tempFolder } from '../../../support/temp-folder.js';

interface Box {
  readonly home: string;
  readonly source: string;
  readonly cycle: (...more: readonly string[]) => Promise<number | null>;
  readonly adopt: (
    ...more: readonly string[]
  ) => Promise<{ readonly status: number | null; readonly stdout: string; readonly stderr: string }>;
}

const fill = (folder: string, count = 20): void => {
  mkdirSync(folder, { recursive: true });
  for (let at = 0; at < count; at++) writeFileSync(join(folder, `note-${at}.txt`), `text ${at} `.repeat(200));
};

/** A machine with an agent of writer `nas`, and twenty files. */
function box(home: string, url: string, env: Readonly<Record<string, string>> = {}, source = join(home, 'data')): Box {
  fill(source);
  return {
    home,
    source,
    cycle: async (...more) =>
      (
        await archiver(home, ['fleetagent', 'run', source, url, '--writer-id', 'nas', '--once', '--quiet', ...more], {
          env,
        })
      ).status,
    adopt: (...more) => archiver(home, ['fleetagent', 'adopt', url, '--writer-id', 'nas', ...more], { env }),
  };
}

async function folderWorld() {
  const home = realpathSync(await tempFolder());
  const base = join(home, 'store');
  const heartbeat = () => parseHeartbeat(readFileSync(join(base, 'writers', 'nas', 'status.json')));
  return {
    ...box(home, `file://${base}`),
    heartbeat,
    kinds: () => (heartbeat().findings ?? []).map(({ kind }) => kind),
    /** Exit status of the monitor, with the state of the writer and what it says of it. */
    seen: async () => {
      const prom = join(home, 'fleet.prom');
      const { status, stdout } = await archiver(home, [
        'fleet',
        'monitor',
        `file://${base}`,
        '--once',
        '--textfile',
        prom,
      ]);
      const healthy = /archiver_writer_healthy\{.*\} (\d)/.exec(readFileSync(prom, 'utf8'))?.[1];
      return { status, healthy, stdout };
    },
  };
}

test('an emptied folder is a failure for the agent and the monitor, until its files are back', async () => {
  const { source, cycle, kinds, heartbeat, seen } = await folderWorld();
  expect([await cycle(), (await seen()).status]).toEqual([0, 0]);
  const { lastSuccessAt } = heartbeat();
  for (const name of readdirSync(source)) rmSync(join(source, name));

  expect([await cycle(), kinds()]).toEqual([4, ['source-empty']]);
  expect(heartbeat()).toMatchObject({ lastSuccessAt, cycle: { isHealthy: false } });
  const { status, healthy, stdout } = await seen();
  expect([status, healthy]).toEqual([3, '0']);
  expect(stdout).toContain('it is empty, and held 20 files');

  fill(source);
  expect([await cycle(), kinds(), (await seen()).status]).toEqual([0, [], 0]);
});

test('most of a folder gone is a finding until it is adopted, and a folder that is gone is one', async () => {
  const { source, cycle, adopt, kinds, seen } = await folderWorld();
  await cycle();
  for (const name of readdirSync(source).slice(4)) rmSync(join(source, name));

  expect([await cycle(), await cycle(), kinds()]).toEqual([3, 3, ['source-shrunk']]);
  expect(await seen()).toMatchObject({ status: 3, healthy: '0' });
  const adopted = await adopt('--source', source);
  expect([adopted.status, adopted.stdout]).toEqual([0, expect.stringContaining('source-shrunk')]);
  expect([await cycle(), kinds(), (await seen()).status]).toEqual([0, [], 0]);
  expect((await adopt()).stdout).toContain('nothing of nas waits for an answer');

  rmSync(source, { recursive: true });
  expect([await cycle(), kinds()]).toEqual([1, ['source-empty']]);
});

test('a path that became a link is not followed, until it is adopted', async () => {
  const { source, cycle, adopt, kinds, heartbeat } = await folderWorld();
  await cycle();
  renameSync(source, `${source}-2`);
  writeFileSync(join(`${source}-2`, 'secret'), 'x');
  symlinkSync(`${source}-2`, source);

  expect([await cycle(), kinds()]).toEqual([4, ['source-moved']]);
  expect(heartbeat().sources).toMatchObject([{ isHealthy: false, version: 1 }]);
  await adopt();
  expect([await cycle(), kinds()]).toEqual([0, []]);
  expect(heartbeat().sources).toMatchObject([{ isHealthy: true, version: 1, files: 21 }]);
});

test.each([
  ['in place', (folder: string, name: string) => writeFileSync(join(folder, name), noise(1500))],
  [
    'under new suffixes',
    (folder: string, name: string) => {
      rmSync(join(folder, name));
      writeFileSync(join(folder, `${name}.locked`), `as text ${name} `.repeat(100));
    },
  ],
])('files that are encrypted %s are a finding that stays, and a tree that is edited is none', async (_, encrypt) => {
  const { source, cycle, adopt, kinds, seen } = await folderWorld();
  await cycle();
  for (const name of readdirSync(source)) writeFileSync(join(source, name), `another text of ${name} `.repeat(100));
  expect([await cycle(), kinds()]).toEqual([0, []]);
  for (const name of readdirSync(source)) encrypt(source, name);

  expect([await cycle(), await cycle(), kinds()]).toEqual([3, 3, ['mass-change']]);
  expect((await seen()).status).toBe(3);
  await adopt();
  expect([await cycle(), kinds()]).toEqual([0, []]);
});

test('what cannot be adopted is refused in a sentence', async () => {
  const { adopt, cycle } = await folderWorld();
  const none = await adopt();
  await cycle();
  const stranger = await adopt('--source', '/etc');
  expect([none.status, none.stderr]).toEqual([1, expect.stringMatching(/no agent of nas for file:.* has run/)]);
  expect([stranger.status, stranger.stderr]).toEqual([2, expect.stringContaining('/etc is no source of nas')]);
});

const URL = 's3://fleet/base';

/** Writers that may put and list and nothing else. */
async function s3World() {
  useTestCredentials();
  const s3 = await startMemoryS3('fleet');
  onTestFinished(() => s3.close());
  const proxy = await startFaultProxy(s3.endpoint);
  onTestFinished(() => proxy.close());
  for (const operation of ['GetObject', 'HeadObject', 'HeadBucket', 'DeleteObject', 'DeleteObjects'])
    proxy.inject({ operation, fault: { kind: 'status', status: 403, code: 'AccessDenied' } });
  const above = realpathSync(await tempFolder());
  const keys = { AWS_ACCESS_KEY_ID: 'archiver', AWS_SECRET_ACCESS_KEY: 'secret' };
  return {
    s3,
    above,
    machine: (name: string, endpoint = proxy.endpoint) =>
      box(join(above, name), URL, { ...keys, AWS_ENDPOINT_URL: endpoint }, join(above, 'data')),
    /** Number of records of versions. */
    versions: () => [...(s3.buckets.get('fleet')?.keys() ?? [])].filter((key) => key.includes('/datasets/')).length,
    kinds: () => {
      const body = s3.buckets.get('fleet')?.get('base/writers/nas/status.json')?.body ?? Buffer.alloc(0);
      return (parseHeartbeat(body).findings ?? []).map(({ kind }) => kind);
    },
  };
}

test('two clones end after one full version each, and say so, until one is answered', async () => {
  const { machine, above, kinds, versions } = await s3World();
  const one = machine('one');
  await one.cycle();
  cpSync(join(above, 'one'), join(above, 'two'), { recursive: true });
  const two = machine('two');
  const statuses: (number | null)[] = [];
  for (let at = 0; at < 6; at++)
    for (const clone of [one, two]) {
      writeFileSync(join(one.source, 'new'), `${clone.home} ${at}`);
      statuses.push(await clone.cycle());
    }

  // The first change, one full version of each clone; then one of them goes on with changes, and the other is held.
  expect(statuses.slice(0, 4)).toEqual([0, 3, 3, 4]);
  expect(statuses.slice(4)).toEqual([3, 4, 3, 4, 3, 4, 3, 4]);
  expect(versions()).toBe(8);
  expect(kinds()).toEqual(['sent-again', 'held']);
  expect((await two.adopt()).stdout).toContain('held');
  expect([await two.cycle(), kinds(), await two.cycle(), await one.cycle()]).toEqual([0, [], 0, 4]);
});

test('a forged record costs one full version, and another one nothing until it is answered', async () => {
  const { machine, s3, kinds, versions, above } = await s3World();
  const nas = machine('one');
  await nas.cycle();
  const { store } = await openTestS3(s3.endpoint, 'fleet', { prefix: 'base/writers/nas' });
  const forge = async (version: number): Promise<void> => {
    const [key = ''] = [...(s3.buckets.get('fleet')?.keys() ?? [])].filter((name) => name.includes('/datasets/'));
    const name = key
      .slice('base/writers/nas/'.length)
      .replace(/v\d+/, (was) => `v${String(version).padStart(was.length - 1, '0')}`);
    await store.put(name, Buffer.from(JSON.stringify({ format: 1 })));
  };
  await forge(2);
  expect([await nas.cycle(), kinds()]).toEqual([3, ['sent-again']]);
  writeFileSync(join(above, 'data', 'new'), 'x');
  expect([await nas.cycle(), kinds()]).toEqual([3, ['sent-again']]);
  const before = versions();
  await forge(9);
  expect([await nas.cycle(), await nas.cycle(), kinds()]).toEqual([4, 4, ['sent-again', 'held']]);
  expect(versions()).toBe(before + 1);
  await nas.adopt();
  expect([await nas.cycle(), kinds()]).toEqual([0, []]);
});

test('a store at another address is told, and gets one full version', async () => {
  const { machine, kinds } = await s3World();
  await machine('one').cycle();
  const other = await startMemoryS3('fleet');
  onTestFinished(() => other.close());
  const moved = machine('one', other.endpoint);
  const body = (): string => other.buckets.get('fleet')?.get('base/writers/nas/status.json')?.body.toString() ?? '';

  expect([await moved.cycle(), await moved.cycle()]).toEqual([3, 3]);
  expect(parseHeartbeat(Buffer.from(body())).findings).toMatchObject([{ kind: 'endpoint-changed' }]);
  expect(kinds()).toEqual([]);
  await moved.adopt();
  expect(await moved.cycle()).toBe(0);
});

test('a clock that is an hour off is set by the store, and told', async () => {
  const { machine, s3, kinds } = await s3World();
  const server = await startSkewedServer(s3.endpoint, 3_600_000);
  const nas = machine('one', server.endpoint);
  expect([await nas.cycle(), kinds()]).toEqual([3, ['clock-skewed']]);
  expect(server.refused).toBeGreaterThan(0);
});
