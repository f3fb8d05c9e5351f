// Commands that read a manifest from a slow store, in a real terminal: they say how far they are, and leave their result alone.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type FaultProxy, startFaultProxy } from '../faults/fault-proxy.js';
import { md5 } from '../support/make-archive.js';
import { DATASET, type MadeDataset, makeDataset } from '../support/make-dataset.js';
import { type MemoryS3, startMemoryS3 } from '../support/memory-s3.js';
import { openSession, type TerminalSession } from '../support/terminal-session.js';
import { archiver, CLI } from './upload-cli.js';

const FILES = 3000;
const home = mkdtempSync(join(tmpdir(), 'archiver-slow-'));
let s3: MemoryS3;
let proxy: FaultProxy;
let upload: string;
let made: MadeDataset;

beforeAll(async () => {
  const names = Array.from({ length: FILES }, (_, n) => `data/part-${md5(String(n))}.csv`).sort();
  made = makeDataset([
    { files: names.map((path) => ({ path, content: 'x', extra: { stage: 'prepare' } })) },
    { files: [{ path: 'new.txt', content: 'new' }] },
  ]);
  s3 = await startMemoryS3('lab');
  for (const [key, body] of made.objects)
    s3.buckets.get('lab')?.set(key, { body, etag: md5(body), modified: new Date(), headers: {} });
  proxy = await startFaultProxy(s3.endpoint);
  upload = `s3://lab/uploads/${String(made.manifests[0]?.['uploadId'])}`;
});
afterAll(async () => {
  await proxy.close();
  await s3.close();
  rmSync(home, { recursive: true });
});
beforeEach(() => proxy.clear());

const ENV = { HOME: home, AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'us-east-1' };

const open = (args: readonly string[]): TerminalSession =>
  openSession(args, { cwd: home, env: { ...ENV, AWS_ENDPOINT_URL: proxy.endpoint } });
const run = (...args: readonly string[]): TerminalSession => open([CLI, ...args]);

const delayed = (): void => proxy.inject({ fault: { kind: 'delay', ms: 2500 }, path: /manifest/, times: 1 });

describe('a slow manifest on a terminal', () => {
  it.each([
    ['info', 'Shards', () => ['info', upload]],
    ['dvc stages', 'prepare', () => ['dvc', 'stages', upload]],
    ['list', 'SIZE', () => ['list', upload, '--pattern', 'data/part-00*']],
    ['dataset diff', 'v1 to v2', () => ['dataset', 'diff', 's3://lab', '--dataset-id', DATASET, '--from', '1']],
  ])('is told of by %s, which leaves only its result', async (_name, result, args) => {
    delayed();
    const session = run(...args());
    const during = await session.until('reading the manifest');
    const status = await session.exited;

    expect(during[0]).toMatch(/^Opening s3:\/\/lab/);
    const left = (await session.screen()).join('\n');
    expect([status, left.includes('Opening'), left.includes('ctrl+c')]).toEqual([0, false, false]);
    expect(left).toContain(result);
    expect(session.isCursorShown()).toBe(true);
  });

  it.each([
    ['dataset list', DATASET, () => ['dataset', 'list', 's3://lab']],
    ['dataset versions', 'v2  ', () => ['dataset', 'versions', 's3://lab', '--dataset-id', DATASET]],
    ['list of a store', '1 dataset,', () => ['list', 's3://lab']],
  ])('is told of by %s, of the records that it reads', async (_name, result, args) => {
    proxy.inject({ fault: { kind: 'delay', ms: 2500 }, path: /datasets\/.+\.json/, times: 1 });
    const session = run(...args());
    await session.until('reading version records');

    expect(await session.exited).toBe(0);
    const left = (await session.screen()).join('\n');
    expect([left.includes('Opening'), left.includes(result)]).toEqual([false, true]);
  });

  it('says nothing of one that is quick', async () => {
    for (const [key, body] of made.objects) {
      mkdirSync(dirname(join(home, 'store', key)), { recursive: true });
      writeFileSync(join(home, 'store', key), body);
    }
    const session = run('info', `file://${home}/store/uploads/${made.uploadIds[0]}`);
    await session.exited;

    expect(session.written()).not.toContain('\u001b');
  });

  it('makes room for rows that come meanwhile', async () => {
    proxy.inject({ fault: { kind: 'slow-response', bytesPerSecond: 40_000 }, path: /manifest/ });
    // The terminal stays open until all is read: what nobody has read is gone with its last process.
    const script = `require('child_process').spawnSync(process.execPath,${JSON.stringify([CLI, 'list', upload])},{stdio:'inherit'});process.stdin.once('data',()=>process.exit())`;
    const session = open(['-e', script]);

    const rows = (): number => session.written().match(/ data\/part-[0-9a-f]{32}\.csv\r\n/g)?.length ?? 0;
    await expect.poll(rows).toBe(FILES);
    session.type('\r');
    await session.exited;
    // A row is some columns wider than the window.
    expect(
      (await session.screen()).filter((line) => !/^(?:[0-9a-f]{0,3}\.csv|v|.* data\/part-.*)$/.test(line)),
    ).toEqual([]);
  });

  it('shows how far it is until all has gone into a file', async () => {
    proxy.inject({ fault: { kind: 'slow-response', bytesPerSecond: 40_000 }, path: /manifest/ });
    const script = `const {spawnSync}=require('child_process'),fs=require('fs');process.exit(spawnSync(process.execPath,${JSON.stringify([CLI, 'list', upload, '--json'])},{stdio:[0,fs.openSync('list.json','w'),2]}).status)`;
    const session = open(['-e', script]);
    const during = await session.until(/[1-9][\d ]* of 3 000 entries/);
    await session.exited;

    expect(during[0]).toMatch(/^Opening s3/);
    expect(await session.screen()).toEqual([]);
    expect(JSON.parse(readFileSync(join(home, 'list.json'), 'utf8'))).toMatchObject({ files: FILES });
  });

  it('is told of by browse, which shows of a restore too what the store does', async () => {
    proxy.inject({ fault: { kind: 'reset' }, path: /manifest/, times: 4 });
    proxy.inject({ fault: { kind: 'slow-response', bytesPerSecond: 30_000 }, path: /manifest/ });
    const session = run('browse', upload, './out');
    await session.until(/store unreachable, try \d of \d+/);
    await session.until(/^ [━╸─]+ +\d+% +[\d.]+ of [\d.]+ KiB/);
    await session.until(/ 0 selected .* 1 of 3 000$/);
    proxy.inject({ fault: { kind: 'reset' }, path: /chunk/, times: 5 });
    session.type(' \r\r');
    await session.until(/store unreachable, try \d of \d+/);
    await session.until('Restored 1 file');
    session.type('q');

    expect(await session.exited).toBe(0);
  });

  it.each([
    ['info', () => ['info', upload], /manifest/],
    ['dataset list', () => ['dataset', 'list', 's3://lab'], /datasets/],
  ])('has the tries of %s told in a log', async (_name, args, path) => {
    proxy.inject({ fault: { kind: 'reset' }, path, times: 1 });
    const { status, stderr } = await archiver(home, args(), { env: { ...ENV, AWS_ENDPOINT_URL: proxy.endpoint } });

    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.stringMatching(/; try 2 of \d+ in /) as string });
  });

  it('says that the store cannot be reached', async () => {
    proxy.inject({ fault: { kind: 'reset' }, path: /manifest/, times: 4 });
    const session = run('info', upload);
    await session.until(/store unreachable, try \d of \d+/);
    await session.exited;

    expect((await session.screen()).join('\n')).toMatch(/size +2\.9 KiB[^]*Shards\n/);
  });
});
