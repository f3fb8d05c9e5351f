import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { command as estimate } from '../../../src/commands/money/estimate.js';
import { command as upload } from '../../../src/commands/upload.js';
import { appendRecords } from '../../../src/core/money/ledger/ledger.js';
import type { LedgerRecord } from '../../../src/core/money/ledger/record.js';
import { ledgerRecord } from '../../support/ledger-record.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';
import { treeOf } from '../../support/tree-of.js';

const root = treeOf([estimate, upload], [], 'test');
const WORDS = 'some lines of text that compress as text does; ';
let folder = '';

beforeEach(async () => {
  folder = await tempFolder();
  await mkdir(join(folder, 'data', 'deep'), { recursive: true });
  await writeFile(join(folder, 'data', 'random.bin'), randomBytes(1_500_000));
  for (let n = 0; n < 40; n++)
    await writeFile(join(folder, 'data', 'deep', `${n}.txt`), `${n} ${WORDS.repeat(50 * n)}${n ** 9}`);
});

const run = (...argv: string[]): Promise<CommandRun> => runCommand({ root, folder }, argv);
const estimated = async (...argv: string[]): Promise<Record<string, unknown>> =>
  json((await run('estimate', 'data', '--json', ...argv)).stdout);
const classesOf = ({ classEstimates }: Record<string, unknown>): readonly string[] =>
  (classEstimates as readonly { readonly storageClass: string }[]).map(({ storageClass }) => storageClass);

describe('estimate', () => {
  test('is what an upload of the folder then stores', async () => {
    await writeFile(join(folder, 'data', '.archiverignore'), '3*.txt\n');
    const { files, bytes, chunks, storedBytes, sampledShare, shardCount } = await estimated('--exclude', '/deep/7.txt');

    const uploaded = json(
      (await run('upload', 'data', join(folder, 'store'), '--exclude', '/deep/7.txt', '--json')).stdout,
    );

    expect({ files, bytes, chunks, shardCount }).toEqual({
      files: uploaded['files'],
      bytes: uploaded['bytes'],
      chunks: uploaded['chunks'],
      shardCount: uploaded['shardCount'],
    });
    expect(sampledShare).toBe(1);
    expect(Number(uploaded['storedBytes']) / Number(storedBytes)).toBeCloseTo(1, 1);
  });

  test('counts what the lists of many small files take, which is more than their content', async () => {
    await mkdir(join(folder, 'small'));
    for (let n = 0; n < 3000; n++) await writeFile(join(folder, 'small', `${n}.txt`), `file ${n}\n`);
    const { storedBytes, manifestBytes } = json((await run('estimate', 'small', '--json')).stdout);

    const { stdout } = await run('upload', 'small', join(folder, 'store'), '--json');
    const { storedBytes: uploaded, manifestKey } = json(stdout);
    const manifest = await stat(join(folder, 'store', String(manifestKey)));

    expect(storedBytes).toBeGreaterThan(3000 * 16);
    expect(Math.abs(Number(uploaded) / Number(storedBytes) - 1)).toBeLessThan(0.15);
    expect(Math.abs(manifest.size / Number(manifestBytes) - 1)).toBeLessThan(0.15);
  });

  test('shows every class, what is sampled, and where prices are from', async () => {
    const { status, stdout } = await run('estimate', 'data');

    expect(status).toBe(0);
    expect(stdout).toMatch(
      /^data: 41 files, 3\.\d MiB, 3\.\d MiB packed\n {2}stored +about 1\.\d MiB, \d\.\dx smaller: all of it/,
    );
    expect(stdout).toMatch(/\nSTANDARD .* at once\nSTANDARD_IA .*\n/);
    expect(stdout).toMatch(/\nDEEP_ARCHIVE .* 180 +standard \S+ \(within 12 h\), bulk \S+ \(within 48 h\)\n/);
    expect(stdout).toContain(
      'transfer  not known: no upload of 8 MiB or more to such a store is recorded; --bandwidth',
    );
    expect(stdout).toContain('advice    no class saves a cent against STANDARD in the first year');
    expect(stdout).toContain('AWS list prices of 2026-11-20 for us-east-1');
  });

  test('of one class alone, or beside the others', async () => {
    expect(classesOf(await estimated('-s', 'GLACIER'))).toEqual(['GLACIER']);
    const all = classesOf(await estimated('-s', 'GLACIER', '--show-comparison'));
    expect([all[0], all.length]).toEqual(['GLACIER', 7]);
  });

  describe('without --bandwidth', () => {
    const DAY_MS = 86_400_000;
    const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();
    const record = async (own: Partial<LedgerRecord>): Promise<void> =>
      await appendRecords(join(folder, 'home', 'ledger'), [ledgerRecord(own)], { host: 'test' });

    test('takes as long as the last uploads to that region did', async () => {
      const sent = { bytes: 30e6, ms: 10_000 };
      await record({ time: daysAgo(80), sent });
      await record({ time: daysAgo(2), sent: { bytes: 90e6, ms: 10_000 } });
      await record({ time: daysAgo(1), sent, operation: 'restore' });
      await record({ time: daysAgo(1), sent: { bytes: 1e6, ms: 1 } });
      await record({ time: daysAgo(1), sent, provider: 'folder', region: null });
      await record({ time: daysAgo(1), sent: { bytes: 30e6, ms: 1000 }, region: 'eu-west-1' });
      await record({ time: daysAgo(100), sent: { bytes: 30e6, ms: 1 } });

      const { bandwidth, bandwidthFrom, transferMs, storedBytes } = await estimated('--region', 'us-west-2');

      expect(bandwidth).toBe(6e6);
      expect(transferMs).toBe(Math.ceil(Number(storedBytes) / 6000));
      expect(bandwidthFrom).toEqual({
        region: 'us-west-2',
        uploadCount: 2,
        firstRunAt: expect.any(String),
        lastRunAt: expect.any(String),
        ledger: 'local',
      });
      expect((await run('estimate', 'data', '--region', 'us-west-2')).stdout).toMatch(
        /transfer +\S+.* at 6 MB\/s, as 2 uploads to us-west-2 went, \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\n/,
      );
    });

    test('takes uploads to other regions of AWS where there are none to this one, and says so', async () => {
      await record({ time: daysAgo(1), sent: { bytes: 30e6, ms: 1000 }, region: 'eu-west-1' });

      expect((await run('estimate', 'data')).stdout).toContain('as 1 upload to eu-west-1 went');
      expect(await estimated('--bandwidth', '3')).toMatchObject({ bandwidth: 3e6, bandwidthFrom: null });
    });
  });

  test('a bandwidth gives the time that sending takes', async () => {
    const { storedBytes, transferMs, bandwidth } = await estimated('--bandwidth', '0.5');

    expect(bandwidth).toBe(500_000);
    expect(transferMs).toBe(Math.ceil((Number(storedBytes) / 500_000) * 1000));
    expect((await run('estimate', 'data', '--bandwidth', '-1')).status).toBe(2);
  });

  test('sections can be left out', async () => {
    const none = ['--no-show-parallel', '--no-show-recommendations', '--no-show-upload-optimization'];
    const { stdout } = await run('estimate', 'data', ...none);
    const document = await estimated(...none);

    expect(stdout).not.toMatch(/parallel|advice|packing/);
    expect(Object.keys(document)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/requestsAtOnce|recommendations|oneObjectAFileUsd/)]),
    );
  });

  test('advice says what is saved, and from which day on', async () => {
    // What a GB costs makes these megabytes dear.
    await writeFile(
      join(folder, '.archiver.yaml'),
      'costControl:\n  ownPrices:\n    STANDARD.storage: 50000\n    DEEP_ARCHIVE.storage: 5000\n',
    );

    const { stdout } = await run('estimate', 'data');
    const { recommendations } = await estimated();

    expect(stdout).toMatch(
      /advice +\S+, for what is hardly ever read: \$\d+\.\d\d less than STANDARD in the first year\n/,
    );
    expect(stdout).toMatch(/; a full restore costs \S+ or more, readable (after \d|within \d)/);
    expect(stdout).toContain('own prices of STANDARD.storage, DEEP_ARCHIVE.storage');
    expect(recommendations).toEqual([
      expect.objectContaining({ storageClass: 'GLACIER', isReadAtOnce: false, restoresAYear: expect.any(Number) }),
      expect.objectContaining({ storageClass: 'GLACIER_IR', isReadAtOnce: true }),
    ]);
  });

  test('--format json is --json', async () => {
    expect(json((await run('estimate', 'data', '-f', 'json')).stdout)).toEqual(await estimated());
  });

  test('--max-prefixes bounds the shards', async () => {
    expect(await estimated('--max-prefixes', '4')).toMatchObject({ shardCount: 4 });
    expect((await run('estimate', 'data', '--max-prefixes', '3')).status).toBe(2);
  });

  test('a provider has its class and its prices; one without is unknown', async () => {
    expect(classesOf(await estimated('--provider', 'b2'))).toEqual(['STANDARD']);
    const { stdout } = await run('estimate', 'data', '--provider', 'minio');
    expect(stdout).toMatch(/\nSTANDARD +unknown +unknown /);
    expect(stdout).toContain('not known: no list of MinIO is here');
    expect(stdout).toContain('advice    none: what STANDARD costs is not known\n');
    expect(stdout).toMatch(/, 1 chunk a shard;/);
  });

  test('an empty folder, and nothing but special files', async () => {
    await mkdir(join(folder, 'empty'));
    const empty = json((await run('estimate', 'empty', '--json')).stdout);
    execFileSync('mkfifo', [join(folder, 'empty', 'pipe')]);
    const { status, stdout } = await run('estimate', 'empty', '--json');

    expect(empty).toMatchObject({ files: 0, bytes: 0, compressionRatio: null });
    expect([status, json(stdout)]).toEqual([
      0,
      expect.objectContaining({ skipped: [{ path: 'pipe', reason: 'is a FIFO' }] }),
    ]);
  });

  test('holes are not sampled', async () => {
    execFileSync('truncate', ['-s', '2G', join(folder, 'data', 'sparse')]);

    const { bytes, storedBytes, sampledBytes, compressionRatio } = await estimated();

    expect(sampledBytes).toBeLessThan(5_000_000);
    // As of an upload: the size as programs read it over what is stored, so that holes count as saved.
    expect(compressionRatio).toBe(Number(bytes) / Number(storedBytes));
  });

  test('a folder that is not there is one sentence', async () => {
    const { status, stderr } = await run('estimate', 'nowhere');

    expect([status, stderr]).toEqual([1, expect.stringContaining('the source nowhere does not exist')]);
  });

  test('a file that lies in several windows of the sample is one file of the progress', async () => {
    await writeFile(join(folder, 'data', 'long.bin'), Buffer.alloc(9 * 2 ** 20, WORDS));
    const { stdout, stderr } = await run('estimate', 'data', '--json', '--progress-format', 'json');

    const told = stderr
      .trim()
      .split('\n')
      .map(json)
      .filter(({ filesTotal }) => Number(filesTotal) > 0);
    expect(json(stdout)['files']).toBe(42);
    expect(new Set(told.map(({ filesTotal }) => filesTotal))).toEqual(new Set([42]));
    expect(told.at(-1)).toMatchObject({ type: 'summary', files: 42 });
  });

  test('tells its progress like every long operation', async () => {
    const { stderr } = await run('estimate', 'data', '--progress-format', 'json');
    const lines = stderr.trim().split('\n').map(json);

    expect(lines.at(-1)).toMatchObject({ type: 'summary', operation: 'estimate', outcome: 'done' });
  });
});
