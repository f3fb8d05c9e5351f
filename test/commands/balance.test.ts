import { beforeEach, describe, expect, test } from 'vitest';
import { command } from '../../src/commands/balance.js';
import { fileStore } from '../../src/core/store/file/file-store.js';
import { filesOf, folderWith, lonely, madeFor, SIZES } from '../core/mend/balance/balance-run.js';
import { linkId } from '../support/make-chain.js';
import { allKeys, makeDataset } from '../support/make-dataset.js';
import { tempFolder } from '../support/temp-folder.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { treeOf } from '../support/tree-of.js';

const root = treeOf([command], [], 'balance alone');
let folder = '';
let url = '';
beforeEach(async () => {
  folder = await folderWith(lonely());
  url = `file://${folder}/uploads/${linkId(0)}`;
});

const run = async (...argv: readonly string[]): Promise<CommandRun> =>
  await runCommand({ root, folder: await tempFolder(), env: { NO_COLOR: '1' } }, ['balance', ...argv]);

const keys = (): Promise<string[]> => allKeys(fileStore(folder));

/** Keys of copies never come twice. */
const withoutKeys = (document: Record<string, unknown>): Record<string, unknown> =>
  json(JSON.stringify(document).replace(/-[0-9a-f]{8}\.tar/g, '.tar'));

describe('usage', () => {
  test.each([
    [['--dry-run', '--execute'], '--dry-run cannot be combined with --execute'],
    [['--threshold', '0.5'], '--threshold'],
    [['--format', 'csv'], '--format'],
  ])('%j is refused', async (argv, text) => {
    const ran = await run(url, ...argv);

    expect(ran.status).toBe(2);
    expect(ran.stderr).toContain(text);
  });

  test('--bucket and --upload-id name the upload as well', async () => {
    const ran = await run('--bucket', `file://${folder}`, '--upload-id', linkId(0), '--json');

    expect([ran.status, json(ran.stdout)['location']]).toEqual([0, url]);
  });

  test('an upload that is not there is one sentence', async () => {
    const ran = await run(`file://${folder}/uploads/20260101-000000-00000099`);

    expect([ran.status, ran.stdout]).toEqual([1, '']);
    expect(ran.stderr).toContain('there is no upload here');
  });
});

test('without --dry-run and --execute it reads the manifest alone', async () => {
  const before = await keys();

  const ran = await run(url, '--json');

  expect(json(ran.stdout)).toMatchObject({
    uploadId: linkId(0),
    threshold: 2,
    imbalanced: true,
    executed: false,
    dryRun: false,
    shardCount: 4,
    requests: { get: 1, list: 0, put: 0, copy: 0, delete: 0 },
  });
  expect(json(ran.stdout)['plan']).toBeUndefined();
  expect(await keys()).toEqual(before);
});

test('the table has a line for each shard, and says what to do', async () => {
  const ran = await run(url);

  expect(ran.status).toBe(0);
  expect(ran.stdout).toMatch(/SHARD +CHUNKS +STORED +SHARE\n/);
  expect(ran.stdout.split('\n').filter((line) => /^ +[0-3] /.test(line))).toHaveLength(4);
  expect(ran.stdout).toMatch(/is imbalanced \(largest shard .*, average .*: 2\.\d\d times, threshold 2\)/);
  expect(ran.stdout).toContain('--execute does it');
});

test('what no move makes better is left as it is, and the analysis says so', async () => {
  // One chunk is larger than all others together; those in shard 1 could move, and the largest shard would stay as it is.
  folder = await folderWith(
    makeDataset([{ files: filesOf([90_000, 30_000, 0, 20_000, 0, 10_000]), bend: madeFor(4) }]),
  );
  url = `file://${folder}/uploads/${linkId(0)}`;
  const before = await keys();

  for (const flags of [[], ['--dry-run'], ['--execute']]) {
    const ran = await run(url, ...flags);
    expect([ran.status, ran.stdout]).toEqual([0, expect.stringContaining('nothing to move: no chunk that may move')]);
    expect(ran.stdout).not.toContain('--execute does it');
    expect(json((await run(url, ...flags, '--json')).stdout)).toMatchObject({ imbalanced: true, canImprove: false });
  }
  expect(await keys()).toEqual(before);
});

test('--format json prints the document that --json prints', async () => {
  const [table, document] = [await run(url, '-f', 'json'), await run(url, '--json')];
  const { durationMs: _a, ...one } = json(table.stdout);
  const { durationMs: _b, ...other } = json(document.stdout);

  expect(one).toEqual(other);
});

test('--dry-run shows what would move and changes nothing; --execute does it', async () => {
  const before = await keys();

  const planned = json((await run(url, '--dry-run', '--json')).stdout);
  const text = await run(url, '--dry-run');
  expect(await keys()).toEqual(before);
  const done = json((await run(url, '--execute', '--json')).stdout);

  expect(text.stdout).toMatch(/would move \d chunks, .*: 1\.\d\d times the average/);
  expect(text.stdout).toContain('Nothing was changed (--dry-run).');
  expect(planned).toMatchObject({ dryRun: true, executed: false });
  expect(withoutKeys(done)).toMatchObject({ dryRun: false, executed: true, plan: withoutKeys(planned)['plan'] });
  const { moves, movedBytes } = done['plan'] as { moves: { from: string; to: string }[]; movedBytes: number };
  expect(done).toMatchObject({
    moved: moves.length,
    supersededObjects: moves.length,
    supersededBytes: movedBytes,
    requests: { delete: 0 },
  });
  const after = await keys();
  expect(moves.every(({ from, to }) => after.includes(from) && after.includes(to))).toBe(true);
  expect(after.filter((key) => key.includes('/chunk-'))).toHaveLength(SIZES.length + moves.length);
  const stay = /\d old objects, .*B, (would )?stay until `archiver dataset prune` removes them/;
  expect(stay.exec(text.stdout)?.[1]).toBe('would ');
  const again = await run(url, '--execute');
  expect([again.status, again.stdout.includes('is balanced'), stay.exec(again.stdout)?.[1]]).toEqual([
    0,
    true,
    undefined,
  ]);
  expect(again.stdout).toMatch(stay);
});
