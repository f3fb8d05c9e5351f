// An upload and a restore, one request at a time: between two of them the clock goes on, so that rates and times come out the
// same every time. Where a scene is to be photographed, the server answers no more.
import { createHash } from 'node:crypto';
import { mkdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultRule } from '../faults/fault.js';
import { startFaultProxy } from '../faults/fault-proxy.js';
import { type MemoryObject, startMemoryS3 } from '../support/memory-s3.js';
import { openSession } from '../support/terminal-session.js';
import { CLI } from '../e2e/upload-cli.js';
import { CLOCK, type PhotographedScreen, type Scene, type World } from './scene.js';

const BUCKET = 'acme-archive';
const BASE = `s3://${BUCKET}/lab`;
const MIB = 2 ** 20;
const FILES = 40;
/** Longer than anything waits before it tells what it has done. */
const QUIET_MS = 400;
const STEP_MS = 2000;
const CHUNK = /\/shard-/;

const UPLOAD = ['upload', 'run-0412', BASE, '--dataset-id', 'run-04xx', '--shard-count', '8', '--transporter', 'none'];
const RESTORE = ['restore', BASE, 'out', '--dataset-id', 'run-04xx', '--all', '--workers', '1'];

interface ProgressScene extends Scene {
  readonly rule?: FaultRule;
  /** Chunks are in this class. */
  readonly storageClass?: string;
}

const SCENES: readonly ProgressScene[] = [
  {
    name: 'upload',
    args: UPLOAD,
    rule: { fault: { kind: 'no-answer' }, operation: 'PutObject', path: CHUNK, skip: 5 },
    steps: [['see', /25 of 40 files|5 of 8 chunks|5\/8 chunks/]],
  },
  {
    name: 'retry',
    args: UPLOAD,
    rule: {
      fault: { kind: 'status', status: 503, code: 'SlowDown', headers: { 'retry-after': '90' } },
      operation: 'PutObject',
      path: CHUNK,
      skip: 3,
    },
    steps: [['see', 'try 2 of']],
  },
  { name: 'uploaded', args: UPLOAD, steps: [['see', 'archiver verify']] },
  {
    name: 'restore',
    args: RESTORE,
    rule: { fault: { kind: 'no-answer' }, operation: 'GetObject', path: CHUNK, skip: 5 },
    steps: [['see', /25 of 40 files|5 of 8 chunks|5\/8 chunks/]],
  },
  { name: 'restored', args: RESTORE, steps: [['see', 'Restored']] },
  {
    name: 'thaw',
    args: [...RESTORE, '--wait'],
    storageClass: 'GLACIER',
    steps: [['see', 'readable']],
  },
];

async function openWorld(): Promise<World> {
  // Of one name, because it is on the screens.
  const cwd = join(tmpdir(), 'archiver-screens');
  await rm(cwd, { recursive: true, force: true });
  await mkdir(cwd);
  const clock = join(cwd, 'clock');
  let ms = 0;
  const setClock = async (to: number): Promise<void> => {
    ms = to;
    await writeFile(clock, String(ms));
  };
  const s3 = await startMemoryS3(BUCKET);
  const proxy = await startFaultProxy(s3.endpoint, async (operation, path) => {
    if (!CHUNK.test(path) || !/^(?:Put|Get)Object$/.test(operation)) return;
    await sleep(QUIET_MS);
    await setClock(ms + STEP_MS);
  });
  await writeSource(join(cwd, 'run-0412'));
  const env = {
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    TZ: 'UTC',
    HOME: cwd,
    ARCHIVER_HOME: join(cwd, '.archiver'),
    ARCHIVER_TEST_CLOCK: clock,
    AWS_ENDPOINT_URL: proxy.endpoint,
    AWS_REGION: 'us-west-2',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
  };
  await setClock(0);
  const uploading = openSession(['--import', CLOCK, CLI, ...UPLOAD], { cwd, env });
  await uploading.exited;
  const uploaded = new Map(s3.buckets.get(BUCKET));
  return {
    args: [],
    cwd,
    env,
    async begin({ args = [], rule, storageClass }: ProgressScene) {
      proxy.clear();
      if (rule !== undefined) proxy.inject(rule);
      for (const left of ['out', '.archiver']) await rm(join(cwd, left), { recursive: true, force: true });
      const isUpload = args[0] === 'upload';
      s3.buckets.set(BUCKET, new Map(isUpload ? [] : [...uploaded].map((one) => inClass(one, storageClass))));
      await setClock(0);
    },
    async close() {
      await proxy.close();
      await s3.close();
      await rm(cwd, { recursive: true });
    },
  };
}

const inClass = ([key, object]: [string, MemoryObject], storageClass?: string): [string, MemoryObject] =>
  storageClass === undefined || !CHUNK.test(key)
    ? [key, object]
    : [key, { ...object, headers: { ...object.headers, 'x-amz-storage-class': storageClass } }];

/** Half of each file is noise, half of it is not. */
async function writeSource(folder: string): Promise<void> {
  await mkdir(folder);
  const time = new Date('2025-11-13T22:01:44Z');
  for (let at = 0; at < FILES; at++) {
    const path = join(folder, `part-${String(at).padStart(4, '0')}.bin`);
    const noise = Array.from({ length: MIB / 64 }, (_, n) => createHash('sha256').update(`${at} ${n}`).digest());
    await writeFile(path, Buffer.concat([...noise, Buffer.alloc(MIB / 2, `row ${at}\n`)]));
    await utimes(path, time, time);
  }
  await utimes(folder, time, time);
}

export const progressScreen: PhotographedScreen = { name: 'progress', open: openWorld, scenes: SCENES };
