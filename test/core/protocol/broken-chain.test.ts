// A version whose store has lost something of it (rules.md#whole-view): a sync that remembers all of it does not say "no
// changes", and makes no version that builds on what is gone.
import { readdirSync, readFileSync, rmSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import type { UploadResult } from '../../../src/core/archive/upload-result.js';
import { openCheckCache } from '../../../src/core/dataset/cache/check-cache.js';
import { withAbilities } from '../../../src/core/store/abilities.js';
import type { ObjectStore } from '../../../src/core/store/object-store.js';
import { restored } from '../archive/resume/interrupted.js';
import { setTime } from '../archive/trees.js';
import { accessDenied, withAccess } from '../archive/upload-folder.js';
import { answerLost, Lab, LAB, type Machine } from './site.js';

const DAY_MS = 86_400_000;
const KEEP = { changes: { trackDeletes: false } };

interface Chain {
  readonly lab: Lab;
  readonly one: Machine;
  /** The uploads of versions 1, 2 and 3, each a delta but the first. */
  readonly uploads: readonly UploadResult[];
  /** Of version `at` the path of its manifest. */
  readonly manifest: (at: number) => string;
  /** Of version `at` the path of its first chunk. */
  readonly chunk: (at: number) => string;
}

async function chain(): Promise<Chain> {
  const lab = await Lab.make();
  const one = lab.machine('one');
  const uploads: UploadResult[] = [await lab.sync(one).result];
  for (const name of ['second', 'third']) {
    lab.write(name);
    uploads.push(await lab.sync(one).result);
  }
  const folder = (at: number): string => join(lab.base, 'uploads', uploads[at - 1]?.uploadId ?? '');
  const manifest = (at: number): string => join(folder(at), 'manifest.json.gz');
  const chunk = (at: number): string => {
    const found = readdirSync(folder(at), { recursive: true, encoding: 'utf8' }).find((name) =>
      name.includes('chunk-'),
    );
    return join(folder(at), found ?? '');
  };
  return { lab, one, uploads, manifest, chunk };
}

/** As a disk rots: size and times stay. */
function rot(path: string): void {
  const { atime, mtime } = statSync(path);
  const bytes = readFileSync(path);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0xff;
  writeFileSync(path, bytes);
  utimesSync(path, atime, mtime);
}

/** A day passes: what this machine has looked at has to be looked at again. */
function dayPasses({ home }: Machine): void {
  const cache = join(home, 'manifest-cache');
  for (const name of readdirSync(cache)) if (name.endsWith('.look.json')) rmSync(join(cache, name));
}

const damages: readonly (readonly [string, (of: Chain) => void])[] = [
  ['an older manifest is missing', ({ manifest }) => rmSync(manifest(2))],
  ['an older manifest is rotten at equal size', ({ manifest }) => rot(manifest(1))],
  ['the newest manifest is missing', ({ manifest }) => rmSync(manifest(3))],
  ['the newest manifest is rotten at equal size', ({ manifest }) => rot(manifest(3))],
  ['a chunk of the first version is missing', ({ chunk }) => rmSync(chunk(1))],
  ['a chunk of the first version is short', ({ chunk }) => truncateSync(chunk(1), 1000)],
];

const hours = [
  { isNew: false, isLater: true },
  { isNew: true, isLater: true },
  { isNew: false, isLater: false },
  { isNew: true, isLater: false },
];

/** Rot that leaves size and time of a file is found when it is read, once a day. */
const isSeenAtOnce = (what: string): boolean => !what.includes('rotten');

describe.each(damages)('%s', (what, damage) => {
  const cases = hours.filter(({ isLater }) => isLater || isSeenAtOnce(what));
  test.each(cases)('a warm cache, %o: the next version is whole by itself', async ({ isNew, isLater }) => {
    const made = await chain();
    const { lab, one } = made;
    damage(made);
    if (isLater) dayPasses(one);
    if (isNew) lab.write('new');

    const run = lab.sync(one);
    const { version, uploadId, changes } = await run.result;
    const again = await lab.sync(one).result;

    expect([version, changes?.noChanges, changes?.added]).toEqual([4, false, isNew ? 1 : 0]);
    expect(await restored(lab.base, uploadId)).toEqual(lab.tree());
    const said = expect.stringMatching(/^version 3 of dataset lab-00000001 is not whole.*archiver (?:repair|verify)/);
    expect(run.events).toContainEqual({ type: 'note', text: said });
    expect(again).toMatchObject({ version: 4, changes: { noChanges: true } });
  });
});

describe('a cold cache', () => {
  const isOfChunk = ([what]: (typeof damages)[number]): boolean => what.includes('chunk');

  test.each(damages.filter(isOfChunk))('%s: what is gone is sent again', async (_, damage) => {
    const made = await chain();
    const { lab } = made;
    damage(made);

    const { version, uploadId, changes } = await lab.sync(lab.machine('two')).result;

    expect([version, changes?.noChanges]).toEqual([4, false]);
    expect(await restored(lab.base, uploadId)).toEqual(lab.tree());
  });

  test.each(damages.filter((damage) => !isOfChunk(damage)))('%s: it says so, and the way out', async (_, damage) => {
    const made = await chain();
    const { lab } = made;
    damage(made);
    const two = lab.machine('two');

    await expect(lab.sync(two).result).rejects.toMatchObject({
      exitCode: 1,
      message: expect.stringContaining('version of dataset lab-00000001 is unreadable'),
      hint: expect.stringContaining('--force'),
    });
    const { uploadId } = await lab.sync(two, { changes: { trackDeletes: false, isForced: true } }).result;
    expect(await restored(lab.base, uploadId)).toEqual(lab.tree());
  });
});

test.each([
  ['nothing is new', false],
  ['something is new', true],
])('what only the earlier version had is gone with its chunk: exit 1 with its name, %s', async (_, isNew) => {
  const made = await chain();
  const { lab, one } = made;
  rmSync(made.chunk(2));
  lab.remove('second');
  dayPasses(one);
  if (isNew) lab.write('new');

  const message = expect.stringMatching(/version 3 of dataset lab-00000001 needs .*, where second lies/);
  await expect(lab.sync(one).result).rejects.toMatchObject({ code: 'integrity', exitCode: 1, message });

  const { version, uploadId } = await lab.sync(one, { changes: { trackDeletes: true } }).result;
  expect(version).toBe(4);
  expect(await restored(lab.base, uploadId)).toEqual(lab.tree());
});

test('a dry run sees it as well, and writes nothing', async () => {
  const made = await chain();
  const { lab, one } = made;
  rmSync(made.chunk(1));
  dayPasses(one);
  const before = await lab.keys();

  const { changes } = await lab.sync(one, { dryRun: true }).result;

  expect(changes).toMatchObject({ noChanges: false });
  expect(await lab.keys()).toEqual(before);
});

test('a store that was copied has manifests with other ETags: they are read, and all is well', async () => {
  const { lab, one, manifest } = await chain();
  for (const at of [1, 2, 3]) utimesSync(manifest(at), 1_700_000_000, 1_700_000_000);
  dayPasses(one);

  const run = lab.sync(one);

  expect(await run.result).toMatchObject({ version: 3, changes: { noChanges: true } });
  expect(run.calls.filter((call) => call.startsWith('get'))).toHaveLength(3);
});

test('the table of contents of direct files is gone, to which no entry points: the next version is whole', async () => {
  const lab = await Lab.make();
  const one = lab.machine('one');
  const { uploadId } = await lab.upload(one, { direct: { thresholdBytes: undefined, requests: 4 } }).result;
  rmSync(join(lab.base, 'uploads', uploadId, 'shard-00'), { recursive: true });

  const next = await lab.sync(one).result;

  expect([next.version, (await lab.sync(one).result).version]).toEqual([2, 2]);
  expect(await restored(lab.base, next.uploadId)).toEqual(lab.tree());
});

test('a manifest to build on that was replaced since it was looked at is noticed on the same day', async () => {
  const made = await chain();
  const { lab, one } = made;
  const path = made.manifest(3);
  writeFileSync(path, readFileSync(path).fill(0, 20));
  lab.write('new');

  const { version, uploadId } = await lab.sync(one).result;

  expect(version).toBe(4);
  expect(await restored(lab.base, uploadId)).toEqual(lab.tree());
});

describe('what was seen whole less than a day ago', () => {
  const looksOf = ({ home }: Machine) =>
    openCheckCache({ folder: join(home, 'manifest-cache'), onTrouble: (text) => expect.fail(text) });

  test('is listed again in a folder store, where that costs nothing, and read once a day', async () => {
    const { lab, one } = await chain();
    dayPasses(one);

    const first = lab.sync(one);
    await first.result;
    const next = lab.sync(one);
    await next.result;

    // One LIST for the dataset, one for each folder of the chain; manifests of a folder store are read.
    const lists = first.calls.filter((call) => call.startsWith('list'));
    expect([lists.length, first.calls.length]).toEqual([4, 7]);
    expect(next.calls.toSorted()).toEqual(lists.toSorted());
  });

  test('stays so for a day and no longer, also when a delta is added every hour', async () => {
    const { lab, one } = await chain();
    const looks = looksOf(one);
    const before = (await looks.get(lab.store.url, LAB))!;
    const lookedAtMs = Date.now() - DAY_MS + 600_000;
    await looks.put(lab.store.url, LAB, { ...before, lookedAtMs });
    lab.write('new');
    await lab.sync(one).result;
    const after = (await looks.get(lab.store.url, LAB))!;

    expect(after.lookedAtMs).toBe(lookedAtMs);
    expect(after.manifestSha256).not.toBe(before.manifestSha256);
    await looks.put(lab.store.url, LAB, { ...after, lookedAtMs: lookedAtMs - 600_000 });
    const daily = lab.sync(one);
    await daily.result;
    expect(daily.calls.length).toBeGreaterThan(4);
    expect(Date.now() - (await looks.get(lab.store.url, LAB))!.lookedAtMs).toBeLessThan(600_000);
  });

  test.each([
    ['in another store', (look: string) => look, 'file:///elsewhere'],
    ['with another manifest', (look: string) => look.replaceAll(/[0-9a-f]{64}/g, 'a'.repeat(64)), undefined],
    ['in a file that is damaged', (look: string) => look.replace('"lookedAtMs":', '"lookedAtMs":1'), undefined],
    ['in a file that is torn', (look: string) => look.slice(0, 20), undefined],
  ])('counts for nothing %s', async (_, bend, url) => {
    const { lab, one } = await chain();
    const folder = join(one.home, 'manifest-cache');
    const file = join(folder, readdirSync(folder).find((name) => name.endsWith('.look.json')) ?? '');
    const text = bend(readFileSync(file, 'utf8'));
    if (url === undefined) writeFileSync(file, text);
    else {
      await looksOf(one).put(url, LAB, (await looksOf(one).get(lab.store.url, LAB))!);
      rmSync(file);
    }

    const run = lab.sync(one);

    expect(await run.result).toMatchObject({ changes: { noChanges: true } });
    expect(run.calls.length).toBeGreaterThan(1);
  });

  test('counts for nothing when the clock was set back', async () => {
    const { lab, one } = await chain();
    const now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockReturnValue(now - 3_600_000);

    const run = lab.sync(one);
    await run.result.finally(() => clock.mockRestore());

    expect(run.calls.length).toBeGreaterThan(1);
  });
});

describe('a writer with fewer rights', () => {
  const putOnly = (store: ObjectStore): ObjectStore => withAccess(store, 'may neither read nor list', () => '');
  const listOnly = (store: ObjectStore): ObjectStore =>
    withAbilities({ ...store, get: () => Promise.reject(accessDenied('s3:GetObject')) });

  test('that may not list says on whose word nothing has changed', async () => {
    const { lab, one, chunk } = await chain();
    rmSync(chunk(1));

    const run = lab.sync(one, { wrap: putOnly, writerId: 'one' });

    expect(await run.result).toMatchObject({ version: 3, changes: { noChanges: true } });
    expect(run.events).toContainEqual({ type: 'note', text: expect.stringMatching(/may not list .* is not known/) });
  });

  test.each([
    ['a chunk', (of: Chain) => rmSync(of.chunk(1))],
    ['a manifest', (of: Chain) => rmSync(of.manifest(1))],
    ['half of a manifest', (of: Chain) => truncateSync(of.manifest(2), 200)],
  ])('that may list and not read misses %s', async (_, damage) => {
    const made = await chain();
    const { lab, one } = made;
    damage(made);
    dayPasses(one);

    const { version, uploadId } = await lab.sync(one, { wrap: listOnly }).result;

    expect(version).toBe(4);
    expect(await restored(lab.base, uploadId)).toEqual(lab.tree());
  });
});

test('a version that is compared with an older one than the newest is made, though nothing differs from that', async () => {
  const lab = await Lab.make();
  const one = lab.machine('one');
  setTime(lab.source, 1_700_000_000, 0);
  const first = await lab.sync(one).result;
  const tree = lab.tree();
  const bytes = readFileSync(join(lab.base, first.manifestKey));
  lab.write('new');
  await lab.sync(one).result;
  lab.remove('new');
  setTime(lab.source, 1_700_000_000, 0);
  const previousManifest = { name: 'first', uploadId: first.uploadId, bytes };

  const { version, uploadId } = await lab.sync(one, { changes: { ...KEEP.changes, previousManifest } }).result;

  expect(version).toBe(3);
  expect(await restored(lab.base, uploadId)).toEqual(tree);
});

test('an upload that is continued and was committed is not reported where its chunks are gone since', async () => {
  const lab = await Lab.make();
  const one = lab.machine('one');
  await lab.upload(one, { wrap: answerLost(/^datasets\//) }).result.catch(() => undefined);
  const [chunk = ''] = (await lab.keys()).filter((key) => key.includes('/chunk-'));
  rmSync(join(lab.base, chunk));

  await expect((await lab.again(one)).result).rejects.toMatchObject({
    code: 'integrity',
    message: `version 1 of dataset ${LAB} is not whole: ${chunk} is missing or damaged`,
  });
});
