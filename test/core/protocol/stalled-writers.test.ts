// Writers that stop for longer than a prune waits, two processes with one journal, and a scuttle beside an upload. Each of these
// ended with exit 0 and a version that did not restore, before rules.md#own-looks, rules.md#fence and rules.md#own-leftovers.
import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ObjectStore, WholeStore } from '../../../src/core/store/object-store.js';
import { noise } from '../archive/trees.js';
import { accessDenied, preconditionFailed, withAccess } from '../archive/upload-folder.js';
import { failingAfter } from '../archive/resume/interrupted.js';
import { answerLost, beforePut, effectLost, Lab, type Machine } from './site.js';

const RECORD = /^datasets\//;
const MANIFEST = /\/manifest\.json\.gz$/;
const CHUNK = /\/chunk-/;
const DAY_MS = 86_400_000;
const SYNC = { changes: { trackDeletes: false } };

const putOnly = (store: ObjectStore): ObjectStore => withAccess(store, 'may neither read nor list', () => '');

/** The newest version and what comes back of it. @throws where any version that is listed does not restore */
const newest = async (lab: Lab): Promise<unknown> => [...(await lab.versions())].at(-1);

/** A week and a day pass: a prune marks what it takes for abandoned, and a later one may sweep. */
async function markAbandoned(lab: Lab): Promise<void> {
  await lab.age(8);
  await lab.prune({ datasetId: 'other-1', graceMs: DAY_MS });
}

const sweep = async (lab: Lab): Promise<unknown> => await lab.prune({ datasetId: 'other-1' });

async function withNeighbour(): Promise<Lab> {
  const lab = await Lab.make();
  await lab.upload(lab.machine('other'), { datasetId: 'other-1' }).result;
  return lab;
}

/** What a sweep of the third protocol does to a folder that no record names: the fence first, whatever lies there. */
function fenceOff(lab: Lab, uploadId: string): void {
  const folder = join(lab.base, 'uploads', uploadId);
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  writeFileSync(join(folder, 'manifest.json.gz'), '{"format":1,"type":"archiver-fence"}\n');
}

const uploadsOf = async (lab: Lab): Promise<readonly string[]> => [
  ...new Set((await lab.keys()).flatMap((key) => (key.startsWith('uploads/') ? [key.split('/')[1] ?? ''] : []))),
];

/** Does something ahead of the first listing of a folder in which the upload has put a chunk. */
function onListOfOwn(work: () => Promise<unknown>): (store: ObjectStore) => ObjectStore {
  const folders = new Set<string>();
  let isDone = false;
  return (store) => ({
    ...store,
    put: async (name, body, options) => {
      if (CHUNK.test(name)) folders.add(`${name.split('/', 2).join('/')}/`);
      return await store.put(name, body, options);
    },
    list: async function* (options) {
      if (!isDone && folders.has(options?.prefix ?? '')) {
        isDone = true;
        await work();
      }
      yield* store.list(options);
    },
  });
}

/** The folder of the upload that is under way. */
const newestUpload = async (lab: Lab): Promise<string> => (await uploadsOf(lab)).toSorted().at(-1) ?? '';

describe('an upload sleeps after its chunks for longer than a prune waits', () => {
  test.each([
    ['upload', {}],
    ['sync', SYNC],
    ['upload that stores equal files once', { dedup: true }],
    ['direct upload', { direct: { requests: 4, thresholdBytes: undefined } }],
  ])('a %s whose chunks were marked and are being swept sends them again', async (_what, options) => {
    const lab = await withNeighbour();
    lab.write('twin', 'content 1');
    const asleep = onListOfOwn(async () => {
      await markAbandoned(lab);
      await sweep(lab);
    });

    const { version } = await lab.upload(lab.machine('one'), { ...options, wrap: asleep }).result;
    await sweep(lab);

    expect(await newest(lab)).toEqual([version, lab.tree()]);
  });

  test('a sweep that has looked and is held before it deletes finds nothing that the version needs', async () => {
    const lab = await withNeighbour();
    let goOn = (): void => undefined;
    const held = new Promise<void>((resolve) => (goOn = resolve));
    let sweeping: Promise<unknown> | undefined;
    const asleep = onListOfOwn(async () => {
      await markAbandoned(lab);
      await new Promise<void>((hasLooked) => {
        const wrap = (store: WholeStore): WholeStore => ({
          ...store,
          delete: async (keys, signal) => {
            hasLooked();
            await held;
            return await store.delete(keys, signal);
          },
        });
        sweeping = lab.prune({ datasetId: 'other-1', wrap });
      });
    });

    const { version } = await lab.upload(lab.machine('one'), { wrap: asleep }).result;
    goOn();
    await sweeping;

    expect(await newest(lab)).toEqual([version, lab.tree()]);
  });

  test('a chunk of an upload of changes that is gone is sent again, and the rest is referred to', async () => {
    const lab = await withNeighbour();
    const one = lab.machine('one');
    await lab.sync(one).result;
    for (let index = 0; index < 3; index++) lab.write(`large-${index}`, noise(2 ** 20));
    const lost = onListOfOwn(async () => {
      const id = await newestUpload(lab);
      const [first = ''] = (await lab.keys()).filter((key) => key.startsWith(`uploads/${id}/`) && CHUNK.test(key));
      rmSync(join(lab.base, first));
    });

    const run = lab.sync(one, { chunkBytes: 2 ** 20, wrap: lost });
    const { version } = await run.result;

    expect(await newest(lab)).toEqual([version, lab.tree()]);
    const puts = run.calls.filter((call) => call.startsWith('put ') && CHUNK.test(call));
    expect(puts.length).toBeGreaterThan(3);
    expect(puts.length).toBeLessThan(6);
  });

  test.each([
    ['may read', (store: ObjectStore) => store],
    ['may only put', putOnly],
  ])('a manifest that meets a fence: a writer that %s goes on under a new id', async (_what, access) => {
    const lab = await withNeighbour();
    const fenced = beforePut(MANIFEST, async () => fenceOff(lab, await newestUpload(lab)));

    const run = lab.upload(lab.machine('one'), { wrap: (store) => access(fenced(store)) });
    const { version, uploadId } = await run.result;

    expect(await newest(lab)).toEqual([version, lab.tree()]);
    expect(run.calls).toContain(`put uploads/${uploadId}/manifest.json.gz`);
    expect((await uploadsOf(lab)).length).toBe(3);
  });

  test('a writer that may only put does not take a fence for its manifest, though the request was repeated', async () => {
    const lab = await withNeighbour();
    const fenced = beforePut(MANIFEST, async () => fenceOff(lab, await newestUpload(lab)));
    let isFirst = true;
    const repeated = (store: ObjectStore): ObjectStore => ({
      ...store,
      put: async (name, body, options) => {
        if (!MANIFEST.test(name) || !isFirst) return await store.put(name, body, options);
        isFirst = false;
        return await store.put(name, body, options).catch(() => Promise.reject(preconditionFailed(true)));
      },
    });

    const { version } = await lab.upload(lab.machine('one'), {
      wrap: (store) => putOnly(repeated(fenced(store))),
    }).result;

    expect(await newest(lab)).toEqual([version, lab.tree()]);
  });
});

describe('an upload sleeps between its manifest and its record', () => {
  test.each([
    ['upload', {}],
    ['sync', SYNC],
  ])('a %s that was swept meanwhile is made again as the next version', async (_what, options) => {
    const lab = await withNeighbour();
    const swept = beforePut(RECORD, async () => {
      await markAbandoned(lab);
      await sweep(lab);
    });

    const run = lab.upload(lab.machine('one'), { ...options, wrap: swept });
    const { version } = await run.result;

    expect(version).toBe(2);
    expect(run.events).toContainEqual({
      type: 'note',
      text: expect.stringMatching(
        /^version 1 of dataset lab-00000001 is not whole: .*: it follows as the next version$/,
      ),
    });
    expect(await newest(lab)).toEqual([2, lab.tree()]); // and every version that is listed restores
  });

  test('one that was tagged meanwhile stays listed, and a warning names it', async () => {
    const lab = await withNeighbour();
    const warnings: string[] = [];
    const swept = beforePut(RECORD, async () => {
      fenceOff(lab, await newestUpload(lab));
      await lab.store.put('datasets/lab-00000001/tags/v00000001.paper.json', Buffer.from('{}'), { ifAbsent: true });
    });

    await lab.upload(lab.machine('one'), { wrap: swept, warn: (text) => warnings.push(text) }).result;

    expect(warnings).toEqual([expect.stringMatching(/^version 1 .* stays listed: it is tagged paper$/)]);
  });

  test('a sync of changes is made again on top of what it was compared with', async () => {
    const lab = await withNeighbour();
    const one = lab.machine('one');
    await lab.sync(one).result;
    lab.write('new');
    lab.remove('file-3');
    const { 'file-3': removed } = lab.tree();
    expect(removed).toBeUndefined();
    const swept = beforePut(RECORD, async () => fenceOff(lab, await newestUpload(lab)));

    const { version, uploadId } = await lab.sync(one, { wrap: swept }).result;

    expect(version).toBe(3);
    const tree = await lab.restored(uploadId);
    expect(Object.keys(tree)).toEqual(expect.arrayContaining(['new', 'file-3']));
  });

  test('what cannot be made whole ends with the name of the version', async () => {
    const lab = await withNeighbour();
    const always = (store: ObjectStore): ObjectStore => ({
      ...store,
      put: async (name, body, options) => {
        if (RECORD.test(name)) fenceOff(lab, await newestUpload(lab));
        return await store.put(name, body, options);
      },
    });

    const failing = lab.upload(lab.machine('one'), { wrap: always }).result;

    await expect(failing).rejects.toThrow(/version 1 of dataset lab-00000001 is not whole/);
  });
});

describe('two processes with one journal', () => {
  /** An upload that was cut off after some chunks, and its home copied. */
  async function cloned(): Promise<{ readonly lab: Lab; readonly one: Machine; readonly two: Machine }> {
    const lab = await Lab.make(0);
    for (let index = 0; index < 12; index++) lab.write(`file-${index}`, noise(2 ** 20));
    const [one, two] = [lab.machine('one'), lab.machine('two')];
    const cut = lab.upload(one, { chunkBytes: 2 ** 20, wrap: failingAfter(4) });
    await expect(cut.result).rejects.toThrow('the wire was cut');
    cpSync(one.home, two.home, { recursive: true });
    return { lab, one, two };
  }

  test('have two ids, and neither deletes what the other has sent', async () => {
    const { lab, one, two } = await cloned();
    const first = await lab.again(one, { chunkBytes: 2 ** 20 });
    const { uploadId, version } = await first.result;

    const failing = (store: ObjectStore): ObjectStore => ({
      ...store,
      put: async (name, body, options) => {
        if (MANIFEST.test(name)) throw new Error('the wire was cut again');
        return await store.put(name, body, options);
      },
    });
    lab.write('more');
    const second = await lab.again(two, { ...SYNC, chunkBytes: 2 ** 20, wrap: failing, cleansUp: true });
    await expect(second.result).rejects.toThrow('the wire was cut again');

    expect(await lab.restored(uploadId)).toMatchObject({ 'file-0': expect.anything() });
    expect((await lab.versions()).size).toBe(1);
    expect(version).toBe(1);
    const own = new Set(second.calls.flatMap((call) => (call.startsWith('put ') ? [call.slice(4)] : [])));
    const deleted = second.calls.flatMap((call) => (call.startsWith('delete ') ? [call.slice(7)] : []));
    expect(deleted.every((key) => own.has(key))).toBe(true);
  });

  test('at once: both become versions, each whole', async () => {
    const { lab, one, two } = await cloned();

    const runs = await Promise.all([one, two].map((machine) => lab.again(machine, { chunkBytes: 2 ** 20 })));
    const results = await Promise.all(runs.map(({ result }) => result));

    expect(new Set(results.map(({ uploadId }) => uploadId)).size).toBe(2);
    for (const tree of (await lab.versions()).values()) expect(tree).toEqual(lab.tree());
    expect((await lab.versions()).size).toBe(2);
  });

  test('of one that was committed since its home was copied, the other one says so', async () => {
    const { lab, one, two } = await cloned();
    await (await lab.again(one, { chunkBytes: 2 ** 20, wrap: answerLost(RECORD) })).result.catch(() => undefined);
    cpSync(one.home, two.home, { recursive: true });
    await (
      await lab.again(one)
    ).result;

    expect(await (await lab.again(two)).result).toMatchObject({ version: 1 });
  });
});

describe('what a failed upload deletes', () => {
  const failing = (store: ObjectStore): ObjectStore => {
    let puts = 0;
    return {
      ...store,
      put: async (name, body, options) => {
        if (CHUNK.test(name) && ++puts > 3) throw new Error('the wire was cut');
        return await store.put(name, body, options);
      },
    };
  };
  const small = { chunkBytes: 2 ** 20, journal: undefined as never };

  async function withChunks(): Promise<Lab> {
    const lab = await Lab.make(0);
    for (let index = 0; index < 8; index++) lab.write(`file-${index}`, noise(2 ** 20));
    return lab;
  }

  test('nothing, where a chunk was there already: equal bytes do not say who put them', async () => {
    const lab = await withChunks();
    // The other one has sent the very same, under the same id: the chunk that is packed first, whichever that is.
    let repeatedKey = '';
    const repeated = (store: ObjectStore): ObjectStore => ({
      ...store,
      put: async (name, body, options) => {
        if (CHUNK.test(name) && repeatedKey === '') {
          repeatedKey = name;
          await store.put(name, body, options);
        }
        return await store.put(name, body, options);
      },
    });

    const run = lab.upload(lab.machine('one'), { ...small, wrap: (store) => failing(repeated(store)) });
    await expect(run.result).rejects.toThrow('the wire was cut');

    expect(run.calls.filter((call) => call.startsWith('delete'))).toEqual([]);
    expect(run.events).toContainEqual({
      type: 'note',
      text: expect.stringContaining(
        `may be left without a manifest (whose ${repeatedKey} is was never answered`,
      ) as string,
    });
  });

  test.each([
    ['a mark', 'sweep-20260101T000000Z-00000000.json'],
    ['a manifest', 'manifest.json.gz'],
    ['something that this process has not put', 'shard-00/chunk-000099.tar.zst'],
  ])('nothing, where %s lies in the folder', async (_what, name) => {
    const lab = await withChunks();
    const beside = beforePut(CHUNK, async (key) => {
      const folder = join(lab.base, key, '..', '..');
      mkdirSync(join(folder, 'shard-00'), { recursive: true });
      writeFileSync(join(folder, name), 'x');
      await Promise.resolve();
    });

    const run = lab.upload(lab.machine('one'), { ...small, wrap: (store) => failing(beside(store)) });
    await expect(run.result).rejects.toThrow('the wire was cut');

    expect(run.calls.filter((call) => call.startsWith('delete'))).toEqual([]);
  });

  test('nothing, where it may not list', async () => {
    const lab = await withChunks();
    const unlisted = (store: ObjectStore): ObjectStore => ({
      ...failing(store),
      list: () => {
        throw accessDenied('s3:ListBucket');
      },
    });

    const run = lab.upload(lab.machine('one'), { ...small, wrap: unlisted });
    await expect(run.result).rejects.toThrow('the wire was cut');

    expect(run.calls.filter((call) => call.startsWith('delete'))).toEqual([]);
  });

  test('what it has put itself, where nothing else lies there', async () => {
    const lab = await withChunks();

    const run = lab.upload(lab.machine('one'), { ...small, wrap: failing });
    await expect(run.result).rejects.toThrow('the wire was cut');

    expect(await lab.keys()).toEqual([]);
  });
});

describe('a scuttle beside an upload that waits', () => {
  test.each([
    ['its manifest', MANIFEST],
    ['its record', RECORD],
  ])('before %s: what is listed in the end restores', async (_what, key) => {
    const lab = await Lab.make();
    const scuttled = beforePut(key, async () => {
      for (const name of await lab.keys()) rmSync(join(lab.base, name));
    });

    const { uploadId } = await lab.upload(lab.machine('one'), { wrap: scuttled }).result;

    expect(await lab.restored(uploadId)).toEqual(lab.tree());
  });
});

describe('two at once', () => {
  const large = (lab: Lab): void => {
    for (let index = 0; index < 2; index++) lab.write(`large-${index}`, noise(2 ** 20));
  };

  test.each([
    ['a first sync', false],
    ['a sync', true],
  ])('%s that another one beat with the same content says what nobody needs, and marks it', async (_what, isLater) => {
    const lab = await Lab.make();
    const [one, two] = [lab.machine('one'), lab.machine('two')];
    if (isLater) await lab.sync(one).result;
    large(lab);
    let beaten = '';
    const rival = beforePut(RECORD, async () => {
      beaten = await newestUpload(lab);
      await lab.sync(two).result;
    });

    const run = lab.sync(one, { wrap: rival });
    const { changes } = await run.result;

    expect(changes).toMatchObject({ noChanges: true });
    const text = expect.stringMatching(
      new RegExp(
        `^\\d+ chunks?, 2\\.\\d MiB, of upload ${beaten} that no version needs: marked, a later prune deletes them$`,
      ),
    );
    expect(run.events).toContainEqual({ type: 'note', text });
    await lab.prune();
    // The fence of the sweep.
    expect((await lab.keys()).filter((key) => key.startsWith(`uploads/${beaten}/`))).toEqual([
      `uploads/${beaten}/manifest.json.gz`,
    ]);
    expect(await newest(lab)).toEqual([isLater ? 2 : 1, lab.tree()]);
  });

  test('what its version refers to is not marked', async () => {
    const lab = await Lab.make();
    const [one, two] = [lab.machine('one'), lab.machine('two')];
    await lab.sync(one).result;
    large(lab);
    const theirs = lab.folder('theirs', { theirs: 'theirs' });
    const rival = beforePut(RECORD, () => lab.sync(two, { source: theirs }).result);

    const run = lab.sync(one, { wrap: rival });
    const { version, uploadId } = await run.result;
    await lab.prune({ keep: { last: 9 } });
    await lab.prune({ keep: { last: 9 } });

    expect(version).toBe(3);
    expect(await lab.restored(uploadId)).toMatchObject({ 'large-0': lab.tree()['large-0'] });
    expect(run.events.some((event) => event.type === 'note' && event.text.includes('no version needs'))).toBe(false);
  });

  test('a writer that may not list says what it could not mark', async () => {
    const lab = await withNeighbour();
    const fenced = beforePut(MANIFEST, async () => fenceOff(lab, await newestUpload(lab)));

    const run = lab.upload(lab.machine('one'), { wrap: (store) => putOnly(fenced(store)) });
    await run.result;

    const text = expect.stringMatching(
      /that no version needs: a prune deletes them when they count as abandoned \(not marked:/,
    );
    expect(run.events).toContainEqual({ type: 'note', text });
  });
});

test('a chunk that is acknowledged and lost is sent again; a store that loses all is named', async () => {
  const lab = await Lab.make();
  let isFirst = true;
  const once = (store: ObjectStore): ObjectStore => ({
    ...store,
    put: async (name, body, options) => {
      if (!CHUNK.test(name) || !isFirst) return await store.put(name, body, options);
      isFirst = false;
      return { etag: 'lost' };
    },
  });

  const { version } = await lab.upload(lab.machine('one'), { wrap: once }).result;
  const losing = lab.upload(lab.machine('two'), { wrap: effectLost(CHUNK) }).result;

  await expect(losing).rejects.toThrow(/the store acknowledged .* but it is not there/);
  expect(await newest(lab)).toEqual([version, lab.tree()]);
});

test('a sync that sleeps behind its record, while a prune makes the version before it complete, is whole', async () => {
  const lab = await Lab.make();
  const machine = lab.machine('one');
  for (const name of ['a', 'b']) {
    lab.write(name, name);
    await lab.sync(machine).result;
  }
  lab.write('c', 'c');
  const pruned = async (): Promise<unknown> => await lab.prune({ keep: { last: 2 }, graceMs: DAY_MS });
  const afterRecord = (store: ObjectStore): ObjectStore => ({
    ...store,
    put: async (name, body, options) => {
      const put = await store.put(name, body, options);
      if (RECORD.test(name)) await pruned();
      return put;
    },
  });

  const { version, uploadId } = await lab.sync(machine, { wrap: afterRecord }).result;

  expect(version).toBe(3);
  expect(await lab.restored(uploadId)).toEqual(lab.tree());
});
