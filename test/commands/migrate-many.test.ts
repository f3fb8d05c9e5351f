// `archiver migrate` of a place of many archives, which tar has made, into a folder store: parts, repetitions, deletions, failures.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { readLedger } from '../../src/core/money/ledger/ledger.js';
import { listDatasets } from '../../src/core/dataset/records/versions.js';
import { openStore } from '../../src/core/store/open-store.js';
import { type CommandRun, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

let folder = '';
let store = '';

const run = (...argv: readonly string[]): Promise<CommandRun> =>
  runCommand({ root: program(), folder, env: { ARCHIVER_HOME: join(folder, 'home') } }, argv);

interface Outcome {
  readonly archive: string;
  readonly status: string;
  readonly reason?: string;
  readonly datasetId?: string;
  readonly originalDeleted?: boolean;
  readonly originalKept?: string;
}

interface Document {
  readonly archives: readonly Outcome[];
  readonly archiveCount: number;
  readonly files: number;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly skippedCount: number;
}

async function migrate(...flags: readonly string[]): Promise<{ status: number; document: Document; stderr: string }> {
  const { status, stdout, stderr } = await run('migrate', 'old/', store, '--json', '--quiet', ...flags);
  if (stdout === '') throw new Error(`no document: ${status} ${stderr}`);
  return { status, stderr, document: JSON.parse(stdout) as Document };
}

const nameOf = ({ archive }: Outcome): string => archive.slice(`file://${folder}/old/`.length);
const stated = ({ archives }: Document): Record<string, string> =>
  Object.fromEntries(archives.map((one) => [nameOf(one), one.status]));

/** How many versions each dataset has. */
async function versions(): Promise<Record<string, number>> {
  const opened = await openStore(store, { env: {} });
  const listed = await listDatasets(opened.store);
  opened.close();
  return Object.fromEntries(Array.from(listed.versions, ([id, all]) => [id, all.length]));
}

const uploads = (): readonly string[] =>
  existsSync(join(folder, 'store/uploads')) ? readdirSync(join(folder, 'store/uploads')) : [];

function tar(name: string, content: string): void {
  const source = join(folder, 'source');
  mkdirSync(source, { recursive: true });
  writeFileSync(join(source, 'file'), content);
  utimesSync(join(source, 'file'), 1_600_000_000, 1_600_000_000);
  const packing = name.endsWith('gz') ? ['-z'] : [];
  execFileSync('tar', ['-C', source, ...packing, '-cf', join(folder, 'old', name), 'file']);
}

const NAMES = ['a.tar', 'b.tar.gz', 'c.tgz', 'sub/d.tar', 'sub/e.tar'];

beforeEach(async () => {
  folder = await tempFolder();
  store = `file://${folder}/store`;
  mkdirSync(join(folder, 'old/sub'), { recursive: true });
  for (const name of NAMES) tar(name, `content of ${name}`);
});

const leftOfTemp = (): readonly string[] => readdirSync(join(folder, 'temp'));

test('every archive below a folder becomes what a call for it alone makes, and a repetition passes them over', async () => {
  mkdirSync(join(folder, 'temp'));
  await run('migrate', 'old/a.tar', store, '--quiet');
  const first = await migrate('--temp-dir', 'temp');
  const after = uploads();
  const second = await migrate('--temp-dir', 'temp');

  expect([first.status, second.status]).toEqual([0, 0]);
  expect(stated(first.document)).toEqual({
    'a.tar': 'passedOver',
    'b.tar.gz': 'migrated',
    'c.tgz': 'migrated',
    'sub/d.tar': 'migrated',
    'sub/e.tar': 'migrated',
  });
  expect(new Set(Object.values(stated(second.document)))).toEqual(new Set(['passedOver']));
  expect(uploads()).toEqual(after);
  expect(leftOfTemp()).toEqual([]);
  await run('migrate', 'old/b.tar.gz', store, '--quiet');
  const ofB = first.document.archives.find((one) => nameOf(one) === 'b.tar.gz')?.datasetId ?? '';
  expect((await versions())[ofB]).toBe(2);
  const { records } = await readLedger(join(folder, 'home', 'ledger'));
  expect(records.filter(({ uploadId }) => uploadId !== null)).toHaveLength(6);
});

test('the parts together are all archives, each once, also where originals are deleted in between and others come', async () => {
  const planned: string[] = [];
  for (const number of [1, 2, 3])
    planned.push(...(await migrate('--part', `${number}/3`, '--dry-run')).document.archives.map(nameOf));
  expect(planned.sort()).toEqual(NAMES);
  const done: string[] = [];
  for (const number of [3, 1, 2]) {
    const { status, document } = await migrate('--part', `${number}/3`, '--delete-original', '--yes');
    expect(status).toBe(0);
    for (const one of document.archives) expect(one).toMatchObject({ status: 'migrated', originalDeleted: true });
    done.push(...document.archives.map(nameOf));
    tar(`late-${number}.tar`, 'late'); // may be of a part that is done
  }
  const late = done.filter((name) => name.startsWith('late'));

  expect(done.filter((name) => !name.startsWith('late')).sort()).toEqual(NAMES);
  expect(new Set(done).size).toBe(done.length);
  expect(Object.values(await versions())).toEqual(done.map(() => 1));
  for (const number of [1, 2, 3]) {
    const { status, document } = await migrate('--part', `${number}/3`, '--delete-original', '--yes');
    expect(status).toBe(0);
    late.push(...document.archives.map(nameOf));
  }
  expect(late.sort()).toEqual(['late-1.tar', 'late-2.tar', 'late-3.tar']);
  expect(readdirSync(join(folder, 'old'))).toEqual(['sub']);
});

test('what was migrated earlier is compared with its version before it is deleted', async () => {
  await migrate();
  const made = uploads();
  const { status, document } = await migrate('--delete-original', '--yes');

  expect(status).toBe(0);
  for (const one of document.archives) expect(one).toMatchObject({ status: 'passedOver', originalDeleted: true });
  expect(uploads()).toEqual(made);
  expect(existsSync(join(folder, 'old/a.tar'))).toBe(false);
});

test('an archive is migrated again when it has changed, or its version has lost a chunk, and is then not deleted unseen', async () => {
  const { document } = await migrate();
  tar('a.tar', 'other content');
  const b = document.archives.find((one) => nameOf(one) === 'b.tar.gz') as Outcome & { readonly uploadId: string };
  const place = join(folder, 'store/uploads', b.uploadId);
  const chunk = readdirSync(place, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith('.tar.zst'));
  writeFileSync(join(place, String(chunk)), readFileSync(join(place, String(chunk))).subarray(1));
  const again = await migrate();

  expect(again.status).toBe(0);
  expect(stated(again.document)).toMatchObject({ 'a.tar': 'migrated', 'b.tar.gz': 'migrated', 'c.tgz': 'passedOver' });
  expect(Object.values(await versions()).toSorted((a, b) => a - b)).toEqual([1, 1, 1, 2, 2]);
});

test('what was not compared does not count as migrated, unless that is left out again', async () => {
  await migrate('--skip-validation');

  expect(new Set(Object.values(stated((await migrate('--skip-validation')).document)))).toEqual(
    new Set(['passedOver']),
  );
  expect(new Set(Object.values(stated((await migrate()).document)))).toEqual(new Set(['migrated']));
  expect(new Set(Object.values(stated((await migrate()).document)))).toEqual(new Set(['passedOver']));
});

test('one that is broken is named, and the others are migrated; what is no archive is named too', async () => {
  writeFileSync(join(folder, 'old/b.tar.gz'), readFileSync(join(folder, 'old/b.tar.gz')).subarray(0, 60));
  writeFileSync(join(folder, 'old/notes.txt'), 'x');
  writeFileSync(join(folder, 'old/x.tar.xz'), 'x');
  const { status, document } = await migrate('--delete-original', '--yes');
  const text = await run('migrate', 'old', store, '--progress-format', 'none');

  expect(status).toBe(3);
  const states = stated(document);
  expect(states).toMatchObject({ 'a.tar': 'migrated', 'b.tar.gz': 'failed', 'sub/e.tar': 'migrated' });
  expect(document.archives.find((one) => nameOf(one) === 'b.tar.gz')?.reason).toContain('cut off');
  expect(document.skipped.map(({ path }) => path)).toEqual(['notes.txt', 'x.tar.xz']);
  expect(readdirSync(join(folder, 'old')).sort()).toEqual(['b.tar.gz', 'notes.txt', 'sub', 'x.tar.xz']);
  expect(text.status).toBe(1);
  expect(text.stdout).toMatch(/failed {7}file:.*b\.tar\.gz: /);
  expect(text.stdout).toContain('no archive x.tar.xz: how it is compressed');
});

test('the chunks of a store below the place are no archives, whatever the place is', async () => {
  await run('migrate', 'old/a.tar', `file://${folder}/old/store`, '--quiet');
  const chunks = readdirSync(join(folder, 'old'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.tar.zst'),
  );
  const all = await migrate('--delete-original', '--yes');
  const inside = await run('migrate', 'old/store/uploads', store, '--yes', '--delete-original', '--json', '--quiet');

  expect(chunks).toHaveLength(1);
  expect(all.document.archiveCount).toBe(NAMES.length);
  expect((JSON.parse(inside.stdout) as Document).archiveCount).toBe(0);
  expect(existsSync(join(folder, 'old', String(chunks[0])))).toBe(true);
});

test('two calls at once for the same archives make one version of each', async () => {
  const both = await Promise.all([migrate('--part', '1/1'), migrate('--part', '1/1')]);

  for (const name of NAMES) {
    expect([name, both.map(({ document }) => String(stated(document)[name])).toSorted()]).toEqual([
      name,
      ['migrated', 'passedOver'],
    ]);
  }
  expect(Object.values(await versions())).toEqual(NAMES.map(() => 1));
});

test('a dry run says what each would be and what all need, and writes nothing', async () => {
  await run('migrate', 'old/a.tar', store, '--quiet');
  const made = await versions();
  const { status, document } = await migrate('--dry-run', '--delete-original');
  const text = await run('migrate', 'old/', store, '--dry-run', '--progress-format', 'none');

  expect(status).toBe(0);
  expect(document).toMatchObject({ dryRun: true, files: 4, archiveCount: 5, tempBytes: 8192 });
  expect(stated(document)).toMatchObject({ 'a.tar': 'passedOver', 'c.tgz': 'planned' });
  expect(text.stdout).toMatch(/would be {5}file:.*c\.tgz \(tar\.gz\): version 1 of c\.tgz-\w+, 1 file, 16 B/);
  expect(text.stdout).toContain('5 archives below');
  expect([await versions(), existsSync(join(folder, 'old/a.tar'))]).toEqual([made, true]);
});

describe('a place without an archive', () => {
  test('is a failure that may be a mistyped name', async () => {
    mkdirSync(join(folder, 'none'));
    const { status, stderr } = await run('migrate', 'none', store);

    expect([status, stderr]).toEqual([1, expect.stringContaining('there is no tar archive below')]);
  });

  test('is none for a part whose archives were deleted', async () => {
    mkdirSync(join(folder, 'none'));
    const { status } = await run('migrate', 'none', store, '--part', '2/3', '--delete-original', '--yes');

    expect(status).toBe(0);
  });
});
