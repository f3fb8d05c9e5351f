// The scripts of examples/ are run as they are, with the program of dist/ as `archiver`.
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { hasRecipeTools } from '../support/format-recipe.js';
import { tempFolder } from '../support/temp-folder.js';
import { CLI, environment } from '../e2e/upload-cli.js';

const EXAMPLES = join(import.meta.dirname, '../../examples');

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A home with a folder to archive, and the examples run there. */
async function inHome(files: Readonly<Record<string, string>>): Promise<{
  readonly home: string;
  readonly store: string;
  readonly write: (path: string, text: string) => void;
  readonly run: (name: string, ...args: readonly string[]) => Promise<Ran>;
}> {
  const home = await tempFolder();
  const program = join(home, 'bin/archiver');
  mkdirSync(dirname(program));
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${CLI}' "$@"\n`);
  chmodSync(program, 0o755);
  const env = environment(home, { PATH: `${dirname(program)}:${process.env['PATH'] ?? ''}` });
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(home, 'data', path)), { recursive: true });
    writeFileSync(join(home, 'data', path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const run = async (name: string, ...args: readonly string[]): Promise<Ran> =>
    await new Promise((resolve) => {
      const file = name === 'archiver' ? program : join(EXAMPLES, name);
      const child = execFile(file, args, { env, cwd: home }, (_error, stdout, stderr) =>
        resolve({ status: child.exitCode, stdout, stderr }),
      );
    });
  return { home, store: join(home, 'store'), write, run };
}

const FILES = { 'notes/plan.txt': 'one', 'table.csv': 'a,b\n'.repeat(100), LICENSE: 'MIT' };

test('each example is a script that says what it is for, and is run below', () => {
  const tests = readFileSync(import.meta.filename, 'utf8');

  for (const name of readdirSync(EXAMPLES)) {
    expect(readFileSync(join(EXAMPLES, name), 'utf8')).toMatch(/^#!\/bin\/sh\n# \w/);
    expect(statSync(join(EXAMPLES, name)).mode & 0o111).toBe(0o111);
    expect(tests).toContain(`run('${name}'`);
  }
});

test('first-archive.sh stores a folder and gets the same back', async () => {
  const { home, store, run } = await inHome(FILES);

  const { status, stdout } = await run('first-archive.sh', join(home, 'data'), store, join(home, 'again'));

  expect([status, stdout.trim().split('\n').at(-1)]).toEqual([0, 'nothing differs']);
  expect(readFileSync(join(home, 'again/notes/plan.txt'), 'utf8')).toBe('one');
});

test('nightly.sh is silent, keeps the newest versions, and deletes none where it cannot archive', async () => {
  const { home, store, write, run } = await inHome(FILES);
  const versions = async (): Promise<readonly number[]> => {
    const { stdout } = await run('archiver', 'dataset', 'versions', store, '--dataset-id', 'data', '--json');
    return (JSON.parse(stdout) as { versions: { version: number }[] }).versions.map(({ version }) => version);
  };

  for (const night of ['1', '2', '3', '4']) {
    write('notes/plan.txt', `night ${night}`);
    expect(await run('nightly.sh', join(home, 'data'), store)).toEqual({ status: 0, stdout: '', stderr: '' });
  }
  expect(new Set(await versions())).toEqual(new Set([2, 3, 4]));

  write('LICENSE', 'BSD');
  await run('archiver', 'sync', join(home, 'data'), store);
  rmSync(join(home, 'data'), { recursive: true });
  const failed = await run('nightly.sh', join(home, 'data'), store);
  expect(failed.status).not.toBe(0);
  expect(failed.stderr).toContain('data');
  expect(new Set(await versions())).toEqual(new Set([2, 3, 4, 5]));
});

test.skipIf(!hasRecipeTools)('earlier-file.sh gets a file as it was before its last change', async () => {
  const { home, store, write, run } = await inHome(FILES);
  await run('archiver', 'sync', join(home, 'data'), store);
  write('notes/plan.txt', 'two');
  await run('archiver', 'sync', join(home, 'data'), store);
  write('table.csv', 'other');
  await run('archiver', 'sync', join(home, 'data'), store);

  const { status } = await run('earlier-file.sh', store, 'notes/plan.txt', join(home, 'earlier'));
  const never = await run('earlier-file.sh', store, 'LICENSE', join(home, 'earlier'));

  expect(status).toBe(0);
  expect(never.status).not.toBe(0);
  expect(never.stderr).toContain('no version holds another content of it');
  expect(readdirSync(join(home, 'earlier'), { recursive: true })).toEqual(['notes', 'notes/plan.txt']);
  expect(readFileSync(join(home, 'earlier/notes/plan.txt'), 'utf8')).toBe('one');
});

test.skipIf(!hasRecipeTools)('read-manifest.sh says what an upload holds, with zcat and jq alone', async () => {
  const { home, store, run } = await inHome(FILES);
  await run('archiver', 'upload', join(home, 'data'), store);
  const [upload = ''] = readdirSync(join(store, 'uploads'));
  rmSync(join(home, 'bin/archiver'));

  const { status, stdout, stderr } = await run('read-manifest.sh', join(store, 'uploads', upload));

  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^In all:\n3 files, 406 bytes stored as \d+ in 1 chunks\n/);
  expect(stdout).toMatch(/\n400\ttable.csv\tshard-\d\d\/chunk-000000\.tar\.zst\n/);
  expect(stdout).toMatch(/\n400\t\.csv\n3\t\.txt\n3\tnone\n$|\n400\t\.csv\n3\tnone\n3\t\.txt\n$/);
});

test.skipIf(!hasRecipeTools)('is-it-fresh.sh names datasets without a version for long', async () => {
  const { home, store, run } = await inHome(FILES);
  await run('archiver', 'sync', join(home, 'data'), store);

  const fresh = await run('is-it-fresh.sh', store, '26');
  const old = await run('is-it-fresh.sh', store, '0');

  expect(fresh).toEqual({ status: 0, stdout: '', stderr: '' });
  expect(old.status).toBe(1);
  expect(old.stderr).toMatch(/^data-[0-9a-f]{8}: no version for 0 hours\n$/);
});
