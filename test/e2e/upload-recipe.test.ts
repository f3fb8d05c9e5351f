// The promise of docs/format.md: what was uploaded comes back with tar, zstd, gzip, jq and cat.
import { chmodSync, linkSync, mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  describeTree,
  type Described,
  isRoot,
  makeEverything,
  MIB,
  noise,
  writeSparse,
} from '../core/archive/trees.js';
import { fsPath, rawFromLatin1 } from '../../src/core/platform/paths/raw-path.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver, uploadJson } from './in-process.js';
import { hasRecipeTools, recipe, runScript } from '../support/format-recipe.js';
import { makeFolder, onlyUpload, readManifest } from './upload-cli.js';

function extract(upload: string): string {
  runScript(recipe('everything'), upload);
  return join(upload, 'out');
}

/** Between pieces `[offset, data]`. */
function holesOf(size: number, pieces: readonly (readonly [number, Buffer])[]): readonly (readonly [number, number])[] {
  const ends = pieces.map(([offset, data]) => offset + data.length);
  return ends.map((end, at) => [end, (pieces[at + 1]?.[0] ?? size) - end] as const);
}

// Joining the pieces of a cut file touches its folder.
function withoutTimesOf(folders: readonly string[], tree: Record<string, Described>): Record<string, Described> {
  return Object.fromEntries(
    Object.entries(tree).map(([path, entry]) => [path, folders.includes(path) ? { ...entry, time: '' } : entry]),
  );
}

test.skipIf(!hasRecipeTools).each([
  ['small frames and chunks', ['--frame-size', '64KiB', '--memory-limit', '192MiB']],
  ['one frame a chunk', ['--frame-size', '0', '--memory-limit', '192MiB', '--shard-strategy', 'hash']],
])('everything comes back with tar, zstd, gzip, jq and cat alone: %s', async (_name, flags) => {
  const home = await tempFolder();
  const source = makeFolder(home, 'source');
  makeEverything(source);
  const base = join(home, 'store');

  const { status, document } = await uploadJson(home, [source, `file://${base}`, ...flags]);
  const manifest = readManifest(onlyUpload(base));
  const out = extract(onlyUpload(base));

  const unreadable = isRoot ? [] : ['modes/0', 'modes/1644'];
  expect({ status, skipped: document.skipped.map(({ path }) => path) }).toEqual({
    status: unreadable.length === 0 ? 0 : 3,
    skipped: unreadable,
  });
  expect(manifest.files.filter(({ segments }) => segments !== undefined).length).toBeGreaterThanOrEqual(5);
  const folders = ['cut', 'names', 'sizes'];
  const expected = withoutTimesOf(folders, describeTree(source));
  for (const path of unreadable) delete expected[path];
  expect(withoutTimesOf(folders, describeTree(out))).toEqual(expected);
});

test.skipIf(!hasRecipeTools)('a sparse file that was cut keeps its holes', async () => {
  const home = await tempFolder();
  const source = makeFolder(home, 'source');
  const pieces = [0, 13, 30].map((at) => [at * MIB, noise(4 * MIB)] as const);
  writeSparse(join(source, 'disk'), 40 * MIB, pieces);
  linkSync(join(source, 'disk'), join(source, 'linked'));
  const base = join(home, 'store');

  await uploadJson(home, [source, `file://${base}`, '--memory-limit', '192MiB']);
  const manifest = readManifest(onlyUpload(base));
  const restored = await archiver(home, ['restore', `file://${onlyUpload(base)}`, join(home, 'out'), '--all']);
  const verified = await archiver(home, ['verify', `file://${onlyUpload(base)}`, '--deep']);
  const byHand = extract(onlyUpload(base));

  expect(manifest.files).toMatchObject(
    ['disk', 'linked'].map((path) => ({ path, segments: expect.anything(), holes: holesOf(40 * MIB, pieces) })),
  );
  expect([restored.status, verified.status]).toEqual([0, 0]);
  for (const out of [join(home, 'out'), byHand]) {
    expect(describeTree(out)).toEqual(describeTree(source));
    expect(statSync(join(out, 'disk')).blocks * 512).toBe(statSync(join(source, 'disk')).blocks * 512);
  }
});

test.skipIf(!hasRecipeTools)('files that were stored once come back under all their names', async () => {
  const home = await tempFolder();
  const source = makeFolder(home, 'source');
  const names = ['a/one', 'b/two words', 'b/three\\n', 'caf\u00e9', 'line\nend\n'];
  const contents = [
    Buffer.alloc(20_000, 'photo'),
    Buffer.from(Array.from({ length: 9 << 20 }, (_, at) => (at * 7919) >> 5)),
  ];
  for (const [set, content] of contents.entries()) {
    for (const name of names) {
      const path = join(source, String(set), name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
    }
  }
  chmodSync(join(source, '0/a/one'), 0o640);
  chmodSync(join(source, '1/caf\u00e9'), 0o600);
  const base = join(home, 'store');

  const { document } = await uploadJson(home, [source, `file://${base}`, '--enable-dedup', '--memory-limit', '192MiB']);
  const out = extract(onlyUpload(base));
  runScript(recipe('equal'), onlyUpload(base));

  expect(document).toMatchObject({ deduplicated: { files: 8 } });
  const folders = ['0', '0/a', '0/b', '1', '1/a', '1/b', '.', ''];
  expect(withoutTimesOf(folders, describeTree(out))).toEqual(withoutTimesOf(folders, describeTree(source)));
});

test.skipIf(!hasRecipeTools)('files that were uploaded directly come back under all their names', async () => {
  const home = await tempFolder();
  const source = makeFolder(home, 'source');
  mkdirSync(join(source, 'd/sub'), { recursive: true });
  for (const name of ['one', 'd/two words', 'd/sub/three\\n', 'd/Case', 'd/case', 'caf\u00e9', 'line\nend\n', 'empty'])
    writeFileSync(join(source, name), name === 'empty' ? '' : `content of ${name}`);
  chmodSync(join(source, 'd/Case'), 0o640);
  linkSync(join(source, 'one'), join(source, 'd/linked\n'));
  symlinkSync('one', join(source, 'symbolic'));
  const base = join(home, 'store');

  await uploadJson(home, [source, `file://${base}`, '--direct-upload']);
  const out = extract(onlyUpload(base));
  runScript(recipe('direct'), onlyUpload(base));

  runScript(recipe('root'), onlyUpload(base));

  expect([statSync(out).mode, statSync(out).mtimeMs]).toEqual([statSync(source).mode, statSync(source).mtimeMs]);
  const folders = ['d', 'd/sub'];
  expect(withoutTimesOf(folders, describeTree(out))).toEqual(withoutTimesOf(folders, describeTree(source)));
});

test.skipIf(!hasRecipeTools)(
  'every version comes back from a copy of its store, whatever was done there',
  { timeout: 300_000 },
  async () => {
    const home = await tempFolder();
    const source = makeFolder(home, 'source');
    const [base, url] = [join(home, 'store'), `file://${join(home, 'store')}`];
    const bytes = (path: string): ReturnType<typeof fsPath> => fsPath(rawFromLatin1(path));
    const write = (name: string, content: string | Buffer): void => {
      mkdirSync(bytes(`${source}/${name.slice(0, name.lastIndexOf('/') + 1)}`), { recursive: true });
      writeFileSync(bytes(`${source}/${name}`), content);
    };
    const remove = (...names: string[]): void =>
      names.forEach((name) => rmSync(bytes(`${source}/${name}`), { recursive: true }));
    const same = noise(20_000);
    for (let at = 0; at < 40; at++) write(`folder ${at % 4}/file ${at}`, at % 5 === 0 ? same : `content ${at}`);
    for (const name of ['names/bytes \xff\xfe', 'names/ends in\n', 'names/quote"\\', 'names/a', 'names-a/b'])
      write(name, name);
    writeFileSync(join(source, 'empty'), '');
    writeSparse(join(source, 'sparse'), MIB, [[300_000, noise(5000)]]);
    writeFileSync(join(source, 'cut'), noise(9 * MIB));
    linkSync(join(source, 'cut'), join(source, 'cut too'));
    linkSync(join(source, 'names/a'), join(source, 'names/linked'));
    symlinkSync('names/a', join(source, 'symbolic'));
    const steps: readonly (() => void)[] = [
      () => remove('names/linked', 'folder 1/file 1'),
      () => chmodSync(join(source, 'folder 0/file 0'), 0o600),
      () => chmodSync(source, 0o751),
      () => (remove('names', 'folder 1'), write('names', 'a file now')),
      () => (remove('names'), write('names/a', 'a folder again')),
      () => write('folder 2/new', 'directly'),
      () => write('folder 3/file 3', 'other content'),
      () => (chmodSync(join(source, 'cut'), 0o640), write('folder 0/\xe4', 'late')),
      () => remove('sparse', 'empty'),
    ];
    const took: { readonly id: string; readonly tree: unknown }[] = [];
    const run = async (...args: string[]): Promise<Record<string, unknown>> => {
      const { status, stdout, stderr } = await archiver(home, [...args, '--json']);
      expect([args[0], status, status === 0 ? '' : stderr + stdout]).toEqual([args[0], 0, '']);
      return JSON.parse(stdout) as Record<string, unknown>;
    };
    const describeAll = (root: string): unknown => {
      const { mode, mtimeMs } = statSync(root);
      return [mode, Math.trunc(mtimeMs), describeTree(root)];
    };
    const commit = async (...args: string[]): Promise<void> => {
      const { uploadId } = await run(...args, source, url, '--dataset-id', 'd', '--memory-limit', '192MiB');
      took.push({ id: String(uploadId), tree: describeAll(source) });
    };
    const readBack = (versions: readonly number[]): void => {
      for (const version of versions) {
        const { id, tree } = took[version - 1] ?? { id: '', tree: {} };
        runScript(recipe('version'), base, { id });
        expect([version, describeAll(join(base, 'out'))]).toEqual([version, tree]);
        rmSync(join(base, 'out'), { recursive: true });
      }
    };

    await commit('upload', '--enable-dedup', '--shard-count', '4');
    for (let version = 2; version <= 15; version++) {
      (steps[version - 2] ?? ((): void => write('folder 3/log', `line ${version}`)))();
      if (version === 7) await commit('upload', '--incremental', '--direct-upload');
      else await commit('sync', '--track-deletes');
    }
    const listings = took.map(({ id }) => readManifest(join(base, 'uploads', id)));
    readBack([1, 6, 10]);
    await run('dataset', 'prune', url, '--dataset-id', 'd', '--keep-last', '7', '--instant', '--yes');
    for (const { id } of [8, 14].flatMap((at) => took[at] ?? []))
      await run('balance', `${url}/uploads/${id}`, '--execute', '--threshold', '1.01');
    readBack([9, 15]);

    expect(listings.slice(1).map(({ listing }) => listing)).toContain('full');
    expect(listings[4]?.listing).toBe('delta');
    expect(listings[3]?.files).toEqual([]);
  },
);
