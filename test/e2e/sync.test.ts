// `archiver sync` as people and scripts run it, on a folder store.
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { noise } from '../core/archive/trees.js';
import { fileStore } from '../../src/core/store/file/file-store.js';
import { readStore } from '../kill/store-state.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './in-process.js';
import { archiver as archiverProcess, filesBelow, type Ran } from './upload-cli.js';

interface Place {
  readonly home: string;
  readonly source: string;
  readonly base: string;
  readonly sync: (...args: readonly string[]) => Promise<Ran>;
  readonly syncProcess: (...args: readonly string[]) => Promise<Ran>;
}

async function place(): Promise<Place> {
  const home = await tempFolder();
  const source = join(home, 'source');
  const base = join(home, 'store');
  mkdirSync(source);
  for (let i = 0; i < 30; i++) writeFileSync(join(source, `file-${i}`), `content ${i}`);
  writeFileSync(join(source, 'noise'), noise(200_000));
  const words = ['sync', source, `file://${base}`];
  return {
    home,
    source,
    base,
    sync: (...args) => archiver(home, [...words, ...args]),
    syncProcess: (...args) => archiverProcess(home, [...words, ...args]),
  };
}

const documentOf = ({ stdout }: Ran): Record<string, unknown> => JSON.parse(stdout) as Record<string, unknown>;

describe('archiver sync', () => {
  test('adds versions with what changed, and none when nothing did', async () => {
    const { source, sync } = await place();
    const first = documentOf(await sync('--json'));
    writeFileSync(join(source, 'new'), 'new');
    rmSync(join(source, 'file-3'));
    const second = documentOf(await sync('--json', '--track-deletes'));
    const third = await sync('--json', '--track-deletes');
    writeFileSync(join(source, 'newer'), 'new');
    const shown = await sync();

    expect(first).toMatchObject({ version: 1, added: 31, noChanges: false });
    expect(second).toMatchObject({ version: 2, added: 1, modified: 0, deleted: 1, unchanged: 30, files: 31 });
    expect(documentOf(third)).toMatchObject({ version: 2, noChanges: true, uploadId: second['uploadId'], chunks: 0 });
    expect(third.status).toBe(0);
    expect(shown.stdout).toMatch(/^ok: Synced 32 files, [^,]* newly stored, in .*\n {2}changes   1 added/);
  });

  test('needs one listing for an unchanged folder with a warm cache, and that of what a folder store has, and little more with an empty one', async () => {
    const { home, sync } = await place();
    await sync();
    const warm = documentOf(await sync('--json'));
    rmSync(join(home, '.archiver'), { recursive: true });
    const cold = documentOf(await sync('--json'));

    expect(warm['requests']).toMatchObject({ list: 2, get: 0, put: 0, head: 0, delete: 0 });
    expect(cold['requests']).toMatchObject({ list: 3, get: 2, put: 0, head: 0, delete: 0 });
  });

  test('refuses --checksum and says why', async () => {
    const { sync } = await place();
    const ran = await sync('--checksum');

    expect(ran.status).toBe(2);
    expect(ran.stderr).toContain('by size and times');
  });

  test('uploads everything anew with --force', async () => {
    const { base, sync } = await place();
    await sync();
    const forced = documentOf(await sync('--force', '--json'));

    expect(forced).toMatchObject({ version: 2, files: 31, noChanges: false });
    expect(forced['storedBytes']).toBeGreaterThan(200_000);
    expect((await readStore(fileStore(base))).size).toBe(2);
  });

  test('takes what --exclude leaves out as gone only with --track-deletes', async () => {
    const { sync } = await place();
    await sync();
    const kept = documentOf(await sync('--json', '--exclude', 'file-1*'));
    const gone = documentOf(await sync('--json', '--exclude', 'file-1*', '--track-deletes'));

    expect(kept).toMatchObject({ noChanges: true });
    expect(gone).toMatchObject({ deleted: 11, noChanges: false });
  });

  test('adds to the dataset that --dataset-id names, whatever the folder', async () => {
    const { home, base, sync } = await place();
    const first = documentOf(await sync('--json', '--dataset-id', 'photos'));
    const other = join(home, 'other');
    mkdirSync(other);
    writeFileSync(join(other, 'more'), 'x');
    const second = documentOf(
      await archiver(home, ['sync', other, `file://${base}`, '--dataset-id', 'photos', '--json']),
    );

    expect([first['datasetId'], second['datasetId']]).toEqual(['photos', 'photos']);
    expect(second).toMatchObject({ version: 2, added: 1, files: 32 });
  });

  test('stays consistent when ten processes sync one folder at once', { timeout: 300_000 }, async () => {
    const { base, source, sync, syncProcess } = await place();
    await sync();
    for (let i = 0; i < 5; i++) writeFileSync(join(source, `more-${i}`), noise(20_000));
    chmodSync(join(source, 'file-1'), 0o600);

    const runs = await Promise.all(Array.from({ length: 10 }, () => syncProcess('--json', '--track-deletes')));

    expect(runs.map(({ status, stderr }) => (status === 0 ? 0 : stderr))).toEqual(Array.from({ length: 10 }, () => 0));
    const versions = await readStore(fileStore(base));
    const [, ...others] = [...versions.values()];
    expect(others.length).toBeGreaterThan(0);
    for (const content of others) expect(content).toEqual(others[0]);
    expect(others[0]).toHaveLength(36);
    const manifests = filesBelow(join(base, 'uploads')).filter((path) => path.endsWith('manifest.json.gz'));
    // Manifests of those that were beaten stay until a prune takes them.
    expect(manifests.length).toBeGreaterThanOrEqual(versions.size);
  });

  test('compares with the manifest that --prev-manifest names, and refuses one of another dataset', async () => {
    const { home, source, base } = await place();
    const upload = (...args: readonly string[]): Promise<Ran> =>
      archiver(home, ['upload', source, `file://${base}`, '--json', ...args]);
    const first = documentOf(await upload());
    const manifest = join(base, String(first['manifestKey']));
    writeFileSync(join(source, 'new'), 'x');
    const delta = documentOf(await upload('--incremental', '--prev-manifest', manifest));
    const other = documentOf(await upload('--dataset-id', 'other'));
    const foreign = await upload('--incremental', '--prev-manifest', join(base, String(other['manifestKey'])));

    expect(delta).toMatchObject({ version: 2, added: 1, unchanged: 31 });
    expect(foreign.status).toBe(1);
    expect(foreign.stderr + foreign.stdout).toContain('is not the manifest of a version of dataset');
    expect(readdirSync(join(base, 'datasets'))).toHaveLength(2);
    expect(readFileSync(manifest).length).toBeGreaterThan(0);
  });
});
