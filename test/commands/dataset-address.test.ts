// How people name an upload by its store: a dataset by its name or a beginning, a version, and `list` to find them.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, it } from 'vitest';
import { program } from '../../src/commands/index.js';
import { linkId } from '../support/make-chain.js';
import { DATASET, makeDataset, recordBytes, recordDocument, recordKey, writeObjects } from '../support/make-dataset.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const root = program();
let folder = '';

const run = (argv: readonly string[], env: Record<string, string> = {}): Promise<CommandRun> =>
  runCommand({ root, folder, env }, argv);
const good = expect.objectContaining({ status: 0 }) as CommandRun;
const refused = (status: number, text: string | RegExp): unknown => ({
  status,
  stdout: '',
  stderr: (typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text)) as string,
});

const made = makeDataset([{ files: [{ path: 'a', content: 'alpha' }] }, { files: [{ path: 'b', content: 'beta' }] }]);
const manifestBytes = made.objects.get(`uploads/${linkId(0)}/manifest.json.gz`) ?? Buffer.alloc(0);
const [manifest = {}] = made.manifests;
const alias = (datasetId: string): [string, Buffer] => [
  recordKey(1, datasetId),
  recordBytes(recordDocument({ version: 1, uploadId: linkId(0), manifest, manifestBytes, datasetId })),
];

beforeEach(async () => {
  folder = await tempFolder();
  await writeObjects(join(folder, 'one'), made.objects);
  const many = ['photos-1a2b3c4d', 'photos-old-5e6f7a8b', 'letters-9c8d7e6f'].map(alias);
  await writeObjects(join(folder, 'many'), new Map([...made.objects, ...many]));
  for (const below of ['', 'lab/', 'deep/er/lab/', 'fleet/writers/web-01/'])
    await writeObjects(join(folder, 'places', below), made.objects);
  await writeObjects(join(folder, 'places'), new Map([['site/uploads/2024/image.png', Buffer.from('x')]]));
});

describe('the only dataset of a store', () => {
  it('is what every command that reads means', async () => {
    for (const argv of [
      ['list', './one', '--version', 'latest'],
      ['info', './one'],
      ['verify', './one', '--dataset', 'made'],
      ['restore', './one', 'out', '--all'],
      ['download', './one', 'copy'],
      ['shell', './one', '-c', 'cat b'],
      ['balance', './one'],
      ['repair', './one'],
      ['dvc', 'stages', './one'],
      ['dvc', 'status', 'out', './one'],
      ['dvc', 'export', './one', 'sidecars'],
      ['dataset', 'versions', './one'],
      ['dataset', 'diff', './one', '--from', '1'],
    ])
      expect([argv, await run(argv)]).toEqual([argv, good]);
  });

  it('is not read from a manifest that its record does not name', async () => {
    const newest = join(folder, 'one/uploads', linkId(1), 'manifest.json.gz');
    writeFileSync(newest, gzipSync(gunzipSync(readFileSync(newest)), { level: 1 }));
    for (const argv of [
      ['list', './one', '--version', 'latest'],
      ['info', './one'],
      ['info', './one', '-u', linkId(1)],
      ['restore', './one', 'out', '--all'],
      ['download', './one', 'copy'],
      ['shell', './one', '-c', 'cat b'],
      ['dvc', 'stages', './one'],
      ['dvc', 'status', 'out', './one'],
      ['dvc', 'export', './one', 'sidecars'],
    ])
      expect([argv, (await run(argv)).status]).toEqual([argv, 1]);
  });

  it('is read in the version that is named', async () => {
    const newest = await run(['list', './one', '--as-of', '2026-12-31', '--json']);
    const first = await run(['list', './one', '--version', 'v1', '--json']);
    const restored = await run(['restore', './one', 'first', '--file', 'a', '--version', '1', '--json']);

    expect(json(newest.stdout)).toMatchObject({ uploadId: linkId(1) });
    expect(json(first.stdout)).toMatchObject({ uploadId: linkId(0) });
    expect(json(restored.stdout)).toMatchObject({ datasetId: DATASET, version: 1 });
    expect(readFileSync(join(folder, 'first/a'), 'utf8')).toBe('alpha');
  });
});

describe('one of several datasets', () => {
  it.each([
    ['photos-1a2b3c4d', 'photos-1a2b3c4d'],
    ['photos', 'photos-1a2b3c4d'],
    ['photos-o', 'photos-old-5e6f7a8b'],
    ['l', 'letters-9c8d7e6f'],
  ])('%s is %s', async (given, datasetId) => {
    const versions = await run(['dataset', 'versions', './many', '--dataset', given, '--json']);

    expect(json(versions.stdout)).toMatchObject({ datasetId });
  });

  it('must be named, and by what only one has', async () => {
    const all = `letters-9c8d7e6f, ${DATASET}, photos-1a2b3c4d, photos-old-5e6f7a8b`;

    expect(await run(['info', './many'])).toEqual(refused(2, `There are ${all}`));
    expect(await run(['info', './many', '--dataset', 'ph'])).toEqual(
      refused(2, '--dataset ph may be photos-1a2b3c4d, photos-old-5e6f7a8b'),
    );
    expect(await run(['info', './many', '--dataset', 'xyz'])).toEqual(
      refused(1, new RegExp(`no dataset xyz found[^]*there are ${all}`)),
    );
    expect(await run(['info', './none'])).toEqual(refused(1, `archiver list file://${folder}/none`));
  });

  it('is exact where versions are deleted', async () => {
    expect(await run(['dataset', 'prune', './many', '--dataset', 'photos-1', '--keep-last', '1', '--yes'])).toEqual(
      refused(1, 'did you mean photos-1a2b3c4d'),
    );
  });

  it('is not asked for where the URL names an upload', async () => {
    const url = `./many/uploads/${linkId(1)}`;

    expect(await run(['info', url, '--dataset', 'photos'])).toEqual(refused(2, 'is an upload'));
    expect(await run(['info', url], { ARCHIVER_DATASET_ID: 'photos' })).toEqual(good);
    expect(await run(['info', './many', '-u', linkId(0), '--version', '2'])).toEqual(
      refused(2, '--version cannot be combined with --upload-id'),
    );
    expect(await run(['info', './many', '-u', 'a/b'])).toEqual(
      refused(2, `archiver list file://${folder}/many shows those that there are`),
    );
  });
});

it('an upload that is not there: names the command that finds those that are', async () => {
  const missing = await run(['info', './one', '-u', '20200101-000000-00000000']);

  expect(missing).toEqual(refused(1, `archiver list file://${folder}/one`));
});

it.each([
  ['list', './none'],
  ['dataset', 'list', './none'],
  ['find', 'a', './none'],
])('%s %s %s: a folder that is not there is no empty store', async (...argv) => {
  expect(await run(argv)).toEqual(refused(1, `there is no folder ${folder}/none`));
});

describe('list of a store', () => {
  it('shows datasets, uploads, writers and prefixes, and looks into no upload', async () => {
    const listed = await run(['list', './places', '--json']);
    const document = json(listed.stdout);

    expect(document).toMatchObject({
      location: `file://${folder}/places`,
      datasets: [{ datasetId: DATASET, headVersion: 2 }],
      uploads: [
        { uploadId: linkId(1), hasManifest: true },
        { uploadId: linkId(0), hasManifest: true },
      ],
      places: ['deep/er/lab', 'fleet/writers/web-01', 'lab'].map((place) => `file://${folder}/places/${place}`),
      isComplete: true,
    });
    // Records, uploads, the base, lab, deep, site and what is in them: folders, never their content. The manifest of what is
    // not the newest version is asked for.
    expect(document['requests']).toMatchObject({ get: 1, head: 1, list: expect.any(Number) as number });
  });

  it('says what to type next', async () => {
    const { stdout, stderr } = await run(['list', './places']);

    expect(stdout).toContain(`  upload    ${linkId(1)}\n`);
    expect(stdout).toContain(`  below     file://${folder}/places/lab\n`);
    expect(stderr).toContain(`archiver list file://${folder}/places --dataset ${DATASET}`);
  });
});
