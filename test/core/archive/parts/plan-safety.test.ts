// Plans, workers and commits while others prune, commit the same plan, or are stopped at the worst moment (rules.md#part-results,
// rules.md#one-commit, rules.md#plan-folders, rules.md#plain-commits).
import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ArchiverError } from '../../../../src/core/platform/failures/errors.js';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectStore, WholeStore } from '../../../../src/core/store/object-store.js';
import { plainStore } from '../../../../src/core/store/plain-store.js';
import { listVersions, readVersions } from '../../../../src/core/dataset/records/versions.js';
import { beforePut } from '../../protocol/site.js';
import { DAY, pruneFolder, type PruneRunOptions } from '../../dataset/prune/prune-run.js';
import { expectWhole } from '../resume/interrupted.js';
import { uploadFolder, type UploadRunOptions } from '../upload-folder.js';
import { committed, planned, planSite, worked, type PlanSite } from './plan-runs.js';

const RESULT = /\/parts\/\d{6}\./;
const HEAD = /\/manifest\.json\.gz$/;
const RECORD = /^datasets\/d\/v\d+/;
const MARK = /\/sweep-/;

afterEach(() => {
  vi.restoreAllMocks();
});

let ids = 0;
/** A single upload of the folder. */
const uploaded = async ({ source, base }: PlanSite, options: UploadRunOptions = {}): Promise<string> =>
  (
    await uploadFolder(source, base, {
      datasetId: 'd',
      randomBytes: () => Buffer.from([7, 0, ++ids >> 8, ids & 0xff]),
      ...options,
    }).result
  ).uploadId;

/** A folder that is version 1 of its dataset by an upload, and the same folder as a plan of two parts. */
async function planOfTwo(): Promise<{ readonly site: PlanSite; readonly plan: string }> {
  const site = await planSite();
  for (const folder of ['a', 'b']) {
    mkdirSync(join(site.source, folder));
    for (let n = 0; n < 6; n++) writeFileSync(join(site.source, folder, `${n}`), `${folder}${n}`.repeat(500));
  }
  await uploaded(site);
  const { uploadId } = await planned(site, { count: 2 });
  return { site, plan: uploadId };
}

async function readyPlan() {
  const made = await planOfTwo();
  const [first, second] = [await worked(made.site, made.plan, 0), await worked(made.site, made.plan, 1)];
  return { ...made, w0: first.attempt, w1: second.attempt };
}

type Wrap = (store: WholeStore) => ObjectStore;
const through = (site: PlanSite, wrap: Wrap): PlanSite => ({ ...site, wrap });
const killed = async (): Promise<never> => await Promise.reject(new Error('killed'));

async function keysOf({ base }: PlanSite): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const { objects } of fileStore(base).list()) keys.push(...objects.map(({ key }) => key));
  return keys;
}
const keysIn = async (site: PlanSite, id: string): Promise<readonly string[]> =>
  (await keysOf(site))
    .filter((key) => key.startsWith(`uploads/${id}/`))
    .map((key) => key.slice(`uploads/${id}/`.length));

const versionsOf = async ({ base }: PlanSite): Promise<readonly string[]> =>
  (await readVersions(fileStore(base), await listVersions(fileStore(base), 'd'))).map((found) =>
    'record' in found ? `${found.record.version} ${found.record.uploadId}` : 'broken',
  );
const versionsOfPlan = async (site: PlanSite, plan: string): Promise<number> =>
  (await versionsOf(site)).filter((one) => one.endsWith(plan)).length;

/** Everything in the store is so many days older. */
async function age(site: PlanSite, days: number): Promise<void> {
  for (const key of await keysOf(site)) {
    const object = await fileStore(site.base).head(key);
    const moment = new Date((object?.lastModified.getTime() ?? 0) - days * DAY);
    utimesSync(join(site.base, key), moment, moment);
  }
}

const pruned = async ({ base }: PlanSite, options: PruneRunOptions = {}) =>
  await pruneFolder(base, { datasetId: 'd', keep: { last: 9 }, graceMs: DAY, ...options });

/** A week without a write; a prune marks; two days; a prune sweeps. */
async function abandonedAndSwept(site: PlanSite, options: PruneRunOptions = {}): Promise<void> {
  await age(site, 8);
  await pruned(site);
  await age(site, 2);
  await pruned(site, options);
}

/** Removes a chunk of an attempt. */
async function loseChunk(site: PlanSite, attempt: string): Promise<void> {
  const chunk = (await keysIn(site, attempt)).find((name) => name.startsWith('shard-')) ?? '';
  rmSync(join(site.base, 'uploads', attempt, chunk));
}

const fenceIn = async (site: PlanSite, id: string): Promise<boolean> =>
  (await fileStore(site.base).head(`uploads/${id}/manifest.json.gz`))?.sizeBytes === 113;

describe('an attempt', () => {
  test('that was beaten is swept while the plan goes on: no fence lies below the plan', async () => {
    const { site, plan } = await planOfTwo();
    const outer = worked(
      through(
        site,
        beforePut(RESULT, async () => await worked(site, plan, 0)),
      ),
      plan,
      0,
    );
    const { outcome, attempt } = await outer;
    const [beaten = ''] = readdirSync(join(site.base, 'uploads')).filter(
      (id) => id !== attempt && readdirSync(join(site.base, 'uploads', id)).some((name) => MARK.test(`/${name}`)),
    );
    await age(site, 2);
    await pruned(site);

    expect(outcome).toBe('beaten');
    expect(await keysIn(site, beaten)).toEqual([]);
    expect(await fenceIn(site, plan)).toBe(false);
    await worked(site, plan, 1);
    expect(await committed(site, plan)).toMatchObject({ version: 2 });
    await expectWhole(site as never, plan);
  });

  test('whose part has a result that is not whole does it again, under its own key', async () => {
    const { site, plan, w0 } = await readyPlan();
    await loseChunk(site, w0);

    expect(await committed(site, plan)).toMatchObject({ missing: [0] });
    const again = await worked(site, plan, 0);

    expect(again.outcome).toBe('stored');
    expect(await keysIn(site, plan)).toContain(`parts/000000.${again.attempt}.json`);
    expect(await committed(site, plan)).toMatchObject({ version: 2 });
    await expectWhole(site as never, plan);
  });

  test('that was beaten by a result that is not whole any more puts its own', async () => {
    const { site, plan } = await planOfTwo();
    const rival = async (): Promise<void> => {
      const { attempt } = await worked(site, plan, 0);
      await loseChunk(site, attempt);
    };

    const made = await worked(through(site, beforePut(RESULT, rival)), plan, 0);

    expect(made.outcome).toBe('stored');
    expect((await keysIn(site, made.attempt)).filter((name) => MARK.test(`/${name}`))).toEqual([]);
    await worked(site, plan, 1);
    expect(await committed(site, plan)).toMatchObject({ version: 2 });
    await expectWhole(site as never, plan);
  });

  test.each(['412', 'SIGTERM'])(
    'whose result is there and whose answer was lost marks and deletes nothing (%s)',
    async (end) => {
      const { site, plan } = await planOfTwo();
      const stop = new AbortController();
      let before: readonly string[] = [];
      const lost: Wrap = (store) => ({
        ...store,
        put: async (key, body, options) => {
          const put = await store.put(key, body, options);
          if (!RESULT.test(key)) return put;
          before = await keysOf(site);
          if (end === '412') throw new ArchiverError('conflict', 'there is one');
          stop.abort(new ArchiverError('cancelled', 'SIGTERM'));
          throw new ArchiverError('cancelled', 'SIGTERM');
        },
      });

      const ended = await worked(through(site, lost), plan, 0, { stop: stop.signal }).catch((error: unknown) => error);

      expect(ended).toMatchObject(end === '412' ? { outcome: 'stored' } : { code: 'cancelled' });
      expect(await keysOf(site)).toEqual(before);
    },
  );

  test('of which a chunk was lost after it was acknowledged has no result', async () => {
    const { site, plan } = await planOfTwo();
    const lose = async (name: string): Promise<void> => await loseChunk(site, name.split('/')[1] ?? '');

    await expect(worked(through(site, beforePut(/\/manifest\/\d{6}-/, lose)), plan, 0)).rejects.toMatchObject({
      code: 'stalled',
    });

    expect((await keysIn(site, plan)).filter((name) => name.startsWith('parts/'))).toEqual([]);
  });

  test('at a plan that was swept is told so', async () => {
    const { site, plan } = await planOfTwo();
    await fileStore(site.base).put(`uploads/${plan}/manifest.json.gz`, Buffer.from('x'.repeat(113)));

    await expect(worked(site, plan, 0)).rejects.toThrow(/taken the plan .* for abandoned; nothing was sent/);
  });
});

describe('a prune', () => {
  test('marks nothing of a plan of which anybody has written within the week', async () => {
    const { site, plan } = await planOfTwo();
    await worked(site, plan, 0);
    await age(site, 8);
    const during = async (): Promise<void> => void (await pruned(site));

    await worked(through(site, beforePut(/\/shard-/, during)), plan, 1);

    expect((await keysOf(site)).filter((key) => MARK.test(key))).toEqual([]);
    expect(await committed(site, plan)).toMatchObject({ version: 2 });
  });

  test('takes all of a plan that was left for a week, and nothing but the fence stays', async () => {
    const { site, plan, w0, w1 } = await readyPlan();

    await abandonedAndSwept(site);

    expect(await keysIn(site, plan)).toEqual(['manifest.json.gz']);
    expect(await fenceIn(site, plan)).toBe(true);
    expect([...(await keysIn(site, w0)), ...(await keysIn(site, w1))]).toEqual([]);
  });

  test('of another dataset leaves it alone', async () => {
    const { site, plan } = await readyPlan();
    await uploaded(site, { datasetId: 'other' });
    const before = (await keysOf(site)).filter((key) => key.startsWith('uploads/'));

    await age(site, 8);
    await pruned(site, { datasetId: 'other' });

    expect((await keysOf(site)).filter((key) => key.startsWith('uploads/'))).toEqual(before);
    expect(await committed(site, plan)).toMatchObject({ version: 2 });
  });

  test('takes what a commit that was killed after its record has left', async () => {
    const { site, plan } = await planOfTwo();
    await expect(worked(through(site, beforePut(RESULT, killed)), plan, 0)).rejects.toThrow('killed');
    const [loser = ''] = (await keysOf(site)).flatMap((key) =>
      key.endsWith('/attempt.json') ? [key.split('/')[1]] : [],
    );
    await worked(site, plan, 0);
    await worked(site, plan, 1);
    await committed(
      through(
        site,
        beforePut(MARK, async () => await Promise.reject(new ArchiverError('denied' as never, 'no mark'))),
      ),
      plan,
    );

    await abandonedAndSwept(site);

    expect(await keysIn(site, loser)).toEqual([]);
    expect((await keysIn(site, plan)).filter((name) => /^plan|^parts/.test(name))).toEqual([]);
    expect(await fenceIn(site, plan)).toBe(false);
    await expectWhole(site as never, plan);
  });

  test('that retires the version of a plan keeps what a later one has of it, and takes the rest', async () => {
    const { site, plan, w0, w1 } = await readyPlan();
    await committed(site, plan);
    for (let n = 0; n < 6; n++) rmSync(join(site.source, 'b', `${n}`));
    const uploadId = await uploaded(site, { changes: { trackDeletes: true }, allowMassDelete: true });

    await pruned(site, { keep: { last: 1 } });
    await age(site, 2);
    await pruned(site, { keep: { last: 1 } });

    expect((await keysIn(site, w0)).some((name) => name.startsWith('shard-'))).toBe(true);
    expect((await keysIn(site, w1)).filter((name) => name.startsWith('shard-'))).toEqual([]);
    await expectWhole(site as never, uploadId);
  });
});

describe('a commit', () => {
  test('that sleeps before its head while the plan is swept makes no version', async () => {
    const { site, plan } = await readyPlan();
    const sleep = async (): Promise<void> => await abandonedAndSwept(site);

    await expect(committed(through(site, beforePut(HEAD, sleep)), plan)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('for abandoned: it cannot be committed'),
    });

    expect(await versionsOfPlan(site, plan)).toBe(0);
    expect(await fenceIn(site, plan)).toBe(true);
  });

  test('that sleeps before its record while the plan is swept reports none', async () => {
    const { site, plan } = await readyPlan();
    const sleep = async (): Promise<void> => await abandonedAndSwept(site);

    await expect(committed(through(site, beforePut(RECORD, sleep)), plan)).rejects.toThrow(/version 2 .* is not whole/);
    await expect(committed(site, plan)).rejects.toMatchObject({ exitCode: 1 });
  });

  test('whose record comes right after the fence of a sweep gets its head back, and nothing goes', async () => {
    const { site, plan, w0 } = await readyPlan();
    let record: readonly [string, Uint8Array] | undefined;
    const stopped: Wrap = (store) => ({
      ...store,
      put: async (key, body, options) => {
        if (!RECORD.test(key)) return await store.put(key, body, options);
        record = [key, body];
        return await killed();
      },
    });
    await expect(committed(through(site, stopped), plan)).rejects.toThrow('killed');
    const before = await keysIn(site, w0);
    const arrives: PruneRunOptions['wrap'] = (store) => ({
      ...store,
      put: async (key, body, options) => {
        const put = await store.put(key, body, options);
        if (body.length === 113) await store.put(...(record as readonly [string, Uint8Array]));
        return put;
      },
    });

    await abandonedAndSwept(site, { wrap: arrives });

    expect(await keysIn(site, w0)).toEqual(expect.arrayContaining(before as string[]));
    await expectWhole(site as never, plan);
  });

  test('that sleeps for more than an hour looks again before its record', async () => {
    const { site, plan, w0 } = await readyPlan();
    const sleep = async (): Promise<void> => {
      await loseChunk(site, w0);
      const now = Date.now();
      vi.spyOn(Date, 'now').mockReturnValue(now + DAY / 12);
    };

    await expect(committed(through(site, beforePut(HEAD, sleep)), plan)).rejects.toThrow(/given up meanwhile/);

    expect(await versionsOfPlan(site, plan)).toBe(0);
  });

  test('goes on with the head of one that was killed', async () => {
    const { site, plan } = await readyPlan();
    await expect(committed(through(site, beforePut(RECORD, killed)), plan)).rejects.toThrow('killed');

    expect(await committed(site, plan)).toMatchObject({ version: 2, isAlready: false });

    expect(await versionsOfPlan(site, plan)).toBe(1);
    await expectWhole(site as never, plan);
  });

  test('that has chosen another attempt goes on with the head that is there, and marks nothing of it', async () => {
    const { site, plan, w0 } = await readyPlan();
    let w4 = '';
    const rival = async (): Promise<void> => {
      await loseChunk(site, w0);
      w4 = (await worked(site, plan, 0)).attempt;
      await expect(committed(through(site, beforePut(RECORD, killed)), plan)).rejects.toThrow('killed');
    };

    const made = await committed(through(site, beforePut(HEAD, rival)), plan);

    expect(made).toMatchObject({ version: 2, isAlready: false });
    expect((await keysIn(site, w4)).filter((name) => MARK.test(`/${name}`))).toEqual([]);
    expect((await keysIn(site, w0)).filter((name) => MARK.test(`/${name}`))).toHaveLength(1);
    await expectWhole(site as never, plan);
  });

  test.each([false, true])(
    'and another at once make one version (another writer comes between: %s)',
    async (isBetween) => {
      const { site, plan } = await readyPlan();
      const rival = async (): Promise<void> => {
        if (isBetween) await uploaded(site);
        await committed(site, plan);
      };

      const made = await committed(through(site, beforePut(RECORD, rival)), plan);

      expect(made).toMatchObject({ version: isBetween ? 3 : 2 });
      expect(await versionsOfPlan(site, plan)).toBe(1);
    },
  );

  test('of a plan whose version was retired says so', async () => {
    const { site, plan } = await readyPlan();
    await committed(site, plan);
    await uploaded(site);
    await pruned(site, { keep: { last: 1 } });

    await expect(committed(site, plan)).rejects.toThrow(/was version 2 of dataset d, which was retired/);
    expect(await versionsOf(site)).toHaveLength(1);
  });

  test('of a plan whose version has lost something says which version is not whole', async () => {
    const { site, plan, w1 } = await readyPlan();
    await committed(site, plan);
    await loseChunk(site, w1);

    await expect(committed(site, plan)).rejects.toThrow(/version 2 of dataset d is not whole: .* is gone/);
  });
});

describe('on a store that creates no key only once', () => {
  const plain: Wrap = (store) => plainStore(store, { isExclusive: false });
  const alone: Wrap = (store) => plainStore(store, { isExclusive: true });

  test('a commit is for who says that nobody else commits', async () => {
    const { site, plan } = await planOfTwo();
    for (const part of [0, 1]) await worked(through(site, plain), plan, part);

    await expect(committed(through(site, plain), plan)).rejects.toMatchObject({ code: 'plain-store', exitCode: 4 });

    expect(await committed(through(site, alone), plan)).toMatchObject({ version: 2 });
    expect(await committed(through(site, plain), plan)).toMatchObject({ version: 2, isAlready: true });
    await expectWhole(site as never, plan);
  });

  test('attempts that have a result are never marked, by themselves or by a commit; others are', async () => {
    const { site, plan } = await planOfTwo();
    const rival = async (): Promise<void> => void (await worked(through(site, plain), plan, 0));
    await worked(
      through(site, (store) => plain(beforePut(RESULT, rival)(store))),
      plan,
      0,
    );
    await expect(worked(through(site, beforePut(RESULT, killed)), plan, 1)).rejects.toThrow('killed');
    await worked(through(site, plain), plan, 1);

    await committed(through(site, alone), plan);

    const marked = (await keysOf(site)).filter((key) => MARK.test(key)).map((key) => key.split('/')[1] ?? '');
    const names = await keysIn(site, plan);
    expect(marked).toHaveLength(1);
    expect(names.filter((name) => marked.some((id) => name.includes(id)))).toEqual([]);
    expect(names.filter((name) => name.startsWith('parts/'))).toHaveLength(3);
    await expectWhole(site as never, plan);
  });

  test('a sweep beside a commit that slept leaves a version that is refused, or none', async () => {
    const { site, plan } = await readyPlan();
    const sleep = async (): Promise<void> => await abandonedAndSwept(site, { wrap: alone });

    await expect(
      committed(
        through(site, (store) => alone(beforePut(RECORD, sleep)(store))),
        plan,
      ),
    ).rejects.toThrow(/version 2 .* is not whole/);
    await expect(pruned(site, { keep: { last: 1 }, wrap: alone })).rejects.toThrow(/is being swept/);
  });
});
