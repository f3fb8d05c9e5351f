// `restore --to-tar` and `--to-zip`, read back by the programs that people have.
import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  closeSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { crc32 } from '../../src/core/restore/export/crc32.js';
import { makeArchive, type FileSpec, UPLOAD_ID } from '../support/make-archive.js';
import { makeColdArchive } from '../support/cold-archive.js';
import { writeObjects } from '../support/make-dataset.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const root = program();
let folder = '';

const run = (...argv: readonly string[]): Promise<CommandRun> => runCommand({ root, folder }, argv);
const at = (...path: readonly string[]): string => join(folder, ...path);
const sh = (line: string): string => execFileSync('sh', ['-euc', line], { cwd: folder, encoding: 'utf8' });
const has = (program: string): boolean => spawnSync('which', [program]).status === 0;

/** Facts about everything below a folder, in path order. */
function treeOf(place: string): Record<string, unknown>[] {
  return readdirSync(at(place), { recursive: true, encoding: 'utf8' })
    .toSorted()
    .map((path) => {
      const stat = lstatSync(at(place, path), { bigint: true });
      const content = stat.isFile() ? readFileSync(at(place, path)).toString('base64') : undefined;
      const target = stat.isSymbolicLink() ? readlinkSync(at(place, path)) : undefined;
      const mode = target === undefined ? (stat.mode & 0o777n).toString(8) : undefined;
      return { path, mode, mtimeNs: stat.mtimeNs, content, target, links: stat.isFile() ? stat.nlink : undefined };
    });
}

const secondsOf = (tree: Record<string, unknown>[], keys: readonly string[]): unknown[] =>
  tree.map((one) => ({
    ...Object.fromEntries(Object.entries(one).filter(([key]) => !keys.includes(key))),
    mtime: BigInt(String(one['mtimeNs'])) / 1_000_000_000n,
    mtimeNs: undefined,
  }));

function makeSource(): void {
  mkdirSync(at('source/locked/deep'), { recursive: true });
  mkdirSync(at('source/empty'));
  writeFileSync(at('source/a.txt'), 'alpha\n');
  writeFileSync(at('source/locked/deep/Überlänge ☃.txt'), 'snow\n', { mode: 0o600 });
  writeFileSync(at('source/locked/run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  writeFileSync(at('source/nothing'), '');
  writeFileSync(at('source', `${'long'.repeat(40)}.txt`), 'l');
  for (let n = 0; n < 40; n++) writeFileSync(at('source', `n-${n}`), `${n}\n`.repeat(n * 100));
  symlinkSync('a.txt', at('source/link'));
  linkSync(at('source/a.txt'), at('source/locked/other name'));
  writeFileSync(at('source/holes'), '');
  truncateSync(at('source/holes'), 3 << 20);
  const holes = openSync(at('source/holes'), 'r+');
  writeSync(holes, 'middle', 1 << 20);
  closeSync(holes);
  for (const path of ['a.txt', 'nothing', 'holes', 'locked/run.sh', 'empty'])
    sh(`touch -d '2021-03-04T05:06:07.123456789Z' 'source/${path}'`);
  chmodSync(at('source/locked/deep'), 0o555);
  chmodSync(at('source/locked'), 0o555);
  for (const path of ['locked/deep', 'locked']) utimesSync(at('source', path), 1.6e9, 1.6e9);
}

beforeEach(async () => {
  folder = await tempFolder();
});

describe('of an upload', () => {
  beforeEach(async () => {
    makeSource();
    await run('upload', 'source', './s', '-q', '--frame-size', '64KiB');
  });

  test.each([
    ['tar', 'all.tar', 'tar -xpf all.tar -C out'],
    ['tar', 'all.tar.gz', 'tar -xzpf all.tar.gz -C out'],
    ['zstd', 'all.tar.zst', 'zstd -dcq all.tar.zst | tar -xpf - -C out'],
    ['bsdtar', 'all.tar', 'bsdtar -xpf all.tar -C out'],
  ])('%s unpacks %s to what was archived: times, modes, links and holes', async (tool, file, line) => {
    if (!has(tool)) return;
    const made = await run('restore', './s', '--all', '--to-tar', file, '-q');
    mkdirSync(at('out'));
    sh(line);

    expect([made.status, made.stderr]).toEqual([0, '']);
    expect(treeOf('out')).toEqual(treeOf('source'));
    expect(statSync(at('out/holes')).blocks).toBeLessThan(2048);
  });

  test.each([
    ['unzip', 'LC_ALL=C.UTF-8 unzip -q all.zip -d out'],
    ['7z', '7z x -bso0 -oout all.zip'],
    ['bsdtar', 'bsdtar -xpf all.zip -C out'],
  ])('%s unpacks a zip to what was archived, times to the second', async (tool, line) => {
    if (!has(tool)) return;
    const made = await run('restore', './s', '--all', '--to-zip', 'all.zip', '-q');
    mkdirSync(at('out'));
    sh(line);

    const left = tool === 'unzip' || tool === 'bsdtar' ? ['links'] : ['links', 'mode', 'mtimeNs'];
    const links = (tree: unknown[]): unknown[] => tree;
    expect([made.status, made.stderr]).toEqual([0, '']);
    const pick = (tree: Record<string, unknown>[]): unknown[] => {
      const own =
        tool === '7z'
          ? tree.map((one) => ({ ...one, mtimeNs: 0n }))
          : tree.map((one) => (one['target'] === undefined ? one : { ...one, mtimeNs: 0n }));
      return links(secondsOf(own, left));
    };
    expect(pick(treeOf('out'))).toEqual(pick(treeOf('source')));
  });

  it('makes a zip that Python finds nothing wrong with, and a tar on stdout', async () => {
    await run('restore', './s', '--all', '--to-zip', 'all.zip', '-q');
    const names = sh(
      `python3 -c 'import zipfile; z=zipfile.ZipFile("all.zip"); print(z.testzip(), len(z.namelist()))'`,
    );
    const { status, stdout } = spawnSync(
      'sh',
      ['-c', 'node "$0" restore ./s --file a.txt --to-tar - -q | tar -xOf -', join(process.cwd(), 'dist/cli.js')],
      { cwd: folder, encoding: 'utf8', env: { ...process.env, ARCHIVER_HOME: at('home') } },
    );

    expect(names).toBe(`None ${treeOf('source').length}\n`);
    expect([status, stdout]).toEqual([0, 'alpha\n']);
  });

  it('says in JSON what it has written, and leaves a file that is there alone', async () => {
    const made = await run('restore', './s', '--all', '--to-tar', 'all.tar', '--json', '-q');
    const size = statSync(at('all.tar')).size;
    const again = await run('restore', './s', '--file', 'a.txt', '--to-tar', 'all.tar');
    const same = statSync(at('all.tar')).size;
    const over = await run('restore', './s', '--file', 'a.txt', '--to-tar', 'all.tar', '--overwrite', 'always', '-q');

    expect(json(made.stdout)).toMatchObject({ outputDir: at('all.tar'), files: 48, failed: [], status: 'completed' });
    expect([again.status, again.stderr, same]).toEqual([1, expect.stringContaining('is there already'), size]);
    expect([over.status, sh('tar -tf all.tar')]).toEqual([0, 'a.txt\n']);
    expect(readdirSync(folder).filter((name) => name.startsWith('.all'))).toEqual([]);
  });

  test.each([
    [['out', '--to-tar', 'x.tar'], 'no OUTPUT_DIR'],
    [['--to-tar', 'x.tar', '--to-zip', 'x.zip'], '--to-zip'],
    [['--to-tar', 'x.tar', '--flatten', '--dry-run', '--wait'], 'can do nothing with --to-tar'],
    [['--to-tar', '-', '--json'], 'no --json'],
  ])('%j is refused', async (flags, why) => {
    const { status, stdout, stderr } = await run('restore', './s', '--all', ...flags);

    expect([status, stdout + stderr]).toEqual([2, expect.stringContaining(why)]);
    expect(readdirSync(folder).filter((name) => name.includes('x.'))).toEqual([]);
  });

  it('is refused on a terminal', async () => {
    const { status, stderr } = await runCommand({ root, folder, columns: 80 }, [
      'restore',
      './s',
      '--all',
      '--to-tar',
      '-',
    ]);

    expect([status, stderr]).toEqual([2, expect.stringContaining('does not go to a terminal')]);
  });
});

describe('what cannot be read', () => {
  const FILES: FileSpec[] = [
    { path: 'a', content: 'a'.repeat(5000) },
    { path: 'b', content: 'b'.repeat(5000) },
    { path: 'c', content: 'c'.repeat(5000), chunk: 1 },
  ];
  const url = (): string => `file://${at('store')}/uploads/${UPLOAD_ID}`;

  it('is named, and the others are in the archive', async () => {
    const { objects, manifest } = makeArchive({ files: FILES });
    const [key = ''] = manifest.chunks.map((chunk) => String(chunk['key']));
    await writeObjects(at('store'), new Map([...objects].filter(([name]) => !name.endsWith(key))));

    const made = await run('restore', url(), '--all', '--to-tar', 'x.tar', '-q');

    expect([made.status, sh('tar -tf x.tar')]).toEqual([3, 'c\n']);
    expect(made.stdout).toMatch(/ a: [^]* b: /);
  });

  it('is in the archive, and named, where its digest does not fit', async () => {
    const bend = ({ files }: { files: Record<string, unknown>[] }): void =>
      void Object.assign(files[1] ?? {}, { md5: 'f'.repeat(32) });
    await writeObjects(at('store'), makeArchive({ files: FILES, bend }).objects);

    const made = await run('restore', url(), '--all', '--to-tar', 'x.tar', '-q');

    expect([made.status, sh('tar -tf x.tar')]).toEqual([3, 'a\nb\nc\n']);
    expect(made.stdout).toContain('b: it is in the archive, and its content does not have the MD5');
  });

  it('leaves no file where nothing can be read', async () => {
    const { objects } = makeArchive({ files: FILES });
    await writeObjects(at('store'), new Map([...objects].filter(([name]) => !name.endsWith('.tar.zst'))));

    const made = await run('restore', url(), '--all', '--to-zip', 'x.zip', '-q');

    expect([made.status, existsSync(at('x.zip')), readdirSync(folder).filter((name) => name.startsWith('.x'))]).toEqual(
      [1, false, []],
    );
  });

  it('is refused before anything is written where it lies in cold storage', async () => {
    const cold = await makeColdArchive(['GLACIER', 'STANDARD']);
    const place = `s3://cold/uploads/${cold.archive.uploadId}`;
    const made = await run('restore', place, '--all', '--to-tar', 'x.tar', '--endpoint-url', cold.s3.endpoint);

    expect([made.status, existsSync(at('x.tar'))]).toEqual([1, false]);
    expect(made.stderr).toMatch(
      /1 of 2 chunks are in cold storage \(GLACIER\)[^]*getting it costs[^]*archiver restore s3:.* \.\/out --all/,
    );
  });
});

test('the checksum of a zip is made without Node, too', () => {
  expect(crc32(Buffer.from('456789'), crc32(Buffer.from('123'), 0))).toBe(0xcbf43926);
});
