// What uploads record of git and DVC with their entries, and that nothing else that writes manifests loses it.
import { readdir } from 'node:fs/promises';
import {
  chmodSync,
  cpSync,
  linkSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { UploadProvenance } from '../../../src/core/archive/run/upload-provenance.js';
import type { UploadResult } from '../../../src/core/archive/upload-result.js';
import { openView } from '../../../src/core/dataset/chain/view.js';
import { gather } from '../../../src/core/restore/plan/gather.js';
import { Failures } from '../../../src/core/platform/failures/failure-list.js';
import type { Selectors } from '../../../src/core/format/manifest/selection.js';
import { fileStore } from '../../../src/core/store/file/file-store.js';
import { tempFolder } from '../../support/temp-folder.js';
import { raw } from '../../support/raw.js';
import { pruneFolder } from '../dataset/prune/prune-run.js';
import { loseManifest, repair } from '../mend/repair/repair-cases.js';
import { failingAfter, goOn, run, type Site } from './resume/interrupted.js';
import { MIB, noise } from './trees.js';
import { uploadFolder, type UploadRun, type UploadRunOptions } from './upload-folder.js';
import { asUploadId } from '../../support/as-upload-id.js';

const ONE = '1'.repeat(40);
const TWO = '2'.repeat(40);
let nextId = 0;

function recorded(commit: string | undefined, stages?: Readonly<Record<string, string>>): UploadProvenance {
  return {
    ...(commit === undefined ? {} : { git: { commit, branch: 'main', dirty: false } }),
    ofEntries: {
      ...(commit === undefined ? {} : { commit }),
      ...(stages === undefined
        ? {}
        : {
            stages: { outs: new Map(Object.entries(stages).map(([path, stage]) => [raw(path), stage])), areAll: true },
          }),
    },
  };
}

async function place(): Promise<{ source: string; base: string }> {
  const home = await tempFolder();
  const source = join(home, 'source');
  mkdirSync(join(source, 'data'), { recursive: true });
  writeFileSync(join(source, 'data', 'a.csv'), 'a');
  writeFileSync(join(source, 'data', 'b.csv'), 'b');
  symlinkSync('a.csv', join(source, 'data', 'link'));
  linkSync(join(source, 'data', 'a.csv'), join(source, 'hard'));
  writeFileSync(join(source, 'model'), 'm');
  for (let index = 0; index < 40; index++) writeFileSync(join(source, `z${index}`), `content ${index}`);
  return { source, base: join(home, 'store') };
}

function uploadOnce(source: string, base: string, options: UploadRunOptions = {}): UploadRun {
  const randomBytes = (): Buffer => Buffer.from([3, 0, ++nextId >> 8, nextId & 0xff]);
  return uploadFolder(source, base, { randomBytes, ...options });
}

const syncOnce = (source: string, base: string, options: UploadRunOptions = {}): Promise<UploadResult> =>
  uploadOnce(source, base, { changes: { trackDeletes: true }, ...options }).result;

type Said = Readonly<Record<string, readonly [stage: string | undefined, commit: string | undefined]>>;

/** What the entries of the view say; those of `z…` count as one. */
async function said(base: string, { uploadId }: Pick<UploadResult, 'uploadId'>): Promise<Said> {
  const view = await openView(fileStore(base), { uploadId });
  const all: Record<string, readonly [string | undefined, string | undefined]> = {};
  for await (const batch of view.entries())
    for (const { path, stage, commit } of batch) all[path.replace(/^z.*/, 'z')] = [stage, commit];
  return all;
}

const headOf = async (base: string, { uploadId }: Pick<UploadResult, 'uploadId'>) =>
  (await openView(fileStore(base), { uploadId })).head;

async function selected(base: string, uploadId: string, selectors: Selectors): Promise<string[]> {
  const { table, unmatched } = await gather({
    reader: fileStore(base),
    uploadId: asUploadId(uploadId),
    selectors,
    failures: new Failures(),
  });
  expect(unmatched).toEqual([]);
  return Array.from({ length: table.count }, (_, index) => table.path(index)).filter((path) => !path.startsWith('z'));
}

const STAGES = { data: 'prepare', 'data/b.csv': 'clean', model: 'train' };
const ALL_SAID = {
  data: ['prepare', ONE],
  'data/a.csv': ['prepare', ONE],
  'data/b.csv': ['clean', ONE],
  'data/link': ['prepare', ONE],
  hard: [undefined, ONE],
  model: ['train', ONE],
  z: [undefined, ONE],
};

describe('a full upload', () => {
  test('says with every entry its stage and the commit', async () => {
    const { source, base } = await place();

    const result = await uploadOnce(source, base, { provenance: recorded(ONE, STAGES) }).result;

    expect(await said(base, result)).toEqual(ALL_SAID);
    expect(await headOf(base, result)).toMatchObject({ git: { commit: ONE, branch: 'main', dirty: false } });
  });

  test('says nothing of either where it is not asked to', async () => {
    const { source, base } = await place();

    const result = await uploadOnce(source, base).result;

    expect(new Set(Object.values(await said(base, result)).flat())).toEqual(new Set([undefined]));
    expect(await headOf(base, result)).not.toHaveProperty('git');
  });

  test('says it in the tables of its chunks as well, so that a repair brings it back', async () => {
    const { source, base } = await place();
    const { uploadId } = await uploadOnce(source, base, { provenance: recorded(ONE, STAGES) }).result;
    loseManifest(base, uploadId);

    await repair(base, uploadId);

    expect(await said(base, { uploadId })).toEqual(ALL_SAID);
  });

  test('says it of a file that is cut and of equal files that are stored once', async () => {
    const home = await tempFolder();
    const [source, base] = [join(home, 'source'), join(home, 'store')];
    mkdirSync(source);
    writeFileSync(join(source, 'large'), noise(11 * MIB));
    for (const name of ['twin-a', 'twin-b']) writeFileSync(join(source, name), 'the same');
    const provenance = recorded(ONE, { large: 'fetch', 'twin-a': 'x', 'twin-b': 'y' });

    const result = await uploadOnce(source, base, { provenance, dedup: true, chunkBytes: 4 * MIB }).result;

    expect(await said(base, result)).toEqual({ large: ['fetch', ONE], 'twin-a': ['x', ONE], 'twin-b': ['y', ONE] });
    expect(result.deduplicated?.files).toBe(1);
  });
});

describe('a sync', () => {
  test('finds no change in a new commit alone', async () => {
    const { source, base } = await place();
    await syncOnce(source, base, { provenance: recorded(ONE, STAGES) });

    const result = await syncOnce(source, base, { provenance: recorded(TWO, STAGES) });

    expect(result).toMatchObject({ version: 1, changes: { noChanges: true } });
  });

  test('says what it mentions anew, and leaves the rest as it was said', async () => {
    const { source, base } = await place();
    await syncOnce(source, base, { provenance: recorded(ONE, STAGES) });
    writeFileSync(join(source, 'model'), 'another one');
    writeFileSync(join(source, 'z0'), 'changed');

    const result = await syncOnce(source, base, { provenance: recorded(TWO, STAGES) });

    expect(await said(base, result)).toEqual({ ...ALL_SAID, model: ['train', TWO] });
    expect(await headOf(base, result)).toMatchObject({ listing: 'delta', git: { commit: TWO } });
  });

  test('mentions what came into another stage, or out of one, and sends nothing for it', async () => {
    const { source, base } = await place();
    await syncOnce(source, base, { provenance: recorded(ONE, STAGES) });
    const stages = { data: 'fetch', 'data/b.csv': 'clean', hard: 'copy' };

    const result = await syncOnce(source, base, { provenance: recorded(undefined, stages) });

    expect(await said(base, result)).toEqual({
      ...ALL_SAID,
      data: ['fetch', ONE],
      'data/a.csv': ['fetch', ONE],
      'data/link': ['fetch', ONE],
      hard: ['copy', ONE],
      model: [undefined, ONE],
    });
    expect(result).toMatchObject({ storedBytes: 0, chunks: 0, changes: { modified: 4, added: 0, deleted: 0 } });
    const again = await syncOnce(source, base, { provenance: recorded(undefined, stages) });
    expect(again).toMatchObject({ version: 2, changes: { noChanges: true } });
  });

  test('without the flags keeps what was said where content is kept, and knows nothing of new content', async () => {
    const { source, base } = await place();
    await syncOnce(source, base, { provenance: recorded(ONE, STAGES) });
    chmodSync(join(source, 'model'), 0o600);
    writeFileSync(join(source, 'data', 'b.csv'), 'new content');

    const result = await syncOnce(source, base);

    expect(await said(base, result)).toEqual({ ...ALL_SAID, 'data/b.csv': [undefined, undefined] });
    expect(await headOf(base, result)).not.toHaveProperty('git');
  });

  test('with one of the flags leaves the other as it was said', async () => {
    const { source, base } = await place();
    await syncOnce(source, base, { provenance: recorded(ONE, STAGES) });
    chmodSync(join(source, 'model'), 0o600);

    const result = await syncOnce(source, base, { provenance: recorded(TWO) });

    expect((await said(base, result))['model']).toEqual(['train', TWO]);
  });

  test('a further name of a file takes nothing over from the other name', async () => {
    const { source, base } = await place();
    await syncOnce(source, base, { provenance: recorded(ONE, STAGES) });
    linkSync(join(source, 'model'), join(source, 'model-2'));

    const result = await syncOnce(source, base);

    expect(await said(base, result)).toEqual({ ...ALL_SAID, 'model-2': [undefined, undefined] });
    expect(result.chunks).toBe(0);
  });
});

test('a rival that leaves only new content to send leaves nothing of what was said', async () => {
  const { source, base } = await place();
  const datasetId = 'shared';
  await syncOnce(source, base, { provenance: recorded(ONE, STAGES), datasetId });
  chmodSync(join(source, 'model'), 0o600); // kept as it is stored, until the rival stores another one
  const other = join(source, '..', 'other');
  cpSync(source, other, { recursive: true, preserveTimestamps: true });
  writeFileSync(join(other, 'model'), 'of the rival');
  let hasRival = false;

  const result = await syncOnce(source, base, {
    datasetId,
    wrap: (store) => ({
      ...store,
      put: async (key, body, options) => {
        if (key.endsWith('/v00000002.json') && !hasRival) {
          hasRival = true;
          await syncOnce(other, base, { datasetId });
        }
        return await store.put(key, body, options);
      },
    }),
  });

  expect(result.version).toBe(3);
  expect((await said(base, result))['model']).toEqual([undefined, undefined]);
});

describe('manifests that are written anew', () => {
  /** A chain whose entries say different things. */
  async function chain(): Promise<{ source: string; base: string; results: UploadResult[] }> {
    const { source, base } = await place();
    const first = await syncOnce(source, base, { provenance: recorded(ONE, STAGES) });
    writeFileSync(join(source, 'model'), 'another one');
    chmodSync(join(source, 'hard'), 0o600);
    const second = await syncOnce(source, base, { provenance: recorded(TWO, STAGES) });
    return { source, base, results: [first, second] };
  }
  const chainSaid = { ...ALL_SAID, model: ['train', TWO], hard: [undefined, TWO], 'data/a.csv': ['prepare', TWO] };

  test('a full listing that takes over a version', async () => {
    const { source, base } = await chain();
    for (let index = 0; index < 40; index++) utimesSync(join(source, `z${index}`), 1, 1);

    const result = await syncOnce(source, base, { provenance: recorded(ONE, STAGES) });

    expect(await headOf(base, result)).toMatchObject({ listing: 'full', git: { commit: ONE } });
    expect(await said(base, result)).toEqual(chainSaid);
  });

  test('a compaction by prune', async () => {
    const { base, results } = await chain();
    const [, second] = results;
    if (second === undefined) throw new Error('no second version');

    await pruneFolder(base, { keep: { last: 1 }, datasetId: second.datasetId, abandonedAfterMs: 0 });

    expect(await headOf(base, second)).toMatchObject({ listing: 'full', git: { commit: TWO, branch: 'main' } });
    expect(await said(base, second)).toEqual(chainSaid);
  });
});

test('an upload that goes on says everywhere at which commit it went on', async () => {
  const folder = await tempFolder();
  const site: Site = {
    source: join(folder, 'source'),
    base: join(folder, 'store'),
    state: join(folder, 'state'),
    troubles: [],
    randomBytes: () => Buffer.from([4, 0, ++nextId >> 8, nextId & 0xff]),
  };
  mkdirSync(site.source);
  for (let index = 0; index < 6; index++) writeFileSync(join(site.source, `f${index}`), noise(2 * MIB));
  const first = run(site, { wrap: failingAfter(1), provenance: recorded(ONE, { f0: 'a' }) });
  await expect(first.result).rejects.toThrow('the wire was cut');

  const result = await (await goOn(site, { provenance: recorded(TWO, { f0: 'b' }) })).result;

  expect(result.chunks).toBeGreaterThan(1);
  expect(await headOf(site.base, result)).toMatchObject({ git: { commit: TWO } });
  const entries = await said(site.base, result);
  expect(entries['f0']).toEqual(['b', TWO]);
  expect(new Set(Object.values(entries).map(([, commit]) => commit))).toEqual(new Set([TWO]));
  rmSync(folder, { recursive: true });
});

test('the record of a version says its commit, or that there is none', async () => {
  const { source, base } = await place();
  await syncOnce(source, base, { provenance: recorded(ONE) });
  writeFileSync(join(source, 'model'), 'another one');
  await syncOnce(source, base);

  const records = await readdir(join(base, 'datasets'), { recursive: true });
  const read = (name: string): unknown => JSON.parse(readFileSync(join(base, 'datasets', name), 'utf8'));
  const found = records.filter((name) => name.endsWith('.json')).sort();
  expect(found.map(read)).toMatchObject([{ commit: ONE }, { commit: null }]);
});

describe('what is selected', () => {
  test('by stage and by commit, of a full listing and of a delta', async () => {
    const { source, base } = await place();
    const first = await syncOnce(source, base, { provenance: recorded(ONE, STAGES) });
    writeFileSync(join(source, 'model'), 'another one');
    const second = await syncOnce(source, base, { provenance: recorded(TWO, STAGES) });

    for (const { uploadId } of [first, second]) {
      expect(await selected(base, uploadId, { stages: ['prepare'] })).toEqual(['data', 'data/a.csv', 'data/link']);
      expect(await selected(base, uploadId, { stages: ['train'], files: ['hard'] })).toEqual([]);
    }
    const tree = ['data', 'data/a.csv', 'data/b.csv', 'data/link', 'hard', 'model'];
    expect(await selected(base, first.uploadId, { commits: [ONE] })).toEqual(tree);
    expect(await selected(base, second.uploadId, { commits: [TWO.slice(0, 7)] })).toEqual(tree);
    const since = tree.filter((path) => path !== 'model');
    expect(await selected(base, second.uploadId, { commits: [ONE] })).toEqual(since);
  });
});
