// `archiver upload --direct-upload`: one object a file, and everything that other commands make of it.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fsPath, rawFromText } from '../../src/core/platform/paths/raw-path.js';
import { describeTree, isRoot, makeEverything, noise } from '../core/archive/trees.js';
import { tempFolder } from '../support/temp-folder.js';
import { untilNoted } from '../support/until-noted.js';
import { archiver, uploadJson } from './in-process.js';
import { CLI, filesBelow, makeFolder, onlyUpload, rawPathOf, readManifest, type Ran } from './upload-cli.js';
import { raw } from '../support/raw.js';

const json = ({ stdout }: Ran): Record<string, unknown> => JSON.parse(stdout) as Record<string, unknown>;

interface Place {
  readonly home: string;
  readonly source: string;
  readonly base: string;
  readonly url: string;
}

async function place(fill: (source: string) => void): Promise<Place> {
  const home = await tempFolder();
  const source = makeFolder(home, 'source');
  fill(source);
  const base = join(home, 'store');
  return { home, source, base, url: `file://${base}` };
}

/** Files in folders, more than one chunk of them. */
function someFiles(source: string): void {
  for (let i = 0; i < 60; i++) {
    mkdirSync(join(source, `d${i % 3}`), { recursive: true });
    writeFileSync(join(source, `d${i % 3}`, `f${i}`), noise(20_000 + i));
  }
}

const direct = async ({ home, source, url }: Place, ...flags: readonly string[]): Promise<string> =>
  (await uploadJson(home, [source, url, '--direct-upload', ...flags])).document.location;

/** Removes all versions of the dataset `lab` but the newest, at once. */
const pruneToNewest = ({ home, url }: Place, ...flags: readonly string[]): Promise<Ran> => {
  const keep = ['--dataset-id', 'lab', '--keep-last', '1', '--force', '--instant', '--quiet'];
  return archiver(home, ['dataset', 'prune', url, ...keep, ...flags]);
};

async function verified(home: string, location: string): Promise<Record<string, unknown>> {
  return json(await archiver(home, ['verify', location, '--deep', '--json', '--quiet']));
}

async function expectRestored({ home, source }: Place, location: string): Promise<void> {
  const out = join(await tempFolder(), 'out');
  const { status, stderr } = await archiver(home, [
    'restore',
    location,
    out,
    '--all',
    '--keep-special-bits',
    '--quiet',
  ]);
  expect([status, stderr]).toEqual([0, '']);
  expect(describeTree(rawFromText(out))).toEqual(describeTree(rawFromText(source)));
}

test.skipIf(!isRoot)('everything comes back, and each object is its file, byte by byte', async () => {
  const at = await place(makeEverything);

  const location = await direct(at, '--force-direct-upload', '--frame-size', '64KiB', '--memory-limit', '192MiB');

  const upload = onlyUpload(at.base);
  const { files, chunks } = readManifest(upload) as unknown as {
    files: { type: string; size: number; chunk?: number; holes?: unknown; segments?: unknown }[];
    chunks: { key: string; content?: string }[];
  };
  for (const entry of files) {
    const chunk = chunks[entry.chunk ?? -1];
    const isDirect =
      entry.type !== 'directory' && entry.type !== 'symlink' && (entry.holes ?? entry.segments) === undefined;
    expect([entry, chunk?.content]).toEqual([entry, isDirect ? 'file' : undefined]);
    if (!isDirect) continue;
    const stored = readFileSync(join(upload, chunk?.key ?? ''));
    expect(stored.equals(readFileSync(fsPath(raw(`${at.source}/${rawPathOf(entry as never)}`))))).toBe(true);
  }
  expect(files.filter(({ holes }) => holes !== undefined).length).toBeGreaterThan(3);
  expect(files.filter(({ segments }) => segments !== undefined).length).toBeGreaterThan(3);
  expect(chunks.filter(({ key }) => key.startsWith('files/.hashed/')).length).toBeGreaterThan(5);
  await expectRestored(at, location);
  expect(await verified(at.home, location)).toMatchObject({ ok: true, errors: [], warnings: [] });
});

describe('an upload of some files', () => {
  test('gives one of them back for four requests: manifest, versions, record, content', async () => {
    const at = await place(someFiles);
    const location = await direct(at);
    const out = join(at.home, 'one');

    const ran = await archiver(at.home, ['restore', location, out, '--file', 'd1/f4', '--json', '--quiet']);

    expect(json(ran)).toMatchObject({ files: 1, bytesFetched: 20_004, requests: { get: 3, list: 1, head: 0 } });
    expect(readFileSync(join(out, 'd1/f4')).equals(readFileSync(join(at.source, 'd1/f4')))).toBe(true);
  });

  test('is downloaded by shards, each file in one of them', async () => {
    const at = await place(someFiles);
    const location = await direct(at, '--shard-count', '4');
    const found: string[] = [];

    for (const shard of ['0', '1', '2', '3']) {
      const out = join(at.home, `shard-${shard}`);
      const { status, stderr } = await archiver(at.home, ['download', location, out, '--shard-ids', shard, '--quiet']);
      expect([status, stderr]).toEqual([0, '']);
      found.push(...filesBelow(out));
    }

    expect(found.sort()).toEqual(filesBelow(at.source));
  });

  test('is not whole when a bit flips, and verify and restore name the file', async () => {
    const at = await place(someFiles);
    const location = await direct(at);
    const object = join(onlyUpload(at.base), 'files/d0/f30');
    const bytes = readFileSync(object);
    bytes[100] = (bytes[100] ?? 0) ^ 1;
    writeFileSync(object, bytes);

    const verify = await verified(at.home, location);
    const restore = await archiver(at.home, ['restore', location, join(at.home, 'out'), '--all', '--json', '--quiet']);

    expect(verify).toMatchObject({ ok: false, filesRead: 59 });
    const about = (verify['errors'] as { path?: string; key?: string }[]).map(({ path, key }) => path ?? key);
    expect(new Set(about)).toEqual(new Set(['files/d0/f30', 'd0/f30']));
    expect([restore.status, json(restore)['failed']]).toMatchObject([3, [{ path: 'd0/f30' }]]);
    expect(existsSync(join(at.home, 'out/d0/f30'))).toBe(false);
  });

  test.each([
    ['is gone', (object: string): void => rmSync(object)],
    ['has another size', (object: string): void => writeFileSync(object, 'short')],
  ])('is not whole when an object %s, which takes no reading', async (_how, damage) => {
    const at = await place(someFiles);
    const location = await direct(at);
    damage(join(onlyUpload(at.base), 'files/d2/f5'));

    const verify = json(await archiver(at.home, ['verify', location, '--json', '--quiet']));

    expect(verify).toMatchObject({ ok: false, errorCount: 1, errors: [{ key: 'files/d2/f5' }] });
  });

  test('is balanced without them: they stay where they are', async () => {
    const at = await place((source) => {
      someFiles(source);
      writeFileSync(join(source, 'z'), noise(900_000));
    });
    const location = await direct(at);
    const before = filesBelow(join(onlyUpload(at.base), 'files'));
    writeFileSync(join(onlyUpload(at.base), 'files/left-over'), 'of a killed run');

    const ran = await archiver(at.home, ['balance', location, '--execute', '--threshold', '1.01', '--json', '--quiet']);

    expect(ran.status).toBe(0);
    const { staying } = json(ran)['plan'] as { staying: { reason: string; chunks: number }[] };
    expect(staying).toContainEqual(expect.objectContaining({ reason: 'direct', chunks: 61 }));
    expect(filesBelow(join(onlyUpload(at.base), 'files'))).toEqual([...before, 'left-over'].sort());
    expect(await verified(at.home, location)).toMatchObject({ ok: true, errors: [] });
    await expectRestored(at, location);
  });
});

test('above the threshold it goes into chunks and says so; --force-direct-upload lifts it', async () => {
  const at = await place((source) => writeFileSync(join(source, 'two'), noise(2_000_001)));
  const threshold = ['--direct-upload', '--direct-upload-threshold-mb', '2'];

  const chunked = await archiver(at.home, ['upload', at.source, at.url, ...threshold]);
  const hasFiles = existsSync(join(onlyUpload(at.base), 'files'));
  const force = [...threshold, '--force-direct-upload', '--json'];
  const forced = await archiver(at.home, ['upload', at.source, `${at.url}2`, ...force]);

  expect([chunked.status, hasFiles]).toEqual([0, false]);
  expect(JSON.parse(forced.stdout)).toMatchObject({ directFiles: 1 });
  expect(chunked.stderr.match(/no direct upload/g)).toHaveLength(1);
  expect([forced.status, forced.stderr]).toEqual([0, expect.not.stringContaining('no direct upload')]);
  expect(filesBelow(join(onlyUpload(`${at.base}2`), 'files'))).toEqual(['two']);
});

test.each([
  [['--force-direct-upload'], '--direct-upload'],
  [['--direct-upload-workers', '8'], '--direct-upload'],
  [['--direct-upload-threshold-mb', '8'], '--direct-upload'],
  [['--direct-upload', '--enable-dedup'], '--enable-dedup'],
  [['--direct-upload', '--encrypt-manifest', '--kms-key-id', 'k'], '--encrypt-manifest'],
])('%j is refused', async (flags, named) => {
  const at = await place(someFiles);

  const { status, stderr } = await archiver(at.home, ['upload', at.source, at.url, ...flags]);

  expect([status, stderr]).toEqual([2, expect.stringContaining(named)]);
  expect(existsSync(at.base)).toBe(false);
});

test('a dry run counts the objects and writes nothing', async () => {
  const at = await place(someFiles);

  const { document } = await uploadJson(at.home, [at.source, at.url, '--direct-upload', '--dry-run']);
  const dry = existsSync(join(at.base, 'uploads'));
  const { document: real } = await uploadJson(at.home, [at.source, at.url, '--direct-upload']);

  expect([dry, document.chunks]).toEqual([false, real.chunks]);
  expect(real.chunks).toBeGreaterThan(60);
});

test('two uploads do not share an object, and two files of one name neither', async () => {
  const at = await place((source) => {
    for (const folder of ['a', 'b']) {
      mkdirSync(join(source, folder));
      writeFileSync(join(source, folder, 'README.md'), folder);
    }
  });
  const first = await direct(at);
  writeFileSync(join(at.source, 'a/README.md'), 'A');

  const second = await direct(at);

  const read = (location: string, path: string): string =>
    readFileSync(join(location.slice('file://'.length), 'files', path), 'utf8');
  expect([first, second].map((location) => [read(location, 'a/README.md'), read(location, 'b/README.md')])).toEqual([
    ['a', 'b'],
    ['A', 'b'],
  ]);
});

test('a sync refers to direct files, and pruning their version keeps what is still needed', async () => {
  const at = await place(someFiles);
  const first = await direct(at, '--dataset-id', 'lab');
  writeFileSync(join(at.source, 'd0/f0'), 'changed');
  rmSync(join(at.source, 'd1/f1'));
  const sync = ['sync', at.source, at.url, '--dataset-id', 'lab', '--track-deletes', '--json', '--quiet'];

  const synced = json(await archiver(at.home, sync));
  const again = json(await archiver(at.home, sync));
  const location = String(synced['location']);
  const whole = await verified(at.home, location);
  const pruned = await pruneToNewest(at, '--json');

  expect(synced).toMatchObject({ version: 2, modified: 1, deleted: 1, added: 0, unchanged: 58 });
  expect(again).toMatchObject({ noChanges: true });
  expect(whole).toMatchObject({ ok: true, errors: [], warnings: [] });
  expect([pruned.status, json(pruned)]).toMatchObject([0, { retired: [{ version: 1 }], compacted: [2] }]);
  const left = filesBelow(join(first.slice('file://'.length), 'files'));
  expect([left.length, left.includes('d0/f0'), left.includes('d1/f1')]).toEqual([58, false, false]);
  expect(await verified(at.home, location)).toMatchObject({ ok: true, errors: [], warnings: [] });
  await expectRestored(at, location);
});

test('pruning a direct version that nothing refers to leaves nothing of it', async () => {
  const at = await place(someFiles);
  const first = await direct(at, '--dataset-id', 'lab');
  await archiver(at.home, ['upload', at.source, at.url, '--dataset-id', 'lab', '--quiet']);

  await pruneToNewest(at);

  expect(filesBelow(first.slice('file://'.length))).toEqual([]);
});

describe('a lost manifest, on a computer that does not remember it', () => {
  const forget = ({ home }: { readonly home: string }): void =>
    rmSync(join(home, '.archiver', 'manifest-cache'), { recursive: true });

  test('is rebuilt whole', async () => {
    const at = await place(someFiles);
    const location = await direct(at);
    const manifest = join(onlyUpload(at.base), 'manifest.json.gz');
    const before = readManifest(onlyUpload(at.base));
    rmSync(manifest);
    forget(at);

    const repaired = json(await archiver(at.home, ['repair', location, '--execute', '--json', '--quiet']));

    expect(repaired).toMatchObject({ status: 'repaired', lost: [] });
    expect(readManifest(onlyUpload(at.base))).toMatchObject({ files: before.files, chunks: before.chunks });
    expect(await verified(at.home, location)).toMatchObject({ ok: true, errors: [], warnings: [] });
    await expectRestored(at, location);
  });

  test('names the files that are gone, damaged, or in no table', async () => {
    const at = await place(someFiles);
    const location = await direct(at, '--shard-count', '4');
    const upload = onlyUpload(at.base);
    rmSync(join(upload, 'manifest.json.gz'));
    forget(at);
    rmSync(join(upload, 'files/d0/f0'));
    const damaged = join(upload, 'files/d0/f3');
    writeFileSync(damaged, noise(statSync(damaged).size));
    writeFileSync(join(upload, 'files/unknown'), 'x');

    const repaired = json(await archiver(at.home, ['repair', location, '--execute', '--json', '--quiet']));

    const lost = repaired['lost'] as { path?: string; key?: string; reason: string }[];
    expect(lost).toContainEqual(expect.objectContaining({ path: 'd0/f0', key: 'files/d0/f0' }));
    expect(lost).toContainEqual(expect.objectContaining({ path: 'd0/f3', key: 'files/d0/f3' }));
    expect(lost).toContainEqual({
      key: 'files/unknown',
      reason: expect.stringContaining('no table of contents lists it'),
    });
    const listed = readManifest(upload).files.map(({ path }) => path);
    expect([listed.includes('d0/f0'), listed.includes('d0/f3'), listed.includes('d1/f1')]).toEqual([false, true, true]);
  });
});

test('a killed upload goes on: what was acknowledged stays, and nothing is ever written over', async () => {
  const at = await place((source) => {
    for (let i = 0; i < 300; i++) writeFileSync(join(source, `f${i}`), noise(100_000));
  });
  const state = join(at.home, '.archiver', 'state');
  const args = ['upload', at.source, at.url, '--direct-upload', '--shard-count', '16', '--limit-upload', '8MiB'];
  const child = spawn(process.execPath, [CLI, ...args], {
    env: { PATH: process.env['PATH'] ?? '', HOME: at.home, ARCHIVER_HOME: join(at.home, '.archiver') },
    stdio: 'ignore',
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await untilNoted(state);
  child.kill('SIGKILL');
  await new Promise((resolve) => child.once('exit', resolve));
  const old = onlyUpload(at.base);
  const sent = filesBelow(join(old, 'files'));
  const inodes = new Map(sent.map((path) => [path, statSync(join(old, 'files', path)).ino]));
  // What was sent and not noted may have changed since.
  for (const path of sent.slice(-3)) writeFileSync(join(at.source, path), 'changed since');

  const resumed = await archiver(at.home, ['resume', '--json', '--quiet', '--limit-upload', '1GiB']);

  expect(sent.length).toBeGreaterThan(0);
  expect(sent.length).toBeLessThan(300);
  expect([resumed.status, json(resumed)]).toMatchObject([0, { files: 300 }]);
  for (const [path, inode] of inodes) expect(statSync(join(old, 'files', path)).ino).toBe(inode);
  const upload = join(at.base, 'uploads', String(json(resumed)['uploadId']));
  const { chunks } = readManifest(upload) as unknown as { chunks: { key: string }[] };
  const keys = new Set(chunks.map(({ key }) => key));
  expect(sent.some((path) => keys.has(`../${basename(old)}/files/${path}`))).toBe(true);
  expect(await verified(at.home, String(json(resumed)['location']))).toMatchObject({ ok: true, errors: [] });
  await expectRestored(at, String(json(resumed)['location']));
});

test('what a wipe finds of a direct upload is archiver\u2019s own', async () => {
  const at = await place(someFiles);
  await direct(at);

  const ran = await archiver(at.home, ['scuttle', at.url, '--dry-run', '--json', '--quiet']);

  const found = { objects: filesBelow(at.base).length, uploadCount: 1 };
  expect([ran.status, json(ran)]).toMatchObject([0, { leftAlone: 0, found }]);
});
