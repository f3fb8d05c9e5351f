// Stores that do not create a key only once (rules.md#plain-keys, rules.md#plain-fences; docs/decisions/060-plain-stores.md): no
// request has a condition, and nothing is lost all the same, because no key has two writers.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { listVersions, readVersions } from '../../../src/core/dataset/records/versions.js';
import { addTag, removeTag } from '../../../src/core/dataset/set-tag.js';
import { versionName } from '../../../src/core/dataset/records/version-name.js';
import type { WholeStore } from '../../../src/core/store/object-store.js';
import { plainStore } from '../../../src/core/store/plain-store.js';
import type { Described } from '../archive/trees.js';
import { withAccess } from '../archive/upload-folder.js';
import { killedBefore, onMutation } from '../dataset/prune/prune-run.js';
import { repair } from '../mend/repair/repair-cases.js';
import { beforePut, LAB, Lab } from './site.js';

const RECORD = /^datasets\/[^/]+\/v/;
const MANIFEST = /\/manifest\.json\.gz$/;
const FLAG = /\/fence-[0-9a-f]{8}\.json$/;
const DAY = 86_400_000;

type Wrap = (store: WholeStore) => WholeStore;
const plain: Wrap = (store) => plainStore(store, { isExclusive: false });
const alone: Wrap = (store) => plainStore(store, { isExclusive: true });
/** A plain store, and something that happens to it. */
const plainly =
  (...wraps: readonly Wrap[]): Wrap =>
  (store) =>
    wraps.reduce((inner, wrap) => wrap(inner), plain(store));

let lab: Lab;

beforeEach(async () => {
  lab = await Lab.make();
});

/** By their names, what comes back of the versions that are listed. @throws where one cannot be restored */
async function versions(): Promise<Readonly<Record<string, Record<string, Described>>>> {
  const listed = await listVersions(lab.store, LAB);
  const trees: Record<string, Record<string, Described>> = {};
  for (const found of await readVersions(lab.store, listed)) {
    if ('problem' in found) throw found.problem;
    trees[versionName(found.listed)] = await lab.restored(found.record.uploadId);
  }
  return trees;
}

const keysOf = async (id: string): Promise<readonly string[]> =>
  (await lab.keys()).filter((key) => key.startsWith(`uploads/${id}/`)).map((key) => key.slice(`uploads/${id}/`.length));

/** Does something after each put of a key like this, once. */
function afterPut(key: RegExp, work: (name: string, store: WholeStore) => Promise<unknown>): Wrap {
  let isDone = false;
  return (store) => ({
    ...store,
    put: async (name, body, options) => {
      const put = await store.put(name, body, options);
      if (key.test(name) && !isDone) {
        isDone = true;
        await work(name, store);
      }
      return put;
    },
  });
}

describe('a version', () => {
  test('has the upload in the key of its record, and no request has a condition', async () => {
    const conditions: unknown[] = [];
    const watch: Wrap = (store) => ({
      ...store,
      put: async (key, body, options) => {
        conditions.push(options?.ifAbsent, options?.ifMatch);
        return await store.put(key, body, options);
      },
    });
    const one = await lab.upload(lab.machine('one'), { wrap: (store) => plain(watch(store)) }).result;
    lab.write('more', 'more');
    const two = await lab.sync(lab.machine('one'), { wrap: (store) => plain(watch(store)) }).result;

    expect((await lab.keys()).filter((key) => RECORD.test(key))).toEqual([
      `datasets/lab-00000001/v00000001.${one.uploadId}.json`,
      `datasets/lab-00000001/v00000002.${two.uploadId}.json`,
    ]);
    expect(conditions.filter((condition) => condition !== undefined)).toEqual([]);
    expect((await versions())['v2']).toEqual(lab.tree());
  });

  test('is told from records without an upload, which other writers may put beside', async () => {
    await lab.upload(lab.machine('one')).result;
    lab.write('more', 'more');
    const two = await lab.sync(lab.machine('one'), { wrap: plain }).result;
    lab.write('still-more', 'more');
    const three = await lab.sync(lab.machine('two')).result;

    expect([two.version, three.version]).toEqual([2, 3]);
    expect((await versions())['v3']).toEqual(lab.tree());
  });

  test('of a writer that may not list is not made: it would see neither forks nor sweeps', async () => {
    const blind: Wrap = (store) => withAccess(store, 'may neither read nor list', () => '');

    await expect(lab.upload(lab.machine('one'), { wrap: plainly(blind) }).result).rejects.toMatchObject({
      code: 'plain-store',
      exitCode: 4,
    });
    expect(await lab.keys()).toEqual([]);
  });
});

describe('two writers at once', () => {
  const other = (): string => lab.folder('other', { b: 'of b' });

  test.each([
    ['full versions', 'upload'],
    ['syncs', 'sync'],
  ] as const)('make a fork of %s, both whole, and the next version follows', async (_, how) => {
    await lab.upload(lab.machine('one'), { wrap: plain }).result;
    lab.write('a', 'of a');
    const rival = async (): Promise<void> => {
      const made = lab.sync(lab.machine('two'), { source: other(), wrap: plain });
      expect((await made.result).version).toBe(2);
    };
    const run = lab[how](lab.machine('one'), { wrap: plainly(beforePut(RECORD, rival)) });

    expect((await run.result).version).toBe(2);
    expect(run.events).toContainEqual({
      type: 'note',
      text: 'version 2 is a fork: this one is v2, beside v2.b of other writers',
    });
    expect(Object.keys(await versions())).toEqual(['v1', 'v2', 'v2.b']);
    expect((await versions())['v2']).toEqual(lab.tree());
    expect((await versions())['v2.b']).toMatchObject({ b: expect.anything() });
    const next = await lab.sync(lab.machine('three'), { source: lab.folder('third', { c: 'c' }), wrap: plain }).result;
    expect(next.version).toBe(3);
    // It builds on the last of the fork.
    expect(Object.keys((await versions())['v3'] ?? {})).toEqual(expect.arrayContaining(['b', 'c']));
  });

  test('build on the last of a fork also where listings have no ETags', async () => {
    const withoutEtags: Wrap = (store) => ({
      ...store,
      async *list(options) {
        for await (const page of store.list(options))
          yield { ...page, objects: page.objects.map((object) => ({ ...object, etag: '' })) };
      },
    });
    await lab.upload(lab.machine('one'), { wrap: plainly(withoutEtags) }).result;
    lab.write('a', 'of a');
    const rival = async (): Promise<void> =>
      void (await lab.sync(lab.machine('two'), { source: other(), wrap: plainly(withoutEtags) }).result);
    await lab.sync(lab.machine('one'), { wrap: plainly(withoutEtags, beforePut(RECORD, rival)) }).result;

    const next = await lab.sync(lab.machine('one'), { wrap: plainly(withoutEtags) }).result;

    expect([next.version, next.changes?.noChanges]).toEqual([3, false]);
    expect(Object.keys((await versions())['v3'] ?? {})).toEqual(expect.arrayContaining(['a', 'b']));
  });

  test('do not take an ordinal that is taken before the record', async () => {
    await lab.upload(lab.machine('one'), { wrap: plain }).result;
    lab.write('a', 'of a');
    const rival = async (): Promise<void> =>
      void (await lab.sync(lab.machine('two'), { source: other(), wrap: plain }).result);

    const made = await lab.sync(lab.machine('one'), { wrap: plainly(beforePut(MANIFEST, rival)) }).result;

    expect([made.version, made.fork]).toEqual([3, undefined]);
    expect(Object.keys(await versions())).toEqual(['v1', 'v2', 'v3']);
    // What the winner has is in it.
    expect(Object.keys((await versions())['v3'] ?? {})).toEqual(expect.arrayContaining(['a', 'b']));
  });
});

describe('the flag of a sweep', () => {
  const raise = (name: string, store: WholeStore, id = name.split('/')[1] ?? ''): Promise<unknown> =>
    store.put(`uploads/${id}/fence-0badf00d.json`, Buffer.from('{}'));

  test('after the manifest sends the writer on under a new id', async () => {
    const run = lab.upload(lab.machine('one'), { wrap: plainly(afterPut(MANIFEST, raise)) });
    const { uploadId, version } = await run.result;

    expect(version).toBe(1);
    expect(run.calls.filter((call) => call.startsWith('put datasets/'))).toHaveLength(1);
    expect(await keysOf(uploadId)).not.toContain('fence-0badf00d.json');
    expect(await versions()).toEqual({ v1: lab.tree() });
  });

  test('after the record makes a tombstone of it, and the next version follows', async () => {
    let first = '';
    const flagged = afterPut(RECORD, async (name, store) => {
      first = /\d{8}-\d{6}-[0-9a-f]{8}/.exec(name)?.[0] ?? '';
      await raise(name, store, first);
    });
    const { uploadId, version } = await lab.upload(lab.machine('one'), { wrap: plainly(flagged) }).result;

    expect([version, uploadId === first]).toEqual([2, false]);
    expect(await versions()).toEqual({ v2: lab.tree() });
    expect((await lab.keys()).filter((key) => RECORD.test(key))).toHaveLength(2);
  });
});

describe('an abandoned upload', () => {
  let record: { readonly key: string; readonly bytes: Uint8Array };
  let manifest: typeof record | undefined;

  const stopped =
    (key: RegExp): Wrap =>
    (store) => ({
      ...store,
      put: async (name, bytes, options) => {
        if (MANIFEST.test(name)) manifest = { key: name, bytes };
        if (!key.test(name)) return await store.put(name, bytes, options);
        record = { key: name, bytes };
        throw new Error('asleep');
      },
    });

  /** A dataset with one version, and an upload that stopped before this; a prune has marked it. */
  async function abandoned(key: RegExp): Promise<string> {
    const before = await lab.upload(lab.machine('other'), { wrap: plain }).result;
    const source = lab.folder('more', { a: 'a', b: 'b' });
    await lab.sync(lab.machine('one'), { source, wrap: plainly(stopped(key)) }).result.catch(() => undefined);
    const ids = (await lab.keys()).flatMap((one) => /^uploads\/([^/]+)/.exec(one)?.[1] ?? []);
    await lab.age(8);
    await lab.prune({ graceMs: DAY, wrap: plain });
    await lab.age(2);
    return ids.find((id) => id !== before.uploadId) ?? '';
  }

  test.each([
    ['manifest', MANIFEST],
    ['record', RECORD],
  ])('that stopped before its %s is swept behind a flag, which is all that stays', async (_, stop) => {
    const id = await abandoned(stop);
    let isFlagged: boolean | undefined;
    const watch = async (_call: number, what: string): Promise<void> => {
      if (what.startsWith(`delete uploads/${id}/`))
        isFlagged ??= (await keysOf(id)).some((key) => FLAG.test(`/${key}`));
    };

    const { failed } = await lab.prune({ graceMs: DAY, wrap: plainly((store) => onMutation(store, watch)) });

    expect([isFlagged, failed]).toEqual([true, []]);
    expect(await keysOf(id)).toEqual([expect.stringMatching(/^fence-[0-9a-f]{8}\.json$/)]);
    expect(Object.keys(await versions())).toEqual(['v1']);
    await lab.age(30);
    const { planned } = await lab.prune({ wrap: plain });
    expect([planned.marked, planned.sweep.objects]).toEqual([[], []]);
  });

  test('is swept whole by later prunes, wherever a sweep was killed', async () => {
    const id = await abandoned(RECORD);
    for (let step = 0; ; step++) {
      const outcome = await lab
        .prune({ graceMs: DAY, wrap: plainly((store) => killedBefore(store, step)) })
        .then(() => 'done')
        .catch((error: Error) => error.message);
      if (outcome !== 'killed') break;
    }
    await lab.age(9);
    await lab.prune({ wrap: plain });

    expect((await keysOf(id)).filter((key) => !FLAG.test(`/${key}`))).toEqual([]);
  });

  test('that has put its manifest since the mark is let go, and the flag is taken away', async () => {
    const id = await abandoned(MANIFEST);
    await lab.store.put(manifest?.key ?? '', manifest?.bytes ?? Buffer.of());
    const before = await keysOf(id);

    await lab.prune({ graceMs: DAY, wrap: plain });

    expect(await keysOf(id)).toEqual(before);
  });

  const commit = async (): Promise<void> => void (await lab.store.put(record.key, record.bytes));

  test('whose record comes between look and flag is let go; the flag of another sweep stays', async () => {
    const id = await abandoned(RECORD);
    await lab.store.put(`uploads/${id}/fence-00000000.json`, Buffer.from('{}'));
    const before = await keysOf(id);

    await lab.prune({ graceMs: DAY, wrap: plainly(beforePut(FLAG, commit)) });

    expect(await keysOf(id)).toEqual(before);
    expect(Object.keys(await versions())).toEqual(['v1', 'v2']);
  });

  test('whose record comes while its chunks are deleted is named', async () => {
    const id = await abandoned(RECORD);
    let isDone = false;
    const late = async (_call: number, what: string): Promise<void> => {
      if (isDone || !what.startsWith(`delete uploads/${id}/shard`)) return;
      isDone = true;
      await commit();
    };

    const sweeping = lab.prune({ graceMs: DAY, wrap: plainly((store) => onMutation(store, late)) });

    await expect(sweeping).rejects.toMatchObject({
      code: 'integrity',
      message: expect.stringMatching(/^version 2 of /),
    });
  });
});

describe('a prune', () => {
  async function threeVersions(): Promise<void> {
    await lab.upload(lab.machine('one'), { wrap: plain }).result;
    for (const name of ['a', 'b']) {
      lab.write(name, name);
      await lab.sync(lab.machine('one'), { wrap: plain }).result;
    }
  }

  test('retires versions of a fork by themselves, and a tag protects the one that it names', async () => {
    await lab.upload(lab.machine('one'), { wrap: plain }).result;
    const rival = async (): Promise<void> =>
      void (await lab.sync(lab.machine('two'), { source: lab.folder('x', { x: 'x' }), wrap: plain }).result);
    lab.write('a', 'a');
    await lab.sync(lab.machine('one'), { wrap: plainly(beforePut(RECORD, rival)) }).result;
    lab.write('b', 'b');
    await lab.sync(lab.machine('one'), { wrap: plain }).result;
    const before = await versions();

    const [, first] = await lab.listed();
    const tag = { datasetId: LAB, version: 2, uploadId: first?.uploadId, tag: 'kept' };
    const { signal } = new AbortController();
    const setting = { now: new Date(), deleter: lab.store, signal };
    await addTag(plain(lab.store), tag, setting);

    await lab.prune({ keep: { last: 1 }, wrap: plain });

    const { v2, v3 } = before;
    expect(await versions()).toEqual({ v2, v3 });
    await removeTag(plain(lab.store), tag, setting);
    await lab.prune({ keep: { last: 1 }, wrap: plain });
    expect(await versions()).toEqual({ v3 });
  });

  test('keeps a version of a fork until its source has made another one', async () => {
    await lab.upload(lab.machine('one'), { wrap: plain }).result;
    const source = lab.folder('x', { x: 'x' });
    const rival = async (): Promise<void> => void (await lab.sync(lab.machine('two'), { source, wrap: plain }).result);
    lab.write('a', 'a');
    await lab.sync(lab.machine('one'), { wrap: plainly(beforePut(RECORD, rival)) }).result;
    lab.write('b', 'b');
    await lab.sync(lab.machine('one'), { wrap: plain }).result;
    const prune = async () => await lab.prune({ keep: { last: 1 }, allowMassDelete: false, wrap: plain });

    const { planned } = await prune();

    expect(planned.kept.map(({ listed, reasons }) => [versionName(listed), reasons])).toEqual([
      ['v2.b', ['fork']],
      ['v3', ['latest']],
    ]);
    lab.write('y', 'y', source);
    await lab.sync(lab.machine('two'), { source, wrap: plain }).result;
    await prune();
    expect(Object.keys(await versions())).toEqual(['v4']);
  });

  test('lets no version stand for others that a sweep may be deleting', async () => {
    await threeVersions();
    const newest = (await lab.listed()).at(-1);
    const flag = `uploads/${newest?.uploadId ?? ''}/fence-0badf00d.json`;
    await lab.store.put(flag, Buffer.from('{}'));

    await expect(lab.prune({ keep: { last: 1 }, graceMs: DAY, wrap: plain })).rejects.toMatchObject({
      code: 'conflict',
      message: `nothing was pruned: ${flag} says that version 3 of dataset ${LAB} is being swept`,
    });
    expect(Object.keys(await versions())).toEqual(['v1', 'v2', 'v3']);
    await lab.age(2);
    await lab.prune({ keep: { last: 1 }, graceMs: DAY, wrap: plain });
    expect(Object.keys(await versions())).toEqual(['v3']);
  });

  test('retires versions also where listings have no ETags', async () => {
    await threeVersions();
    const before = await versions();
    const withoutEtags: Wrap = (store) => ({
      ...store,
      async *list(options) {
        for await (const page of store.list(options))
          yield { ...page, objects: page.objects.map((object) => ({ ...object, etag: '' })) };
      },
    });

    await lab.prune({ keep: { last: 1 }, wrap: plainly(withoutEtags) });

    expect(await versions()).toEqual({ v3: before['v3'] });
  });

  test('replaces nothing: what kept versions build on stays, and a later one frees it when nobody else writes', async () => {
    await threeVersions();
    const before = await versions();

    const { planned } = await lab.prune({ keep: { last: 1 }, wrap: plain });

    expect([planned.compacted, planned.dependent.map(({ record }) => record.version)]).toEqual([[], [3]]);
    expect(planned.marked).toEqual([]);
    expect(await versions()).toEqual({ v3: before['v3'] });
    const kept = (await lab.keys()).filter((key) => MANIFEST.test(key)).length;
    await lab.prune({ keep: { last: 1 }, wrap: alone });
    expect(await versions()).toEqual({ v3: before['v3'] });
    expect([kept, (await lab.keys()).filter((key) => MANIFEST.test(key)).length]).toEqual([3, 1]);
  });
});

test('a manifest is repaired only where nobody else writes', async () => {
  const { uploadId } = await lab.upload(lab.machine('one'), { wrap: plain }).result;
  const path = join(lab.base, `uploads/${uploadId}/manifest.json.gz`);
  await lab.store.delete([`uploads/${uploadId}/manifest.json.gz`]);

  await expect(repair(lab.base, uploadId, { wrap: plain })).rejects.toMatchObject({ code: 'plain-store', exitCode: 4 });
  expect(existsSync(path)).toBe(false);
  expect((await repair(lab.base, uploadId, { wrap: alone })).status).toBe('repaired');
  expect(await versions()).toEqual({ v1: lab.tree() });
});
