// How people name a dataset and a version: in the same way for every command that takes them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandsUnder } from '../../src/cli/tree.js';
import { program } from '../../src/commands/index.js';
import { planLock } from '../../src/core/dataset/lock/plan-lock.js';
import { linkId } from '../support/make-chain.js';
import { makeDataset, recordBytes, recordDocument, recordKey, writeObjects } from '../support/make-dataset.js';
import { memoryReader } from '../support/memory-reader.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';

const root = program();
let folder = '';
const run = (call: string): Promise<CommandRun> => runCommand({ root, folder }, call.split(' '));

const made = makeDataset([{ files: [{ path: 'a', content: 'alpha' }] }]);
const manifestBytes = made.objects.get(`uploads/${linkId(0)}/manifest.json.gz`) ?? Buffer.alloc(0);
const [manifest = {}] = made.manifests;
const PHOTOS = 'photos-1a2b3c4d';
const TWINS = ['twin-11111111', 'twin-22222222'];
const records = [PHOTOS, ...TWINS].flatMap((datasetId) =>
  [1, 2].map((version): [string, Buffer] => [
    recordKey(version, datasetId),
    recordBytes(recordDocument({ version, uploadId: linkId(0), manifest, manifestBytes, datasetId })),
  ]),
);
const objects = new Map([...[...made.objects].filter(([key]) => key.startsWith('uploads/')), ...records]);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'archiver-dataset-names-'));
  for (const dataset of [PHOTOS, ...TWINS])
    for (const name of ['a', 'b']) {
      await writeObjects(join(folder, dataset), new Map([[name, Buffer.from(dataset + name)]]));
      await run(`sync ${dataset} ./store --dataset-id ${dataset}`);
    }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Of every command that takes a dataset that is there; `browse` needs a terminal, and finds it as `info` does. */
const CALLS: Readonly<Record<string, string>> = {
  balance: 'balance ./store',
  cat: 'cat ./store --file a',
  'cost upload': 'cost upload ./store',
  'dataset diff': 'dataset diff ./store --from 1',
  'dataset tag': 'dataset tag ./store kept latest',
  'dataset versions': 'dataset versions ./store',
  download: 'download ./store out',
  'dvc export': 'dvc export ./store sidecars',
  'dvc stages': 'dvc stages ./store',
  'dvc status': 'dvc status store ./store',
  find: 'find a ./store',
  history: 'history a ./store',
  info: 'info ./store',
  list: 'list ./store',
  repair: 'repair ./store',
  restore: 'restore ./store out --all',
  shell: 'shell ./store -c ls',
  verify: 'verify ./store',
};
const PRUNE = 'dataset prune ./store --keep-last 1 --dry-run';
/** It takes numbers alone. */
const UNDELETE = 'dataset restore-version ./store --version 1';
/** They name what they write. */
const WRITERS = ['plan', 'sync', 'upload'];
const OTHERS = ['browse', 'copy', 'dataset prune', 'dataset restore-version', 'drill', 'fleet lock-extend'];

it('these are the commands that take a dataset', () => {
  const taking = [...commandsUnder(root)].filter(({ flags = {} }) => 'datasetId' in flags);

  expect(taking.map(({ path }) => path).sort()).toEqual([...Object.keys(CALLS), ...OTHERS, ...WRITERS].sort());
  expect(taking.filter(({ flags = {} }) => flags['datasetId']?.alias !== 'dataset')).toEqual([]);
});

const AMBIGUOUS = '--dataset twin may be twin-11111111, twin-22222222';
const CANDIDATES = `there are ${PHOTOS}, twin-11111111, twin-22222222`;

describe.each([...Object.values(CALLS), PRUNE, UNDELETE])('%s', (call) => {
  it.each([PHOTOS, 'photos', 'twin-22222222'])('takes %s', async (dataset) => {
    const { status, stderr } = await run(`${call} --dataset ${dataset}`);

    expect({ status, stderr }).toEqual({ status: 0, stderr });
    expect(stderr).not.toMatch(/may be|no dataset/);
    if (call.startsWith('shell')) return;
    const document = json((await run(`${call} --dataset ${dataset} --json`)).stdout);
    expect(document['datasetId'] ?? PHOTOS).toBe(
      dataset.startsWith('twin') && 'datasetId' in document ? dataset : PHOTOS,
    );
  });

  it('refuses what several or none may be, and names the candidates', async () => {
    const several = await run(`${call} --dataset-id twin`);
    const none = await run(`${call} --dataset-id xyz`);

    expect(several).toEqual({ status: 2, stdout: '', stderr: expect.stringContaining(AMBIGUOUS) as string });
    expect(none.status).toBe(1);
    expect(none.stderr).toContain('no dataset xyz found under');
    expect(none.stderr).toMatch(new RegExp(`${CANDIDATES}|did you mean ${PHOTOS}, twin-11111111, twin-22222222`));
  });
});

it.each(Object.values(CALLS))('%s takes a beginning that no other has', async (call) => {
  expect(await run(`${call} --dataset ph`)).toMatchObject({ status: 0 });
});

it('a prune takes none, and says in its document which dataset it was', async () => {
  expect(await run(`${PRUNE} --dataset ph`)).toMatchObject({ status: 1 });
  expect(json((await run(`${PRUNE} --dataset photos --json`)).stdout)).toMatchObject({ datasetId: PHOTOS });
});

describe('fleet lock-extend', () => {
  const plan = (dataset: string) =>
    planLock(memoryReader(objects), {
      dataset,
      until: new Date(),
      mode: 'governance',
      emit: () => undefined,
      signal: new AbortController().signal,
    });

  it('takes an id, a name, and a beginning that no other has', async () => {
    for (const dataset of [PHOTOS, 'photos', 'ph']) expect((await plan(dataset)).datasets).toEqual([PHOTOS]);
    expect((await plan('xyz')).datasets).toEqual([]);
    await expect(plan('twin')).rejects.toThrow(AMBIGUOUS);
  });
});

describe('a version is the same in each of its forms', () => {
  const NAMED = Object.entries(CALLS).filter(([path]) => !['find', 'history', 'dataset versions'].includes(path));
  const withVersion = ([path, call]: readonly [string, string], version: string): string => {
    if (path === 'dataset diff') return call.replace('--from 1', `--from ${version} --to ${version}`);
    return path === 'dataset tag' ? call.replace('latest', version) : `${call} --version ${version}`;
  };

  it.each(NAMED)('%s', async (...named) => {
    for (const version of ['2', 'v2', 'v00000002', 'latest', 'HEAD', '2030-01-01', '2030-01-01T10:00']) {
      const { status, stderr } = await run(`${withVersion(named, version)} --dataset photos`);
      expect([version, status, stderr]).toEqual([version, 0, stderr]);
      expect(stderr).not.toMatch(/version selector|has no version/);
    }
    expect(await run(`${withVersion(named, 'v3')} --dataset photos`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(`dataset ${PHOTOS} has no version 3 (it has 1-2)`) as string,
    });
    expect(await run(`${withVersion(named, 'x')} --dataset photos`)).toMatchObject({ status: 2 });
  });
});
