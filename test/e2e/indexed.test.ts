// A dataset whose manifests have an index: what asks for some paths reads the blocks that can hold them. That it does is shown by damage
// elsewhere in the manifest, which whoever reads all of it meets.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeVersionRecord } from '../../src/core/dataset/records/version-record.js';
import type { VersionRecord } from '../../src/core/format/manifest/manifest-types.js';
import { archiver } from './in-process.js';

const FOLDERS = ['run-1', 'run-2', 'run-3'];
const FILES = 5000;
let home = '';
let store = '';
const run = (...args: string[]) => archiver(home, args);

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'archiver-test-'));
  store = `file://${join(home, 'store')}`;
  for (const folder of FOLDERS) {
    mkdirSync(join(home, 'lab', folder), { recursive: true });
    for (let n = 0; n < FILES; n++)
      writeFileSync(join(home, 'lab', folder, `f-${String(n).padStart(4, '0')}`), folder + n);
  }
  const first = await run('sync', 'lab', store, '--dataset-id', 'lab', '--quiet');
  writeFileSync(join(home, 'lab', 'run-3', 'f-0007'), 'changed');
  const second = await run('sync', 'lab', store, '--dataset-id', 'lab', '--quiet');
  if (first.status !== 0 || second.status !== 0) throw new Error(first.stderr + second.stderr);
  damageFirstBlock();
}, 120_000);

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** The folder of the first upload. */
function firstUpload(): string {
  const record = readFileSync(join(home, 'store', 'datasets', 'lab', 'v00000001.json'), 'utf8');
  return join(home, 'store', 'uploads', (JSON.parse(record) as { readonly uploadId: string }).uploadId);
}

/** Flips bits in the block with the entries of run-1, and back: such that gzip cannot read on. */
function damageFirstBlock(): void {
  const path = join(firstUpload(), 'manifest.json.gz');
  const bytes = readFileSync(path);
  const block = bytes.indexOf(Buffer.from([0x1f, 0x8b, 8, 0]), bytes.indexOf(Buffer.from([0x1f, 0x8b, 8, 0])) + 1);
  for (let at = block + 20; at < block + 40; at++) bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(path, bytes);
}

test('a restore of one path reads its block, in the version and in the one that it builds on', async () => {
  const args = ['--dataset-id', 'lab', '--file', 'run-3/f-4321', '--file', 'run-3/f-0007', '--json'];

  const { status, stdout } = await run('restore', store, 'out', ...args);

  expect(status).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ files: 2, version: 2, failed: [] });
  expect(readFileSync(join(home, 'out', 'run-3', 'f-4321'), 'utf8')).toBe('run-34321');
  expect(readFileSync(join(home, 'out', 'run-3', 'f-0007'), 'utf8')).toBe('changed');
});

test.each([
  ['a folder', ['restore', '{store}', 'new', '--dataset-id', 'lab', '--file', 'run-3', '--dry-run']],
  ['a glob below a folder', ['list', '{store}', '--dataset-id', 'lab', '--pattern', 'run-3/*']],
  ['a search below a folder', ['find', 'run-3/f-000*', '{store}']],
])('%s is found without the rest', async (_what, words) => {
  const { status, stdout } = await run(...words.map((word) => (word === '{store}' ? store : word)), '--json');

  expect([status, stdout]).toEqual([
    0,
    expect.stringContaining(words[0] === 'restore' ? '"files":5000' : 'run-3/f-0007'),
  ]);
});

test.each([
  ['everything', ['restore', '{store}', 'new', '--dataset-id', 'lab', '--all', '--dry-run']],
  [
    'what lies in the damaged block',
    ['restore', '{store}', 'new', '--dataset-id', 'lab', '--file', 'run-1/f-0001', '--dry-run'],
  ],
  ['a name anywhere', ['find', 'f-0007*', '{store}']],
  ['a check', ['verify', '{store}', '--dataset-id', 'lab']],
])('%s meets the damage', async (_what, words) => {
  const { status, stderr, stdout } = await run(...words.map((word) => (word === '{store}' ? store : word)));

  expect(status).not.toBe(0);
  expect(stderr + stdout).toMatch(/manifest/);
});

test('a record with the index of another manifest is a warning of verify, and costs a lookup the whole manifest', async () => {
  damageFirstBlock(); // mends it
  const path = join(home, 'store/datasets/lab/v00000001.json');
  const {
    digest: _digest,
    digestAlgorithm: _algorithm,
    ...record
  } = JSON.parse(readFileSync(path, 'utf8')) as VersionRecord & {
    digestAlgorithm: string;
  };
  writeFileSync(path, encodeVersionRecord({ ...record, manifestIndex: { size: 200, sha256: '0'.repeat(64) } }));

  const verified = await run('verify', store, '--dataset-id', 'lab', '--version', '1', '--json');
  const restored = await run(
    'restore',
    store,
    'old',
    '--dataset-id',
    'lab',
    '--version',
    '1',
    '--file',
    'run-3/f-0007',
  );

  expect(JSON.parse(verified.stdout)).toMatchObject({
    ok: true,
    warnings: [{ message: expect.stringMatching(/names an index that .* does not have/) }],
  });
  expect([restored.status, readFileSync(join(home, 'old/run-3/f-0007'), 'utf8')]).toEqual([0, 'run-37']);
});

test('a repair writes the bytes that were damaged, index and all, and a prune writes an index for what it compacts', async () => {
  const path = join(firstUpload(), 'manifest.json.gz');
  const sound = readFileSync(path);
  damageFirstBlock();
  rmSync(join(home, '.archiver'), { recursive: true, force: true });

  const repaired = await run('repair', `file://${firstUpload()}`, '--execute');
  expect([repaired.status, readFileSync(path).equals(sound)]).toEqual([0, true]);

  const flags = ['--keep-last', '1', '--exclusive', '--instant', '--yes'];
  const pruned = await run('dataset', 'prune', store, '--dataset-id', 'lab', ...flags);
  const record = JSON.parse(readFileSync(join(home, 'store/datasets/lab/v00000002.json'), 'utf8')) as VersionRecord;
  const verified = await run('verify', store, '--dataset-id', 'lab', '--json');
  expect([pruned.status, record.listing, record.manifestIndex]).toMatchObject([
    0,
    'full',
    { size: expect.any(Number) },
  ]);
  expect(JSON.parse(verified.stdout)).toMatchObject({ ok: true, warnings: [] });
});
