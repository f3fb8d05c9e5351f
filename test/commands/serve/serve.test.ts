// `archiver serve` and `archiver mount` as somebody calls them.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { makeColdArchive } from '../../support/cold-archive.js';
import { DATASET, recordBytes, recordDocument, recordKey } from '../../support/make-dataset.js';
import { json, type CommandRun, runCommand } from '../../support/run-command.js';
import { startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { tempFolder } from '../../support/temp-folder.js';
import { differentRanges } from './random-ranges.js';

const root = program();

/** Starts the command; resolves once it says where it serves. */
async function serving(folder: string, args: readonly string[], env: Record<string, string> = {}) {
  const stopping = new AbortController();
  let onStderr: (text: string) => void = () => undefined;
  const listens = new Promise<string>((resolve) => {
    onStderr = (text) => {
      const [, url] = / at (http:\S+)/.exec(text) ?? [];
      if (url !== undefined) resolve(url);
    };
  });
  const running = runCommand({ root, folder, env, signal: stopping.signal, onStderr }, args);
  const ended = running.then(({ stderr }) => Promise.reject(new Error(stderr)));
  ended.catch(() => undefined);
  const url = await Promise.race([listens, ended]);
  const stop = async (): Promise<CommandRun> => {
    stopping.abort();
    return await running;
  };
  onTestFinished(async () => void (await stop()));
  return { url, stop };
}

const text = async (url: string, headers: Record<string, string> = {}): Promise<string> =>
  await (await fetch(url, { headers })).text();

/** A folder with a store that has two versions of the dataset `d`. */
async function made() {
  const folder = await tempFolder();
  mkdirSync(join(folder, 'data', 'below'), { recursive: true });
  writeFileSync(join(folder, 'data', 'large'), randomBytes(3_000_000));
  writeFileSync(join(folder, 'data', 'below', 'text'), 'some text\n'.repeat(20_000));
  symlinkSync('large', join(folder, 'data', 'link'));
  const upload = (...more: string[]) =>
    runCommand({ root, folder }, ['upload', 'data', './store', '--dataset-id', 'd', ...more]);
  expect((await upload()).status).toBe(0);
  return { folder, upload };
}

describe('serve', () => {
  it('gives what restore gives, for random ranges', async () => {
    const { folder } = await made();
    const { url, stop } = await serving(folder, ['serve', './store', '--json']);
    await runCommand({ root, folder }, ['restore', './store', 'out', '--all']);
    const restored = new Map(['large', 'below/text'].map((path) => [path, readFileSync(join(folder, 'out', path))]));

    expect(await differentRanges(`${url}by-dataset/d/latest/`, restored, 150)).toEqual([]);

    const { status, stdout } = await stop();
    expect(status).toBe(0);
    expect(json(stdout)).toMatchObject({ servedUrl: url, isWebdav: false, accessToken: null });
  });

  it('ends at once, says what it has served, and counts it in the ledger', async () => {
    const { folder } = await made();
    const { url, stop } = await serving(folder, ['serve', './store', '--webdav']);
    expect(await text(`${url}by-dataset/d/v0001/below/text`)).toBe('some text\n'.repeat(20_000));
    const before = performance.now();
    const { stdout, stderr } = await stop();

    expect(performance.now() - before).toBeLessThan(1500);
    expect(stdout).toBe(`${url}\n`);
    expect(stderr).toContain('1 request');
    await expect(fetch(url)).rejects.toThrow('fetch failed');
    const report = json((await runCommand({ root, folder }, ['cost', 'report', '--json'])).stdout);
    expect(JSON.stringify(report['runs'])).toContain('2');
  });

  it('asks for the token that it has made or was given, and prints only the former', async () => {
    const { folder } = await made();
    const auto = await serving(folder, ['serve', './store', '--token', 'auto', '--json']);
    expect((await fetch(auto.url)).status).toBe(401);
    const token = String(json((await auto.stop()).stdout)['accessToken']);
    expect(token).toMatch(/^[\w-]{22}$/);

    const env = { ARCHIVER_SERVE_TOKEN: 'a-token-of-my-own' };
    const own = await serving(folder, ['serve', './store', '--json'], env);
    expect((await fetch(own.url, { headers: { authorization: 'Bearer a-token-of-my-own' } })).status).toBe(200);
    const { stdout, stderr } = await own.stop();
    expect(stdout + stderr).not.toContain('a-token-of-my-own');

    const open = await serving(folder, ['serve', './store', '--listen', '0.0.0.0:0']);
    expect((await fetch(open.url.replace('0.0.0.0', '127.0.0.1'))).status).toBe(401);
    const ended = await open.stop();
    expect(ended.stdout).toMatch(/\?token=[\w-]{22}\n$/);
    expect(ended.stderr).toContain('is open to others, and without encryption');
  });

  it('refuses what cannot be served', async () => {
    const { folder } = await made();
    const failed = async (...args: string[]): Promise<string> => {
      const { status, stderr } = await runCommand({ root, folder }, ['serve', ...args]);
      return `${status} ${stderr}`;
    };
    expect(await failed('./nothing')).toMatch(/^1 .*there is no folder/);
    expect(await failed('./store', '--token', 'short')).toMatch(/^2 .*--token wants at least 16/);
    expect(await failed('./store', '--listen', 'nonsense')).toMatch(/^2 .*--listen wants host:port/);
    expect(await failed('./store', '--http', '--webdav')).toMatch(/^2 .*--http/);
    expect(await failed('./store/uploads/20251114-093012-1a2b3c4d')).toMatch(/^2 .*is an upload/);
  });

  it('says of a file in cold storage what it costs to request it, and how; and reads it once it is there', async () => {
    const cold = await makeColdArchive(['GLACIER', 'STANDARD']);
    const { archive, s3, store } = cold;
    const { uploadId, manifest, objects } = archive;
    const manifestBytes = objects.get(`uploads/${uploadId}/manifest.json.gz`) ?? Buffer.alloc(0);
    await store.put(recordKey(1), recordBytes(recordDocument({ version: 1, uploadId, manifest, manifestBytes })));
    const folder = await tempFolder();
    const env = { AWS_ENDPOINT_URL_S3: s3.endpoint, AWS_REGION: 'us-east-1' };
    const { url, stop } = await serving(folder, ['serve', 's3://cold'], env);
    const latest = `${url}by-dataset/${DATASET}/latest/`;

    expect((await fetch(`${latest}file-1`)).status).toBe(200);
    expect(await text(latest)).toContain('file-0</a> <span class="d">(cold)</span>');
    const answer = await fetch(`${latest}file-0`);
    expect(answer.status).toBe(409);
    const said = await answer.text();
    expect(said).toMatch(
      /^file-0 is in GLACIER and not readable yet: .*\nprice: less than \$0\.01 \(standard tier, readable for 7 days; .*\n/,
    );
    const command = said.trim().split('\n').at(-1) ?? '';
    expect(command).toBe(`archiver restore s3://cold/uploads/${uploadId} ./out --file file-0 --tier standard`);

    const { status } = await runCommand({ root, folder, env }, command.split(' ').slice(1));
    expect(status).toBe(5); // requested, and to be read later
    expect(await text(`${latest}file-0`)).toBe(
      'file-0 was requested from cold storage, and is not readable yet: ask again later\n',
    );
    cold.finishThaws();
    expect((await (await fetch(`${latest}file-0`)).arrayBuffer()).byteLength).toBe(5000);
    await stop();
  });

  it('fetches nothing that a budget does not allow', async () => {
    useTestCredentials();
    const s3 = await startMemoryS3('bucket');
    onTestFinished(() => s3.close());
    const { folder } = await made();
    const env = { AWS_ENDPOINT_URL_S3: s3.endpoint, AWS_REGION: 'us-east-1' };
    writeFileSync(join(folder, '.archiver.yaml'), 'costControl:\n  provider: aws\n');
    const run = (...argv: string[]) => runCommand({ root, folder, env }, argv);
    await run('upload', 'data', 's3://bucket/lab', '--dataset-id', 'd', '--project', 'p', '--json');
    const spent = Number(json((await run('cost', 'project', 'p', '--json')).stdout)['costUsd']);
    // 3 MB cost 0.00027 to get; the small file some hundred bytes.
    await run('budget', 'set', 'p', '--cost', String(spent + 0.00005));
    const chunks = () =>
      s3.requests.filter(({ operation, path }) => operation === 'GetObject' && path.includes('shard-'));
    const { url, stop } = await serving(folder, ['serve', 's3://bucket/lab'], env);
    const latest = 'by-dataset/d/latest';

    const refused = await fetch(`${url}${latest}/large`);
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('budget of project p')]);
    expect(chunks()).toEqual([]);
    expect((await fetch(`${url}${latest}/below/text`)).status).toBe(200);
    await stop();
    const free = await serving(folder, ['serve', 's3://bucket/lab', '--ignore-budget'], env);
    expect((await fetch(`${free.url}${latest}/large`)).status).toBe(200);
    await free.stop();
  });
});

describe('mount', () => {
  it('refuses folders in which nothing should be mounted, and says which program is missing', async () => {
    const { folder } = await made();
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    const failed = async (PATH: string, ...args: string[]): Promise<string> => {
      const { status, stderr } = await runCommand({ root, folder, env: { PATH } }, ['mount', './store', ...args]);
      return `${status} ${stderr}`;
    };
    expect(await failed(bin, './data', '--by', 'rclone')).toMatch(
      /^1 .*rclone is not on this computer[^]*apt-get install rclone/,
    );
    writeFileSync(join(bin, 'rclone'), '#!/bin/sh\necho no fuse here >&2; exit 1\n', { mode: 0o755 });
    expect(await failed(bin, './data')).toMatch(/^2 .*is not empty/);
    expect(await failed(bin, './nowhere')).toMatch(/^2 .*there is no folder/);
    mkdirSync(join(folder, 'empty'));
    expect(await failed(bin, './empty')).toMatch(/^1 .*rclone did not mount .*: no fuse here/);
  });
});
