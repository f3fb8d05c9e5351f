// An upload that sleeps while a sweep deletes what it has sent (rules.md#fence): the sweep's side.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { listUploads, findMissingManifests } from '../../../src/core/dataset/records/find-places.js';
import { encodeFence, isFence } from '../../../src/core/format/manifest/fence.js';
import type { ObjectStore } from '../../../src/core/store/object-store.js';
import { StoreError } from '../../../src/core/store/store-error.js';
import { openHoldings } from '../../../src/core/mend/scuttle/holdings.js';
import { survey } from '../../../src/core/mend/scuttle/survey.js';
import { verifyStore } from '../../../src/core/mend/verify/verify-store.js';
import { asUploadId } from '../../support/as-upload-id.js';
import { killedBefore, onMutation } from '../dataset/prune/prune-run.js';
import { repair } from '../mend/repair/repair-cases.js';
import { beforePut, Lab } from './site.js';

const RECORD = /^datasets\//;
const MANIFEST = /\/manifest\.json\.gz$/;
const DAY = 86_400_000;

/** The record that a stopped upload was about to put. */
let record: { readonly key: string; readonly bytes: Uint8Array };

/** Stops an upload ahead of a put of this. */
const stopped =
  (key: RegExp) =>
  (store: ObjectStore): ObjectStore => ({
    ...store,
    put: async (name, bytes, options) => {
      if (!key.test(name)) return await store.put(name, bytes, options);
      record = { key: name, bytes };
      throw new Error('asleep');
    },
  });

let lab: Lab;

beforeEach(async () => {
  lab = await Lab.make();
});

/** A dataset with one version, and an upload that stopped before this; a prune has marked it as abandoned. */
async function abandoned(key: RegExp): Promise<string> {
  const before = await lab.upload(lab.machine('other')).result;
  await lab
    .sync(lab.machine('one'), { source: lab.folder('more', { a: 'a', b: 'b' }), wrap: stopped(key) })
    .result.catch(() => undefined);
  const id = (await lab.keys())
    .map((one) => one.split('/')[1] ?? '')
    .find((one) => /^2\d{7}-/.test(one) && one !== before.uploadId);
  await lab.age(8);
  await lab.prune({ graceMs: DAY });
  await lab.age(2);
  return id ?? '';
}

const keysOf = async (id: string): Promise<readonly string[]> =>
  (await lab.keys()).filter((key) => key.startsWith(`uploads/${id}/`)).map((key) => key.slice(`uploads/${id}/`.length));
const manifestOf = (id: string): string => join(lab.base, `uploads/${id}/manifest.json.gz`);

describe.each([
  ['before its manifest', MANIFEST],
  ['before its record', RECORD],
])('an upload that stopped %s', (_, stop) => {
  test('is fenced before anything of it is deleted, and the fence is all that stays', async () => {
    const id = await abandoned(stop);
    let isFenced: boolean | undefined;
    const watch = (_call: number, what: string): void => {
      if (what.startsWith(`delete uploads/${id}/`))
        isFenced ??= existsSync(manifestOf(id)) && isFence(readFileSync(manifestOf(id)));
    };

    const { failed } = await lab.prune({ graceMs: DAY, wrap: (store) => onMutation(store, watch) });

    expect([isFenced, failed]).toEqual([true, []]);
    expect(await keysOf(id)).toEqual(['manifest.json.gz']);
    expect(await lab.versions()).toHaveLength(1);
  });

  test('once swept is nothing to later prunes, however old its fence', async () => {
    const id = await abandoned(stop);
    await lab.prune({ graceMs: DAY });
    await lab.age(30);

    const { planned } = await lab.prune({ graceMs: 0 });

    expect([planned.marked, planned.sweep.due, planned.sweep.objects]).toEqual([[], [], []]);
    expect(await keysOf(id)).toEqual(['manifest.json.gz']);
  });

  test('is swept whole by the next prune, wherever a sweep was killed', async () => {
    const id = await abandoned(stop);
    for (let step = 0; ; step++) {
      const outcome = await lab
        .prune({ graceMs: DAY, wrap: (store) => killedBefore(store, step) })
        .then(({ failed }) => failed?.length ?? 'nothing to do')
        .catch((error: Error) => error.message);
      const there = existsSync(manifestOf(id));
      const chunks = (await keysOf(id)).filter((key) => key.startsWith('shard'));
      // Nothing is deleted ahead of the fence.
      const isFenced = there && isFence(readFileSync(manifestOf(id)));
      expect([step, chunks.length > 0 || isFenced]).toEqual([step, true]);
      if (outcome !== 'killed') break;
    }
    await lab.age(9);
    await lab.prune({ graceMs: 0 });
    await lab.prune({ graceMs: 0 });

    expect(await keysOf(id)).toEqual(['manifest.json.gz']);
  });

  test('and meets two sweeps at once is swept once', async () => {
    const id = await abandoned(stop);

    const outcomes = await Promise.all([1, 2].map(async () => await lab.prune({ graceMs: DAY })));

    expect(outcomes.map(({ failed }) => failed ?? [])).toEqual([[], []]);
    expect(await keysOf(id)).toEqual(['manifest.json.gz']);
  });
});

test('a sleeper cannot put its manifest where the fence lies', async () => {
  const id = await abandoned(MANIFEST);
  await lab.prune({ graceMs: DAY });

  const put = lab.store.put(`uploads/${id}/manifest.json.gz`, Buffer.from('a manifest'), { ifAbsent: true });

  await expect(put).rejects.toMatchObject({ code: 'conflict' });
});

test('an upload that has put its manifest since the mark is let go, though no record names it yet', async () => {
  const id = await abandoned(MANIFEST);
  await lab.store.put(`uploads/${id}/manifest.json.gz`, Buffer.from('a manifest'), { ifAbsent: true });
  const before = await keysOf(id);

  await lab.prune({ graceMs: DAY });

  expect(await keysOf(id)).toEqual(before);
});

test('what asking the store has left in the folder of an upload goes with it', async () => {
  await lab.sync(lab.machine('one'), { wrap: stopped(MANIFEST) }).result.catch(() => undefined);
  const [id = ''] = (await lab.keys()).flatMap((key) => /^uploads\/(2\d{7}-[^/]+)/.exec(key)?.[1] ?? []);
  await lab.store.put(`uploads/${id}/create-once-00112233aabbccdd`, Buffer.from('asked'), { ifAbsent: true });
  await lab.upload(lab.machine('other')).result;
  await lab.age(8);
  await lab.prune({ graceMs: DAY });
  await lab.age(2);

  await lab.prune({ graceMs: DAY });

  expect(await keysOf(id)).toEqual(['manifest.json.gz']);
});

test('an upload whose manifest comes first is let go', async () => {
  const id = await abandoned(MANIFEST);
  const wakes = beforePut(MANIFEST, () =>
    lab.store.put(`uploads/${id}/manifest.json.gz`, Buffer.from('a manifest'), { ifAbsent: true }),
  );
  const before = await keysOf(id);

  await lab.prune({ graceMs: DAY, wrap: wakes });

  expect(await keysOf(id)).toEqual([...before, 'manifest.json.gz'].toSorted());
});

/** The writer wakes up. */
async function commit(): Promise<void> {
  await lab.store.put(record.key, record.bytes, { ifAbsent: true });
}

test('a version whose record comes between look and fence gets its manifest back, and nothing of it is deleted', async () => {
  const id = await abandoned(RECORD);
  const before = await keysOf(id);

  await lab.prune({ graceMs: DAY, wrap: beforePut(MANIFEST, () => commit()) });

  expect((await keysOf(id)).filter((key) => !key.endsWith('.bak'))).toEqual(before);
  expect([...(await lab.versions()).keys()]).toEqual([1, 2]);
});

test('a version whose record comes while its chunks are deleted is named', async () => {
  const id = await abandoned(RECORD);
  let isDone = false;
  const late = async (_call: number, what: string): Promise<void> => {
    if (isDone || !what.startsWith(`delete uploads/${id}/shard`)) return;
    isDone = true;
    await commit();
  };

  const sweeping = lab.prune({ graceMs: DAY, wrap: (store) => onMutation(store, late) });

  await expect(sweeping).rejects.toMatchObject({
    code: 'integrity',
    message: expect.stringMatching(
      /^version 2 of dataset lab-00000001 came while the sweep was deleting, and is not whole/,
    ),
    hint: expect.stringMatching(/archiver verify .* archiver repair /),
  });
});

test('a store that does not replace on a condition gets the fence all the same', async () => {
  const id = await abandoned(RECORD);
  const noIfMatch = (store: ObjectStore): ObjectStore => ({
    ...store,
    put: async (key, body, options) => {
      if (options?.ifMatch !== undefined) throw new StoreError('conflict', '412');
      return await store.put(key, body, options);
    },
  });

  await lab.prune({ graceMs: DAY, wrap: noIfMatch });

  expect(await keysOf(id)).toEqual(['manifest.json.gz']);
  expect(isFence(readFileSync(manifestOf(id)))).toBe(true);
});

test('a folder with a fence alone is nothing to lists, verify, repair and the count of scuttle', async () => {
  const id = await abandoned(RECORD);
  await lab.prune({ graceMs: DAY });
  const { signal } = new AbortController();
  const ids = await listUploads(lab.store);
  const emit = (): void => undefined;

  const looked = await findMissingManifests(lab.store, ids);
  const verdict = await verifyStore({ reader: lab.store, mode: 'quick', emit, signal } as never);
  const counted = await survey(lab.store, await openHoldings(lab.store, signal), signal, emit);

  expect(ids).toContain(id);
  expect([[...looked.fenced], [...looked.without]]).toEqual([[id], []]);
  expect([verdict.ok, verdict.uploads, verdict.uncheckedUploads]).toEqual([true, [], 0]);
  expect(counted.uploads).toBe(1);
  await expect(repair(lab.base, id)).rejects.toThrow(
    `upload ${id} was given up before it became a version, and a prune swept it`,
  );
});

test('a version that came in spite of its fence is put back by repair from what is left', async () => {
  const id = await abandoned(RECORD);
  const manifest = readFileSync(manifestOf(id));
  await lab.store.put(`uploads/${id}/manifest.json.gz`, encodeFence(asUploadId(id), new Date()));
  await lab.store.put(`uploads/${id}/manifest.json.gz.0badf00d.pre-fence.bak`, manifest);
  await commit();

  const { status } = await repair(lab.base, id);

  expect([status, readFileSync(manifestOf(id)).equals(manifest)]).toEqual(['repaired', true]);
});
