// Separate processes on one dataset of a real S3 server at once.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import type { ObjectStore } from '../../src/core/store/object-store.js';
import { rawFromText } from '../../src/core/platform/paths/raw-path.js';
import { describeTree, noise } from '../core/archive/trees.js';
import { unnamedOrphans } from '../kill/orphans.js';
import { readStore } from '../kill/store-state.js';
import { openTestS3, useTestCredentials } from '../support/open-s3.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver, makeFolder, type Ran } from './upload-cli.js';

const BUCKET = 'at-once';
const TIMEOUT_MS = 300_000;
const upstream = process.env['ARCHIVER_TEST_RGW'] ?? '';
const env = {
  AWS_ENDPOINT_URL: upstream,
  AWS_ACCESS_KEY_ID: 'archiver',
  AWS_SECRET_ACCESS_KEY: 'archiver-secret',
  AWS_REGION: 'us-east-1',
};

let folder = '';
let source = '';
let store: ObjectStore;

/** Each computer has a home, and with it a cache, of its own. */
const on = (computer: number, ...args: string[]): Promise<Ran> =>
  archiver(makeFolder(folder, `home-${computer}`), args, { env, timeoutMs: TIMEOUT_MS });
const sync = (computer: number): Promise<Ran> =>
  on(computer, 'sync', source, store.url, '--dataset-id', 'lab', '--track-deletes', '--json');
const prune = (computer: number): Promise<Ran> =>
  on(computer, 'dataset', 'prune', store.url, '--dataset-id', 'lab', '--keep-last', '1', '--force', '--json');

function edit(round: number): void {
  for (let i = 0; i < 3; i++) writeFileSync(join(source, `new-${round}-${i}`), noise(20_000));
  rmSync(join(source, `file-${round}`));
}

async function done(running: Promise<Ran>): Promise<void> {
  const { status, stderr } = await running;
  expect(status === 0 ? '' : stderr).toBe('');
}

async function expectRestored(version: number): Promise<void> {
  const out = join(folder, `out-${version}`);
  await done(on(0, 'restore', store.url, out, '--dataset-id', 'lab', '--version', String(version), '--all', '-q'));
  expect(describeTree(rawFromText(out))).toEqual(describeTree(rawFromText(source)));
}

beforeAll(async () => {
  useTestCredentials();
  const client = new S3Client({ endpoint: upstream, region: 'us-east-1', forcePathStyle: true });
  await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
});

beforeEach(async () => {
  folder = await tempFolder();
  source = join(folder, 'source');
  mkdirSync(source);
  for (let i = 0; i < 40; i++) writeFileSync(join(source, `file-${i}`), `content ${i}`);
  ({ store } = await openTestS3(upstream, BUCKET));
  await sync(0);
});

test(
  'ten syncs end in versions that are the same, and a prune would name what is left without one',
  { timeout: TIMEOUT_MS },
  async () => {
    edit(0);

    const runs = await Promise.all(Array.from({ length: 10 }, (_, computer) => sync(computer)));

    expect(runs.map(({ status, stderr }) => (status === 0 ? 0 : stderr))).toEqual(Array.from({ length: 10 }, () => 0));
    const versions = await readStore(store);
    const [, ...others] = [...versions.values()];
    expect(others.length).toBeGreaterThan(0);
    for (const content of others) expect(content).toEqual(others[0]);
    for (let version = 2; version <= versions.size; version++) await expectRestored(version);
    expect(await unnamedOrphans(store)).toEqual([]);
  },
);

test(
  'a sync and two prunes lose nothing that is kept, and the next prune tidies up',
  { timeout: TIMEOUT_MS },
  async () => {
    for (const round of [0, 1, 2]) {
      edit(round);
      await sync(0);
    }
    edit(3);

    // Each may be told to run again, as the other one changed what it had looked at.
    await Promise.all([sync(1), prune(2), prune(3)]);
    const during = await readStore(store);
    await done(sync(1));
    await done(prune(2));

    expect(Math.max(...[...during.keys()].map((name) => Number(name.slice('lab v'.length))))).toBeGreaterThan(3);
    const versions = await readStore(store);
    expect(versions.size).toBe(1);
    await expectRestored(Number([...versions.keys()][0]?.slice('lab v'.length)));
    expect(await unnamedOrphans(store)).toEqual([]);
  },
);
