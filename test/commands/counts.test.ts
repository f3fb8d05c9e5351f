// One definition of files, bytes and stored bytes (docs/architecture.md, "Progress") in every command that counts them.
import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { command as createUpload } from '../../src/commands/create/upload.js';
import { command as datasetDiff } from '../../src/commands/dataset/diff.js';
import { command as datasetList } from '../../src/commands/dataset/list.js';
import { command as datasetVersions } from '../../src/commands/dataset/versions.js';
import { command as download } from '../../src/commands/download.js';
import { command as estimate } from '../../src/commands/money/estimate.js';
import { command as info } from '../../src/commands/info.js';
import { command as list } from '../../src/commands/list.js';
import { command as restore } from '../../src/commands/restore.js';
import { command as sync } from '../../src/commands/sync.js';
import { command as upload } from '../../src/commands/upload.js';
import { command as verify } from '../../src/commands/verify.js';
import { tempFolder } from '../support/temp-folder.js';
import { json, runCommand } from '../support/run-command.js';
import { treeOf } from '../support/tree-of.js';

const commands = [createUpload, datasetDiff, datasetList, datasetVersions, download, info, list, restore, sync];
const root = treeOf([...commands, estimate, upload, verify], [], 'test');
const MIB = 2 ** 20;

/** Cut over three chunks of 1 MB, and eight others: one mostly holes, a hard link, a symbolic link, an empty one, an equal one. */
function makeSource(folder: string): void {
  mkdirSync(join(folder, 'dir'), { recursive: true });
  writeFileSync(join(folder, 'cut'), randomBytes(2.5 * MIB));
  writeFileSync(join(folder, 'a'), 'alpha');
  linkSync(join(folder, 'a'), join(folder, 'b'));
  symlinkSync('a', join(folder, 'c'));
  writeFileSync(join(folder, 'empty'), '');
  writeFileSync(join(folder, 'dir/equal'), 'some content');
  writeFileSync(join(folder, 'dir/same'), 'some content');
  writeFileSync(join(folder, 'sparse'), 'x');
  truncateSync(join(folder, 'sparse'), 8 * MIB);
}

const FILES = 8;
const BYTES = 2.5 * MIB + 8 * MIB + 2 * 5 + 2 * 12;

interface Described {
  readonly shards: readonly { readonly files: number; readonly bytes: number }[];
  readonly totals: { readonly storedBytes: number };
}

interface Ran {
  readonly document: Record<string, unknown>;
  readonly summary: Record<string, unknown>;
}

let folder = '';
let store = '';
beforeEach(async () => {
  folder = await tempFolder();
  store = `file://${folder}/store`;
  makeSource(join(folder, 'source'));
});

async function run(...argv: readonly string[]): Promise<Ran> {
  const { status, stdout, stderr } = await runCommand({ root, folder }, [...argv, '--json']);
  expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
  const last = stderr.split('\n').find((line) => line.includes('"type":"summary"'));
  return { document: json(stdout), summary: last === undefined ? {} : json(last) };
}

const url = (): string => `${store}/uploads/${readdirSync(join(folder, 'store/uploads'))[0] ?? ''}`;

test.each<[how: string, argv: readonly string[]]>([
  ['chunks', ['create', 'upload', 'source', '--bucket', 'URL', '--chunk-size-mb', '1', '--shards', '3']],
  ['equal files stored once', ['upload', 'source', 'URL', '--enable-dedup']],
  ['direct files', ['upload', 'source', 'URL', '--direct-upload']],
  ['a first sync', ['sync', 'source', 'URL']],
])('%s: every command counts the same', async (_, argv) => {
  const made = await run(...argv.map((word) => (word === 'URL' ? store : word)), '--progress-format', 'json');
  const { storedBytes, datasetId } = made.document;
  const totals = { files: FILES, bytes: BYTES };

  expect(made.document).toMatchObject({ ...totals, skipped: [] });
  expect(made.summary).toMatchObject({ percent: 100, files: FILES, filesTotal: FILES, storedBytes });
  // Content that is sent once counts once: that of a hard link, and of equal files where they are looked for.
  const sent = BYTES - 5 - (argv.includes('--enable-dedup') ? 12 : 0);
  expect(made.summary).toMatchObject({ bytes: sent, bytesTotal: sent, bytesSent: sent });

  const described = (await run('info', url())).document;
  const linked = { directories: 1, hardlinks: 1, symlinks: 1 };
  expect(described['manifest']).toMatchObject({ totals: { ...totals, storedBytes, ...linked } });
  expect((await run('list', url())).document).toMatchObject({ totals });
  const dataset = ['--dataset-id', String(datasetId)];
  expect((await run('dataset', 'list', store)).document).toMatchObject({ datasets: [totals] });
  expect((await run('dataset', 'versions', store, ...dataset)).document).toMatchObject({ versions: [totals] });
  const checked = await run('verify', url(), '--deep', '--progress-format', 'json');
  // Symbolic links have no content to read.
  const contents = { files: FILES - 1, filesTotal: FILES - 1, bytes: BYTES, bytesTotal: BYTES };
  expect(checked.document).toMatchObject({
    ...totals,
    entries: FILES + 1,
    filesRead: FILES - 1,
    bytesFetched: storedBytes,
  });
  expect(checked.summary).toMatchObject(contents);
  for (const words of [
    ['restore', url(), 'restored', '--all'],
    ['download', url(), 'downloaded'],
  ]) {
    const written = await run(...words, '--progress-format', 'json');
    expect(written.document).toMatchObject({ ...totals, directories: 1 });
    expect(written.summary).toMatchObject({ ...totals, filesTotal: FILES, bytesTotal: BYTES, percent: 100 });
  }
});

test('the shards of `info` add up, and its ratio is the size over what is stored', async () => {
  await run('create', 'upload', 'source', '--bucket', store, '--chunk-size-mb', '1', '--shards', '3');

  const { shards, totals } = (await run('info', url())).document['manifest'] as Described;
  const { stdout } = await runCommand({ root, folder }, ['info', url(), '--verbose']);

  expect(shards.reduce((sum, { files }) => sum + files, 0)).toBe(FILES);
  expect(shards.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(BYTES);
  expect(stdout).toContain(`  ratio           ${(BYTES / totals.storedBytes).toFixed(2)}x\n`);
  expect(stdout.split('\n').filter((line) => /shard-\d\d/.test(line))).toHaveLength(3);
});

test('the ratio of tiny files is the same in estimate and info, and tar headers are not in it', async () => {
  const tiny = join(folder, 'tiny');
  mkdirSync(tiny);
  for (let i = 0; i < 500; i++) writeFileSync(join(tiny, `file-${i}`), randomBytes(40));
  const made = (await run('upload', 'tiny', store)).document;
  const ratio = 20_000 / Number(made['storedBytes']);

  const { stdout } = await runCommand({ root, folder }, ['info', String(made['location'])]);
  const { compressionRatio } = (await run('estimate', 'tiny')).document;

  expect(ratio).toBeLessThan(1);
  expect(stdout).toContain(`  ratio           ${ratio.toFixed(2)}x\n`);
  expect(Math.abs(Number(compressionRatio) / ratio - 1)).toBeLessThan(0.2);
  expect((await runCommand({ root, folder }, ['estimate', 'tiny'])).stdout).toMatch(/\d\.\dx larger: all of it/);
});

test('a version of the same files is no change, whether everything is sent again or not', async () => {
  await run('sync', 'source', store);
  const same = { added: 0, modified: 0, deleted: 0, unchanged: FILES, gone: 0, files: FILES, bytes: BYTES };

  expect((await run('sync', 'source', store)).document).toMatchObject({ ...same, noChanges: true });
  const { document } = await run('sync', 'source', store, '--force');
  expect(document).toMatchObject({ ...same, noChanges: false });
  const own = ['--dataset-id', String(document['datasetId']), '--from', '1', '--to', '2'];
  expect((await run('dataset', 'diff', store, ...own)).document).toMatchObject({ added: 0, modified: 0 });
});
