import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { command as verify } from '../../src/commands/verify.js';
import { makeArchive, UPLOAD_ID } from '../support/make-archive.js';
import { linkId, linkKey } from '../support/make-chain.js';
import { DATASET, makeDataset, writeObjects } from '../support/make-dataset.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';
import { treeOf } from '../support/tree-of.js';

const made = makeDataset([
  { files: [{ path: 'a.txt', content: 'alpha' }] },
  { files: [{ path: 'b.txt', content: 'beta' }] },
]);
const root = treeOf([verify], [], 'test');
let folder = '';
let base = '';

beforeEach(async () => {
  folder = await tempFolder();
  base = `file://${join(folder, 'store')}`;
  // The copy of a delta is nothing that one should be warned of (docs/format.md).
  const copy = `${linkKey(1)}.copy-01234567`;
  await writeObjects(join(folder, 'store'), new Map([...made.objects, [copy, Buffer.from('copy')]]));
});

const run = (...argv: string[]): Promise<CommandRun> =>
  runCommand({ root, folder, env: { NO_COLOR: '1' } }, ['verify', ...argv]);

test.each([
  [
    ['--quick'],
    /2 versions of 1 dataset: manifests consistent; chunks not looked at\n {2}checked +the manifest of each/,
  ],
  [[], /2 versions of 1 dataset: all 2 chunks present; contents not read\n/],
  [
    ['--deep'],
    /2 versions of 1 dataset are whole\n {2}checked +read 2 of 2 chunks \(.*\), each once; 2 contents of files/,
  ],
])('the verdict on a store says what was looked at: %j', async (flags, text) => {
  const { status, stdout } = await run(base, ...flags);

  expect([status, stdout]).toEqual([0, expect.stringMatching(text)]);
  expect(stdout).toMatch(new RegExp(`^ {2}dataset +${DATASET}: 2 versions`, 'm'));
  expect(stdout).not.toContain('warning');
});

test('--bucket names a store, too, and --json has every version', async () => {
  const { status, stdout } = await run('--bucket', base, '--json');

  expect([status, json(stdout)]).toMatchObject([
    0,
    {
      ok: true,
      checked: 'presence',
      location: base,
      versionCount: 2,
      chunks: 2,
      datasets: [{ datasetId: DATASET, versions: [{ version: 1 }, { version: 2, uploadId: linkId(1), errors: [] }] }],
    },
  ]);
});

test('damage is told with its version and dataset, and the status is 1', async () => {
  rmSync(join(folder, 'store/uploads', linkId(1), 'shard-00'), { recursive: true });

  const { status, stdout } = await run(base);

  expect(status).toBe(1);
  expect(stdout).toMatch(/^x 1 of 2 versions of 1 dataset is damaged\n/);
  expect(stdout).toMatch(
    new RegExp(
      `dataset +${DATASET}: 1 of 2 versions damaged\\n {2}error +v2: shard-00/.*: chunk \\d is not in the store`,
    ),
  );
});

test.each([
  [
    'missing',
    [],
    (path: string) => rmSync(path),
    /next +archiver sync of \S+ sends again .*archiver restore \S+ \.\/out --all/,
  ],
  [
    'damaged',
    ['--deep'],
    (path: string) => writeFileSync(path, readFileSync(path).fill(1, 20, 25)),
    /next +archiver sync of \S+ with --force sends .*archiver restore \S+ \.\/out --all/,
  ],
] as const)('of a chunk that is %s verify says what mends it, last', async (_, flags, harm, words) => {
  const shard = join(folder, 'store/uploads', linkId(1), 'shard-00');
  harm(join(shard, readdirSync(shard)[0] ?? ''));

  const upload = await run(`${base}/uploads/${linkId(1)}`, ...flags);
  const store = await run(base, ...flags);

  expect([upload.status, store.status]).toEqual([1, 1]);
  for (const { stdout } of [upload, store]) expect(stdout.trimEnd().split('\n').at(-1)).toMatch(words);
});

test('the copy of a delta is no object that nothing refers to', async () => {
  const { status, stdout } = await run(`${base}/uploads/${linkId(1)}`, '--json');

  expect([status, json(stdout)]).toMatchObject([0, { ok: true, warnings: [] }]);
});

test('a store without datasets is a failure', async () => {
  const { status, stderr } = await run(`${base}/elsewhere`);

  expect([status, stderr]).toEqual([1, expect.stringContaining('there are no datasets and no uploads under')]);
});

test('what was looked at is said as far as it could be', async () => {
  const first = `${base}/uploads/${linkId(0)}`;
  const whole = await run(first);
  writeFileSync(join(folder, 'store', linkKey(0)), 'damaged');
  const damaged = await run(first);

  expect(whole.stdout).toMatch(/^ {2}checked +1 entry, 1 file, 5 B, and the presence of 1 chunk, in /m);
  expect(damaged.stdout).toMatch(/^ {2}checked +the manifest alone, in /m);
});

describe('what lies beside the versions of the store', () => {
  const single = makeArchive({ files: [{ path: 'c.txt', content: 'gamma' }] });
  const chunk = [...single.objects.keys()].find((key) => key.endsWith('.zst')) ?? '';

  beforeEach(async () => {
    await writeObjects(join(folder, 'store'), single.objects);
    await writeObjects(join(folder, 'store/writers/web-01'), made.objects);
    await writeObjects(join(folder, 'store/lab'), single.objects);
  });

  test('is checked too: uploads that are no version, writers and prefixes below', async () => {
    const { status, stdout } = await run(base, '--deep');

    expect(status).toBe(0);
    expect(stdout).toMatch(/4 versions of 2 datasets and 2 other uploads are whole\n/);
    expect(stdout).toMatch(new RegExp(`dataset +${DATASET} in ${base}/writers/web-01: 2 versions are whole`));
    expect(stdout).toMatch(new RegExp(`upload +${UPLOAD_ID} is whole\n +upload +${UPLOAD_ID} in ${base}/lab is whole`));
    const { stdout: document } = await run(base, '--json');
    expect(json(document)).toMatchObject({
      versionCount: 4,
      chunks: 6,
      isComplete: true,
      uncheckedUploadCount: 0,
      uploads: [{ location: base, ok: true }, { location: `${base}/lab` }],
    });
  });

  test('and its damage makes the status 1', async () => {
    rmSync(join(folder, 'store/lab', chunk));
    rmSync(join(folder, 'store/writers/web-01/uploads', linkId(1), 'shard-00'), { recursive: true });

    const { status, stdout } = await run(base);

    expect(status).toBe(1);
    expect(stdout).toMatch(/^x 1 of 4 versions of 2 datasets is damaged, 1 of 2 other uploads is damaged\n/);
    expect(stdout).toMatch(/upload +\S+ in \S+\/lab: 1 error\n {2}error +.*is not in the store/);
  });

  test('but for what is not finished or marked for deletion, which is counted', async () => {
    rmSync(join(folder, 'store/uploads', UPLOAD_ID, 'manifest.json.gz'));
    writeFileSync(join(folder, 'store/lab/uploads', UPLOAD_ID, 'sweep-20251114T093012Z-01234567.json'), '{}');
    rmSync(join(folder, 'store/lab', chunk));

    const { status, stdout } = await run(base);

    expect(status).toBe(0);
    expect(stdout).toContain('left out  2 uploads not finished, or marked for deletion\n');
  });
});

test('what a prune leaves of an upload is chunks that a version needs, and nothing that was left out', async () => {
  const host = { root: program(), folder };
  const call = (...argv: string[]): Promise<CommandRun> => runCommand(host, argv);
  mkdirSync(join(folder, 'data'));
  for (let file = 0; file < 10; file++) writeFileSync(join(folder, 'data', `${file}`), `content of ${file}`);
  const store = join(folder, 'pruned');
  await call('sync', 'data', store, '--quiet');
  writeFileSync(join(folder, 'data', 'new'), 'new');
  await call('sync', 'data', store, '--quiet');
  const pruned = await call('dataset', 'prune', store, '--all-datasets', '--keep-last', '1', '--force', '--instant');
  expect(pruned.status).toBe(0);
  expect(readdirSync(join(store, 'uploads'))).toHaveLength(2);

  for (const flags of [[], ['--quick'], ['--deep']]) {
    const { status, stdout } = await call('verify', store, ...flags);
    expect([status, stdout]).toEqual([0, expect.not.stringContaining('left out')]);
  }

  // Nor does `list` call it an upload.
  const isUpload = (id: string): boolean => existsSync(join(store, 'uploads', id, 'manifest.json.gz'));
  const ids = readdirSync(join(store, 'uploads'));
  const [newest, rest] = [ids.find(isUpload), ids.find((id) => !isUpload(id))];
  const listed = await call('list', store);
  expect(listed.stdout).toContain('1 dataset, 1 upload in ');
  expect(listed.stdout).toMatch(
    new RegExp(
      `\\n {2}upload +${newest}\\n {2}rest +${rest}, without a manifest: pruned, an attempt at a part, or not finished\\n`,
    ),
  );
  expect(json((await call('list', store, '--json')).stdout)['uploads']).toEqual(
    expect.arrayContaining([
      { uploadId: newest, hasManifest: true },
      { uploadId: rest, hasManifest: false },
    ]),
  );
});
