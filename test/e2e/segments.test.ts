// A dataset in segments, small ones: what a random life of a source leaves is what every reader finds, and a sync writes the segments that it
// touches.
import {
  chmodSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { randomOf } from '../support/random.js';
import { smallSegments } from '../support/small-segments.js';
import { archiver } from './in-process.js';

beforeAll(smallSegments(20, 8));

let home = '';
let store = '';
const at = (path: string): string => join(home, 'lab', path);
const run = (...args: string[]) => archiver(home, args);

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'archiver-test-'));
  store = `file://${join(home, 'store')}`;
  mkdirSync(at(''));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function sync(...flags: string[]): Promise<void> {
  const args = ['lab', store, '--dataset-id', 'lab', '--track-deletes', '--allow-mass-delete', '--quiet', ...flags];
  const { status, stderr } = await run('sync', ...args);
  expect([status, stderr]).toEqual([0, '']);
}

/** Everything below a folder, names of one inode told by the first of them. */
function describedTree(root: string): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const inodes = new Map<bigint, string>();
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const stat = lstatSync(join(root, path), { bigint: true });
    const common = [Number(stat.mode), String(stat.mtimeNs)];
    if (stat.isDirectory()) found[path] = common;
    else if (stat.isSymbolicLink()) found[path] = [readlinkSync(join(root, path)), String(stat.mtimeNs)];
    else {
      const first = inodes.get(stat.ino) ?? path;
      inodes.set(stat.ino, first);
      found[path] = [...common, first, readFileSync(join(root, path), 'utf8')];
    }
  }
  return found;
}

interface Head {
  readonly createdAt: string;
  readonly listing: string;
  readonly segments?: readonly { readonly key: string; readonly counts: { readonly entries: number } }[];
}

/** Heads of manifests, oldest first; ids of uploads of one second have no order. */
const heads = (): Head[] => {
  const uploads = join(home, 'store/uploads');
  return readdirSync(uploads)
    .map((id) => JSON.parse(gunzipSync(readFileSync(join(uploads, id, 'manifest.json.gz'))).toString()) as Head)
    .toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
};

async function restored(version: string): Promise<unknown> {
  const out = join(home, 'out');
  const { status, stderr } = await run(
    'restore',
    store,
    out,
    '--dataset-id',
    'lab',
    '--version',
    version,
    '--all',
    '--quiet',
  );
  expect([status, stderr]).toEqual([0, '']);
  const found = describedTree(out);
  rmSync(out, { recursive: true, force: true });
  return found;
}

test('a sync writes the segments that it touches, and names the others again', async () => {
  for (let n = 100; n < 160; n++) writeFileSync(at(`f-${n}`), `content ${n}`);
  await sync();
  writeFileSync(at('f-130'), 'changed');
  await sync();

  const [first, second] = heads();
  expect(first?.segments?.map(({ counts }) => counts.entries)).toEqual([8, 8, 8, 8, 8, 8, 8, 4]);
  expect(second?.listing).toBe('full');
  expect(second?.segments?.map(({ key }) => key.startsWith('../'))).toEqual(
    [0, 1, 2, 3, 4, 5, 6, 7].map((n) => n !== 3),
  );
});

test('changes all over a listing are a delta', async () => {
  for (let n = 100; n < 300; n++) writeFileSync(at(`f-${n}`), `content ${n}`);
  await sync();
  for (let n = 100; n < 300; n += 8) writeFileSync(at(`f-${n}`), 'changed');
  await sync();

  expect(heads().map(({ listing, segments }) => [listing, segments?.length])).toEqual([
    ['full', 25],
    ['delta', undefined],
  ]);
});

test.each([1, 2, 3, 4])('a random life of a source, %i', { timeout: 120_000 }, async (seed) => {
  const any = randomOf(seed);
  const name = (): string => `d${any(3)}/${'abc'.charAt(any(3))}${any(12)}`;
  const trees: unknown[] = [];
  for (const folder of ['d0', 'd1', 'd2']) mkdirSync(at(folder));
  for (let n = 0; n < 60; n++) writeFileSync(at(name()), `first ${n}`);
  const change = (): void => {
    const path = at(name());
    const kind = any(8);
    if (kind === 0) chmodSync(at('d1'), any(2) === 0 ? 0o700 : 0o755);
    else {
      rmSync(path, { recursive: true, force: true });
      if (kind === 1) symlinkSync('target', path);
      else if (kind === 2) {
        mkdirSync(path);
        for (let n = 0; n < 12; n++) writeFileSync(join(path, `in-${n}`), String(any(1e9)));
      } else if (kind === 3) {
        const other = at(name());
        rmSync(other, { recursive: true, force: true });
        writeFileSync(path, String(any(1e9)));
        if (other !== path) linkSync(path, other);
      } else if (kind < 7) {
        writeFileSync(path, String(any(1e9)));
        utimesSync(path, 1_700_000_000 + any(1000), 1_700_000_000 + any(1000));
      }
    }
  };

  await sync();
  trees.push(describedTree(at('')));
  for (let step = 0; step < 12; step++) {
    for (let n = any(step % 4 === 3 ? 25 : 4); n >= 0; n--) change();
    writeFileSync(at('d2/always'), String(step));
    await sync();
    trees.push(describedTree(at('')));
  }

  expect(await restored('13')).toEqual(trees[12]);
  const version = 1 + any(13);
  expect(await restored(String(version))).toEqual(trees[version - 1]);
  for (const one of [13, version]) {
    const verified = await run('verify', store, '--dataset-id', 'lab', '--version', String(one), '--deep', '--json');
    expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, warnings: [] });
  }
  expect(heads().filter(({ segments }) => segments !== undefined).length).toBeGreaterThan(2);
  expect(
    heads().filter(({ segments = [] }) => segments.some(({ key }) => key.startsWith('../'))).length,
  ).toBeGreaterThan(1);
});
