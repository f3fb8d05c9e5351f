// The views of a store, through the program.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { startFaultProxy } from '../../faults/fault-proxy.js';
import { fillHome, savedId } from '../../support/dashboard-home.js';
import { checkIn } from '../../support/fleet.js';
import { writeObjects } from '../../support/make-dataset.js';
import { type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { manifestKeyOf, storedUploads, uploadIdOf } from '../../support/stored-uploads.js';
import { tempFolder } from '../../support/temp-folder.js';

useTestCredentials();
const root = program();
let server: MemoryS3;
let folder = '';
let base = '';

beforeAll(async () => {
  server = await startMemoryS3('bucket');
});
afterAll(() => server.close());
beforeEach(async () => {
  folder = await tempFolder();
  base = join(folder, 'store');
});

const run = (argv: readonly string[], url = `file://${base}`): Promise<CommandRun> =>
  runCommand({ root, folder, now: () => new Date('2026-03-04T05:04:00Z') }, ['dashboard', url, '--once', ...argv]);

test('--once prints the inventory, and as a document', async () => {
  await writeObjects(base, storedUploads(3));

  const text = await run(['--view', 'inventory']);
  const document = await run(['--view', 'inventory', '--json']);

  expect([text.status, document.status]).toEqual([0, 0]);
  expect(text.stdout).toContain('/data/run-2');
  expect(json(document.stdout)).toMatchObject({
    view: 'inventory',
    location: `file://${base}`,
    unreadableCount: 0,
    storedUploads: [
      { uploadId: uploadIdOf(2), datasetId: 'data-00000002', version: 1, storageClass: 'GLACIER_IR', problem: null },
      { uploadId: uploadIdOf(1) },
      { uploadId: uploadIdOf(0) },
    ],
  });
});

test('an upload that is named shows its store', async () => {
  await writeObjects(base, storedUploads(2));
  const { stdout } = await run(['--view', 'inventory', '--json'], `file://${base}/uploads/${uploadIdOf(1)}/`);
  expect(json(stdout)).toMatchObject({ location: `file://${base}`, storedUploads: [{}, {}] });
});

test('an upload that is damaged, and one of which half is written, are rows with their reasons', async () => {
  await writeObjects(base, storedUploads(3));
  writeFileSync(join(base, manifestKeyOf(1)), 'garbage');
  writeFileSync(join(base, manifestKeyOf(0)), '');

  const { stdout, status } = await run(['--view', 'inventory', '--json']);

  expect(status).toBe(0);
  const { storedUploads: uploads, unreadableCount } = json(stdout) as {
    storedUploads: { problem: string | null }[];
  } & Record<string, unknown>;
  expect(unreadableCount).toBe(2);
  expect(uploads.map(({ problem }) => problem)).toEqual([
    null,
    expect.stringContaining('is damaged'),
    expect.stringContaining('shorter than the range'),
  ]);
});

test('--once prints the fleet, and as a document', async () => {
  await checkIn(base, 'web-01');
  await checkIn(base, 'web-02', {}, '2026-03-04T01:00:00Z');

  const text = await run(['--view', 'fleet']);
  const document = await run(['--view', 'fleet', '--json']);

  expect([text.status, document.status]).toEqual([0, 0]);
  expect(text.stdout).toMatch(/● +web-01 +4m ago +ok +1\/1 ok/);
  expect(json(document.stdout)).toMatchObject({
    view: 'fleet',
    writerCount: 2,
    writers: [{ writerId: 'web-02' }, { writerId: 'web-01' }],
  });
});

test('--once never scans: it says what does', async () => {
  await writeObjects(base, storedUploads(1));
  const { stdout, status } = await run(['--view', 'analyze']);
  expect(status).toBe(0);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`archiver analyze file://${base} does that`);
  expect(json((await run(['--view', 'analyze', '--json'])).stdout)).toMatchObject({ view: 'analyze', troubles: [] });
});

test('a store without uploads or writers says so', async () => {
  await writeObjects(base, new Map([['readme', Buffer.from('x')]]));
  expect((await run(['--view', 'inventory'])).stdout).toContain('There is no finished upload right below');
  expect((await run(['--view', 'fleet'])).stdout).toContain('No writer has a place at');
  rmSync(base, { recursive: true });
  const gone = await run(['--view', 'inventory']);
  expect(gone.status).toBe(1);
  expect(gone.stderr).toContain('there is no folder');
});

test('without a store its views say what to type', async () => {
  for (const view of ['inventory', 'analyze', 'fleet']) {
    const { stdout, status } = await runCommand({ root, folder }, ['dashboard', '--once', '--view', view]);
    expect(status).toBe(0);
    expect(stdout).toContain('archiver dashboard s3://BUCKET/PREFIX');
  }
});

test('of a bucket: a listing and two GETs an upload; the next start sends the listing alone', async () => {
  for (const [key, body] of storedUploads(10))
    server.buckets
      .get('bucket')
      ?.set(`lab/${key}`, { body, etag: key.length + String(body.length), modified: new Date(0), headers: {} });
  const inventory = async (): Promise<string[]> => {
    server.requests.length = 0;
    const { status } = await run(
      ['--view', 'inventory', '--endpoint-url', server.endpoint, '--region', 'us-east-1'],
      's3://bucket/lab',
    );
    expect(status).toBe(0);
    return server.requests.map(({ operation }) => operation).toSorted();
  };

  expect(await inventory()).toEqual([...Array.from({ length: 20 }, () => 'GetObject'), 'ListObjectsV2']);
  expect(await inventory()).toEqual(['ListObjectsV2']);
});

test('--once prints the plans of a store beside the uploads, and as plan status has them', async () => {
  mkdirSync(join(folder, 'data'));
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, 'data', name), name.repeat(2000));
  // Folders have the clock of this computer.
  const called = (words: string): Promise<CommandRun> => runCommand({ root, folder }, words.split(' '));
  const plan = json((await called(`plan data file://${base} --parts 3 --json`)).stdout);
  const url = String(plan['location']);
  await called(`work ${url} --part 0`);

  const uploads = `dashboard file://${base} --once --view uploads`;
  const text = await called(uploads);
  const document = await called(`${uploads} --json`);
  const {
    requests: _requests,
    schemaVersion: _version,
    ...status
  } = json((await called(`plan status ${url} --json`)).stdout);

  expect([text.status, document.status, document.stderr]).toEqual([0, 0, '']);
  expect(text.stdout).toMatch(new RegExp(`^ ${String(plan['uploadId'])} +not begun .* 33% `, 'm'));
  expect(json(document.stdout)).toMatchObject({ view: 'uploads', uploads: [], troubles: [] });
  expect(json(document.stdout)['plans']).toEqual([
    { ...status, bytesPerSecond: expect.any(Number), etaMs: expect.any(Number) },
  ]);
});

test('where a store refuses to be listed, the uploads of this computer are printed, and the refusal is told', async () => {
  const proxy = await startFaultProxy(server.endpoint);
  onTestFinished(() => proxy.close());
  proxy.inject({ operation: 'ListObjectsV2', fault: { kind: 'status', status: 403, code: 'AccessDenied' } });
  await fillHome(join(folder, 'home'), new Date('2026-03-04T05:04:00Z'), { uploads: 1 });
  const at = ['--endpoint-url', proxy.endpoint, '--region', 'us-east-1', '--view', 'uploads'];

  const text = await run(at, 's3://bucket/none');
  const document = await run([...at, '--json'], 's3://bucket/none');

  expect([text.status, document.status]).toEqual([1, 1]);
  expect(text.stderr).toContain('access denied');
  expect(text.stdout).toContain(savedId(0));
  expect(json(document.stdout)).toMatchObject({ uploads: [{}], troubles: [expect.stringContaining('access denied')] });
  expect(json(document.stdout)).not.toHaveProperty('plans');
});

test('of a bucket: what a look at a plan and its parts takes', async () => {
  mkdirSync(join(folder, 'data'));
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, 'data', name), name.repeat(2000));
  const access = `--endpoint-url ${server.endpoint} --region us-east-1`;
  const called = (words: string): Promise<CommandRun> => runCommand({ root, folder }, words.split(' '));
  const plan = json((await called(`plan data s3://bucket/plans --parts 3 --json ${access}`)).stdout);
  await called(`work ${String(plan['location'])} --part 0-1 ${access}`);
  server.requests.length = 0;

  await called(`dashboard s3://bucket/plans --once --view uploads ${access}`);

  const counts = new Map<string, number>();
  for (const { operation } of server.requests) counts.set(operation, (counts.get(operation) ?? 0) + 1);
  // A HEAD of each upload; the plan and two attempts are read. Folders, versions before anything else, and the four of the status are listed.
  expect(Object.fromEntries(counts)).toEqual({ ListObjectsV2: 6, HeadObject: 3, GetObject: 3 });
});
