// Ways in which features that meet lost a committed version once, with exit 0. Each of these was seen to fail before there was a
// rule against it (docs/protocol/rules.md).
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openView } from '../../../src/core/dataset/chain/view.js';
import { highestVersion } from '../../../src/core/dataset/records/version-record.js';
import type { ObjectStore } from '../../../src/core/store/object-store.js';
import { noise, setTime } from '../archive/trees.js';
import { accessDenied, withAccess } from '../archive/upload-folder.js';
import { balanceFolder } from '../mend/balance/balance-run.js';
import { repair } from '../mend/repair/repair-cases.js';
import { answerLost, beforePut, effectLost, Lab, LAB } from './site.js';

const RECORD = /^datasets\//;
const MANIFEST = /\/manifest\.json\.gz$/;

/** A store that this writer may neither read nor list. */
const putOnly = (store: ObjectStore): ObjectStore => withAccess(store, 'may neither read nor list', () => '');
/** A store that this writer may list and not read. */
const listOnly = (store: ObjectStore): ObjectStore => ({
  ...store,
  get: () => Promise.reject(accessDenied('s3:GetObject')),
});

/** Every version comes back as the tree that it was made of. */
async function expectVersions(lab: Lab, expected: Readonly<Record<number, unknown>>): Promise<void> {
  expect(Object.fromEntries(await lab.versions())).toEqual(expected);
}

describe('the answer to a record is lost', () => {
  test('another version refers to its chunks, a prune retires it, and the first sync goes on', async () => {
    const lab = await Lab.make();
    const [one, two] = [lab.machine('one'), lab.machine('two')];
    await expect(lab.sync(one, { wrap: answerLost(RECORD) }).result).rejects.toThrow('the answer was lost');
    lab.write('new');
    await lab.sync(two).result;
    const tree = lab.tree();
    await lab.prune();

    const first = await lab.again(one, { changes: { trackDeletes: false } });
    await first.result;

    expect(first.calls.filter((call) => call.startsWith('delete'))).toEqual([]);
    await expectVersions(lab, { 2: tree });
  });

  test('the same sync again says which version it became, and finds nothing to do', async () => {
    const lab = await Lab.make();
    const one = lab.machine('one');
    await lab.sync(one, { wrap: answerLost(RECORD) }).result.catch(() => undefined);

    const again = await lab.again(one, { changes: { trackDeletes: false } });

    expect(await again.result).toMatchObject({ version: 1, changes: { noChanges: true } });
    expect(again.events).toContainEqual({ type: 'note', text: expect.stringMatching(/was committed as version 1/) });
  });
});

test('an upload that cleans up fails early after its record arrived: nothing of an earlier run goes', async () => {
  const lab = await Lab.make();
  const one = lab.machine('one');
  await lab.upload(one, { wrap: answerLost(RECORD), cleansUp: true }).result.catch(() => undefined);
  const keys = await lab.keys();
  const failing = (store: ObjectStore): ObjectStore => ({
    ...store,
    list: () => {
      throw new Error('503');
    },
  });

  await expect((await lab.again(one, { wrap: failing, cleansUp: true })).result).rejects.toThrow('503');

  expect(await lab.keys()).toEqual(keys);
  await expectVersions(lab, { 1: lab.tree() });
});

describe('an upload that is taken up without a journal', () => {
  const unsaved = (uploadId: string) => ({
    readsBack: true,
    resume: {
      state: {
        uploadId,
        uploadIds: [uploadId],
        datasetId: '',
        status: 'committing',
        createdAt: '2026-03-04T05:06:07.000Z',
        plan: { chunkBytes: 2 ** 25, shards: 4, frameBytes: 0, level: null },
      },
      chunks: [],
    } as never,
  });

  test('of another dataset stays as it is, and nothing of it is used', async () => {
    const lab = await Lab.make();
    const { uploadId } = await lab.upload(lab.machine('one'), { datasetId: 'other-1' }).result;
    const manifest = readFileSync(join(lab.base, `uploads/${uploadId}/manifest.json.gz`));

    const second = lab.upload(lab.machine('two'), unsaved(uploadId));
    const result = await second.result;

    expect(result.uploadId).not.toBe(uploadId);
    expect(readFileSync(join(lab.base, `uploads/${uploadId}/manifest.json.gz`))).toEqual(manifest);
    const { head } = await openView(lab.store, { uploadId: result.uploadId });
    expect(head.chunks.filter(({ key }) => key.startsWith('../'))).toEqual([]);
    await expectVersions(lab, { 1: lab.tree() });
  });

  test('of the same dataset and committed is that version, and no other', async () => {
    const lab = await Lab.make();
    const { uploadId } = await lab.upload(lab.machine('one')).result;
    const keys = await lab.keys();

    expect(await lab.upload(lab.machine('two'), unsaved(uploadId)).result).toMatchObject({ uploadId, version: 1 });

    expect(await lab.keys()).toEqual(keys);
  });

  test('and not committed is referred to from a new id', async () => {
    const lab = await Lab.make();
    const one = lab.machine('one');
    await lab.upload(one, { wrap: effectLost(MANIFEST) }).result.catch(() => undefined);
    const [folder = ''] = (await lab.keys()).map((key) => key.split('/')[1]);
    const early = lab.upload(lab.machine('early'), { ...unsaved(folder), dryRun: true });
    await early.result;
    expect(early.events).toContainEqual({ type: 'note', text: expect.stringMatching(/may still be running: nothing/) });
    await lab.age(1);

    const result = await lab.upload(lab.machine('two'), unsaved(folder)).result;

    const { head } = await openView(lab.store, { uploadId: result.uploadId });
    expect(head.chunks.every(({ key }) => key.startsWith(`../${folder}/`))).toBe(true);
    await expectVersions(lab, { 1: lab.tree() });
  });
});

describe('a writer that may not read, with a cache two versions old', () => {
  test('may only put: takes no number again after a prune, and refers to nothing', async () => {
    const lab = await Lab.make();
    const [writer, other] = [lab.machine('writer'), lab.machine('other')];
    await lab.sync(writer).result;
    const trees: Record<number, unknown> = {};
    for (const version of [2, 3, 4]) {
      lab.write(`new-${version}`);
      await lab.sync(other).result;
      trees[version] = lab.tree();
    }
    await lab.prune({ keep: { last: 1 } });
    lab.write('last');

    const result = await lab.sync(writer, { wrap: putOnly, writerId: 'writer' }).result;

    expect(result.version).toBe(5);
    await expectVersions(lab, { 4: trees[4], 5: lab.tree() });
    const { head } = await openView(lab.store, { uploadId: result.uploadId });
    expect([head.listing, head.chunks.some(({ key }) => key.startsWith('../'))]).toEqual(['full', false]);
  });

  test('may list: what was given up is sent again, whatever its cache says', async () => {
    const lab = await Lab.make();
    const [writer, other] = [lab.machine('writer'), lab.machine('other')];
    await lab.sync(writer).result;
    // Another machine lists everything in an upload of its own; what the writer remembers is retired, and then deleted.
    await lab.upload(other).result;
    await lab.prune({ graceMs: 86_400_000 });
    const whole: unknown[] = [];
    for (const isSwept of [false, true]) {
      if (isSwept) await lab.prune();
      lab.write(`new-${isSwept}`);
      const { version } = await lab.sync(writer, { wrap: listOnly }).result;
      whole.push([(await lab.versions()).get(version ?? 0), lab.tree()]);
    }

    for (const [restored, tree] of whole as unknown[][]) expect(restored).toEqual(tree);
  });

  test.each([
    ['neither read nor list', putOnly],
    ['list', listOnly],
  ])('may %s: goes on after a balance moved what it remembers', async (_, wrap) => {
    const lab = await Lab.make(0);
    const [writer, other] = [lab.machine('writer'), lab.machine('other')];
    for (let index = 0; index < 9; index++) lab.write(`file-${index}`, noise(2 ** 20));
    const first = await lab.sync(writer, { chunkBytes: 2 ** 20, shardStrategy: 'directory' }).result;
    const plan = await balanceFolder(lab.base, { uploadId: first.uploadId, threshold: 1 });
    expect(plan.moves).not.toHaveLength(0);
    lab.write('more');
    await lab.sync(other).result;
    await lab.prune();

    for (const name of ['new', 'newer']) {
      lab.write(name);
      const { version } = await lab.sync(writer, { wrap }).result;
      expect((await lab.versions()).get(version ?? 0)).toEqual(lab.tree());
    }
  });
});

describe('a row that was kept and is then packed anew', () => {
  test.each([
    ['holes', 192 * 2 ** 20],
    ['pieces', 2 ** 20],
  ])('keeps no %s of what it was, when a rival wins', async (what, chunkBytes) => {
    const lab = await Lab.make();
    const [one, two] = [lab.machine('one'), lab.machine('two')];
    const file = join(lab.source, 'file');
    const content = Buffer.concat([noise(4096), Buffer.alloc(3 * 2 ** 20 - 4096)]);
    writeFileSync(file, content.subarray(0, what === 'holes' ? 4096 : undefined));
    truncateSync(file, content.length);
    setTime(file, 1_700_000_000, 0);
    await lab.sync(one, { chunkBytes }).result;
    // As long and as old, without a hole, and another mode: kept. A rival stores something else under its name: it is packed.
    writeFileSync(file, noise(content.length));
    setTime(file, 1_700_000_000, 0);
    chmodSync(file, 0o600);
    const rivals = lab.folder('rival', { file: 'something else' });
    for (let index = 0; index < 40; index++) lab.write(`file-${index}`, `content ${index}`, rivals);
    const rival = beforePut(RECORD, () => lab.sync(two, { source: rivals }).result);

    const { version } = await lab.sync(one, { wrap: rival }).result;

    expect(version).toBe(3);
    expect((await lab.versions()).get(3)).toEqual(lab.tree());
  });
});

test('what a resumed upload wants to refer to was given up: it is sent again', async () => {
  const lab = await Lab.make();
  const one = lab.machine('one');
  const other = await lab.upload(lab.machine('other'), { datasetId: 'other-1' }).result;
  await expect(lab.upload(one, { wrap: effectLost(MANIFEST) }).result).rejects.toThrow(/acknowledged .* not there/);
  const folders = (await lab.keys()).filter((key) => key.includes('/chunk-')).map((key) => key.split('/')[1]);
  const old = folders.find((folder) => folder !== other.uploadId) ?? '';
  await lab.age(8);
  await lab.prune({ datasetId: 'other-1', graceMs: 86_400_000 });

  // The prune had marked it before the upload was taken up, and sweeps it while that is on its way.
  const sweep = beforePut(RECORD, () => lab.prune({ datasetId: 'other-1' }));
  await (
    await lab.again(one, { wrap: sweep })
  ).result;

  expect((await lab.keys()).filter((key) => key.startsWith(`uploads/${old}/shard`))).toHaveLength(0);
  await expectVersions(lab, { 1: lab.tree() });
});

test('a full listing that was stopped before its record does not hide what came in between', async () => {
  const lab = await Lab.make();
  const [one, two] = [lab.machine('one'), lab.machine('two')];
  await lab.sync(one).result;
  for (let index = 0; index < 40; index++) lab.write(`file-${index}`, `other content ${index}`);
  const stopped = (store: ObjectStore): ObjectStore => ({
    ...store,
    put: (name, body, options) =>
      RECORD.test(name) ? Promise.reject(new Error('stopped')) : store.put(name, body, options),
  });
  await lab.sync(one, { wrap: stopped }).result.catch(() => undefined);
  const theirs = lab.folder('theirs', { 'their-file': 'theirs' });
  await lab.sync(two, { source: theirs }).result;

  const { version } = await (await lab.again(one, { changes: { trackDeletes: false } })).result;

  const tree = (await lab.versions()).get(version ?? 0);
  expect(Object.keys(tree ?? {})).toEqual(expect.arrayContaining(['their-file', 'file-0']));
});

describe('a manifest that somebody holds, while its version is retired', () => {
  test.each(['/manifest.json.gz', 'datasets/'])('before the put of %s', async (place) => {
    const lab = await Lab.make();
    const fill = (content: string, seconds: number): void => {
      for (let index = 0; index < 40; index++) {
        lab.write(`file-${index}`, `${content} ${index}`);
        setTime(join(lab.source, `file-${index}`), seconds, 0);
      }
    };
    fill('content', 1_700_000_000);
    const one = lab.machine('one');
    const old = await lab.sync(one).result;
    const bytes = readFileSync(join(lab.base, `uploads/${old.uploadId}/manifest.json.gz`));
    fill('other content', 1_700_000_001);
    await lab.upload(one).result;
    const tree = lab.tree();
    fill('content', 1_700_000_000); // as in the old version: nothing to send
    const previousManifest = { name: 'old', uploadId: old.uploadId, bytes };
    const prune = beforePut(new RegExp(place.replace('.', '\\.')), () => lab.prune({ graceMs: 86_400_000 }));
    lab.write('new');

    const upload = lab.upload(lab.machine('two'), { changes: { trackDeletes: false, previousManifest }, wrap: prune });
    const outcome = await upload.result.catch((error: unknown) => error as Error);
    await lab.age(2);
    // The version that finds what it refers to given up is followed by one that has it sent again.
    await lab.prune({ keep: { last: 3 }, graceMs: 86_400_000 });

    const versions = await lab.versions();
    expect(versions.get(2)).toEqual(tree);
    const made = outcome instanceof Error ? tree : versions.get(outcome.version ?? 0);
    expect(made).toEqual(outcome instanceof Error ? tree : lab.tree());
  });
});

test('of three first syncs at once every version holds what the ones before it had', async () => {
  const lab = await Lab.make(0);
  const sources = ['a', 'b', 'c'].map((name) => lab.folder(name, { [name]: name, same: 'same' }));

  const results = await Promise.all(
    sources.map((source, index) => lab.sync(lab.machine(`m${index}`), { source }).result),
  );

  expect(new Set(results.map(({ version }) => version))).toEqual(new Set([1, 2, 3]));
  expect(Object.keys((await lab.versions()).get(3) ?? {}).filter((path) => path !== '')).toEqual(
    expect.arrayContaining(['a', 'b', 'c', 'same']),
  );
});

describe('a put that is acknowledged and lost', () => {
  test.each([
    ['the manifest', MANIFEST, 0],
    ['the record', RECORD, 0],
  ])('of %s is noticed before success is said, and the next run makes the version', async (_what, key, versions) => {
    const lab = await Lab.make();
    const one = lab.machine('one');

    await expect(lab.sync(one, { wrap: effectLost(key) }).result).rejects.toThrow(
      /the store acknowledged .* not there/,
    );

    expect((await lab.versions()).size).toBe(versions);
    await (
      await lab.again(one, { changes: { trackDeletes: false } })
    ).result;
    await expectVersions(lab, { 1: lab.tree() });
  });

  test('of a delta on its way is noticed as well', async () => {
    const lab = await Lab.make();
    const one = lab.machine('one');
    await lab.sync(one).result;
    lab.write('new');

    await expect(lab.sync(one, { wrap: effectLost(RECORD) }).result).rejects.toThrow(/version 2 .* was not made/);
    expect(await highestVersion(lab.store, LAB)).toMatchObject({ version: 1 });
  });
});

describe('a store that is brought back from an older copy, under a machine that remembers more', () => {
  test('wins over what is remembered', async () => {
    const lab = await Lab.make();
    const one = lab.machine('one');
    await lab.sync(one).result;
    const old = lab.tree();
    const before = await lab.keys();
    lab.write('new');
    await lab.sync(one).result;
    for (const key of await lab.keys()) if (!before.includes(key)) rmSync(join(lab.base, key));

    const { version } = await lab.sync(one).result;

    expect(version).toBe(2);
    await expectVersions(lab, { 1: old, 2: lab.tree() });
  });

  test('is told of', async () => {
    const lab = await Lab.make();
    const one = lab.machine('one');
    await lab.sync(one).result;
    const before = await lab.keys();
    lab.write('new');
    await lab.sync(one).result;
    for (const key of await lab.keys()) if (!before.includes(key)) rmSync(join(lab.base, key));

    const upload = lab.upload(one);
    await upload.result;

    expect(upload.events).toContainEqual({
      type: 'note',
      text: expect.stringMatching(/knows version 2 of dataset .* has version 1 at most: .* an older copy/),
    });
  });

  test('and emptied is begun anew only where that was asked for', async () => {
    const lab = await Lab.make();
    const one = lab.machine('one');
    await lab.sync(one).result;
    lab.write('new');
    await lab.sync(one).result;
    rmSync(lab.base, { recursive: true });

    await expect(lab.sync(one).result).rejects.toMatchObject({ code: 'forgotten-store', exitCode: 4 });
    expect(await lab.sync(one, { newStore: true }).result).toMatchObject({ version: 1 });
    await expectVersions(lab, { 1: lab.tree() });
  });
});

describe('a destination that has forgotten us is no new one', () => {
  test.each(['upload', 'sync'] as const)('%s of a folder whose disk is not mounted writes nothing', async (how) => {
    const lab = await Lab.make();
    const one = lab.machine('one');
    await lab[how](one).result;
    renameSync(lab.base, `${lab.base}-away`);
    mkdirSync(lab.base);

    await expect(lab[how](one).result).rejects.toMatchObject({
      code: 'forgotten-store',
      exitCode: 4,
      message: expect.stringMatching(
        /knows version 1 of dataset lab-00000001 .*not mounted, emptied or another bucket/,
      ),
      hint: expect.stringContaining('--new-store'),
    });
    expect(await lab.keys()).toEqual([]);

    rmSync(lab.base, { recursive: true });
    renameSync(`${lab.base}-away`, lab.base);
    expect(await lab[how](one).result).toMatchObject({ version: how === 'sync' ? 1 : 2 });
  });

  test('a dry run says that it will be refused', async () => {
    const lab = await Lab.make();
    const one = lab.machine('one');
    await lab.upload(one).result;
    rmSync(lab.base, { recursive: true });

    const run = lab.upload(one, { dryRun: true });
    await run.result;

    expect(run.events).toContainEqual({
      type: 'note',
      text: expect.stringMatching(/This will be refused; .*--new-store/),
    });
  });

  test('a machine that knows nothing begins, and so does another dataset', async () => {
    const lab = await Lab.make();
    const one = lab.machine('one');
    await lab.upload(one).result;
    rmSync(lab.base, { recursive: true });

    expect(await lab.upload(one, { datasetId: 'other-00000001' }).result).toMatchObject({ version: 1 });
    expect(await lab.upload(lab.machine('two')).result).toMatchObject({ version: 1 });
  });

  test('an encrypted dataset that was remembered under its other id is not begun under the first', async () => {
    const lab = await Lab.make();
    const one = lab.machine('one');
    const keep = { kmsKeyId: undefined, encryptManifest: false, keep: true };
    const { datasetId } = await lab.upload(one, { datasetId: undefined, encryption: keep }).result;
    rmSync(lab.base, { recursive: true });

    await expect(lab.upload(one, { datasetId: undefined, encryption: keep }).result).rejects.toMatchObject({
      message: expect.stringContaining(datasetId),
    });
  });
});

describe('a full listing of a folder that is empty, or has lost most of what it held', () => {
  const refused = { code: 'mass-delete', exitCode: 4, hint: expect.stringContaining('--allow-mass-delete') };

  test.each([
    [6, 0],
    [1, 0],
    [6, 2],
    [30, 12],
  ])('of %i files %i are left: it is refused unless that was allowed', async (before, after) => {
    const lab = await Lab.make(before);
    const one = lab.machine('one');
    await lab.upload(one).result;
    const keys = await lab.keys();
    for (let index = after; index < before; index++) lab.remove(`file-${index}`);

    await expect(lab.upload(one).result).rejects.toMatchObject(refused);
    await expect(lab.upload(lab.machine('two')).result).rejects.toMatchObject(refused);
    expect(await lab.keys()).toEqual(keys);
    expect(await lab.upload(one, { allowMassDelete: true }).result).toMatchObject({ version: 2 });
  });

  test('as many files with less than half of the bytes are refused as well', async () => {
    const lab = await Lab.make(20);
    const one = lab.machine('one');
    await lab.upload(one).result;
    for (let index = 0; index < 20; index++) lab.write(`file-${index}`, index < 12 ? '' : `content ${index}`);

    await expect(lab.upload(one).result).rejects.toMatchObject(refused);
  });

  test.each([
    [30, 16],
    [6, 3],
    [0, 0],
  ])('of %i files %i are left: a day of work', async (before, after) => {
    const lab = await Lab.make(before);
    const one = lab.machine('one');
    await lab.upload(one).result;
    for (let index = after; index < before; index++) lab.remove(`file-${index}`);

    expect(await lab.upload(one).result).toMatchObject({ version: 2 });
  });

  test('a writer that may not read compares with what it remembers', async () => {
    const lab = await Lab.make(6);
    const one = lab.machine('one');
    await lab.upload(one, { wrap: putOnly }).result;
    for (let index = 0; index < 6; index++) lab.remove(`file-${index}`);

    await expect(lab.upload(one, { wrap: putOnly }).result).rejects.toMatchObject(refused);
    await expect(lab.sync(one, { wrap: putOnly }).result).rejects.toMatchObject(refused);
  });

  test('a writer that may list and knows nothing sends what is there, and no emptiness', async () => {
    const lab = await Lab.make(30);
    await lab.upload(lab.machine('one')).result;
    for (let index = 3; index < 30; index++) lab.remove(`file-${index}`);
    expect(await lab.upload(lab.machine('two'), { wrap: listOnly }).result).toMatchObject({ version: 2 });
    for (let index = 0; index < 3; index++) lab.remove(`file-${index}`);

    await expect(lab.upload(lab.machine('three'), { wrap: listOnly }).result).rejects.toMatchObject(refused);
  });

  test('what it held costs no request where this computer knows it', async () => {
    const lab = await Lab.make();
    const one = lab.machine('one');
    await lab.upload(one).result;
    const second = lab.upload(one);
    await second.result;

    expect(second.calls.filter((call) => call.startsWith('get datasets/')).length).toBeLessThanOrEqual(1);
  });
});

test('a sync with --force keeps what only the version before has, unless deletions are tracked', async () => {
  const lab = await Lab.make();
  const one = lab.machine('one');
  await lab.sync(one).result;
  lab.remove('file-3');

  const kept = await lab.sync(one, { changes: { trackDeletes: false, isForced: true } }).result;
  const gone = await lab.sync(one, { changes: { trackDeletes: true, isForced: true } }).result;

  const versions = await lab.versions();
  expect([kept.version, Object.hasOwn(versions.get(2) ?? {}, 'file-3')]).toEqual([2, true]);
  expect([gone.version, versions.get(3)]).toEqual([3, lab.tree()]);
  expect(kept.changes).toMatchObject({ added: 0, modified: 0, unchanged: 39 });
});

test('a writer that may not read builds on nothing that a repair may have replaced', async () => {
  const lab = await Lab.make();
  const writer = lab.machine('writer');
  const { uploadId } = await lab.sync(writer).result;
  rmSync(join(lab.base, `uploads/${uploadId}/manifest.json.gz`));
  await repair(lab.base, uploadId);
  lab.write('new');

  const result = await lab.sync(writer, { wrap: listOnly }).result;

  const { head } = await openView(lab.store, { uploadId: result.uploadId });
  expect([head.listing, head.chunks.some(({ key }) => key.startsWith('../'))]).toEqual(['full', false]);
  expect((await lab.versions()).get(2)).toEqual(lab.tree());
});
