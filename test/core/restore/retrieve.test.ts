import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { StoreError } from '../../../src/core/store/store-error.js';
import type { JobKeeper, Requested } from '../../../src/core/restore/retrieve.js';
import { FrameCache } from '../../../src/core/restore/frame-cache.js';
import { type ColdArchive, makeColdArchive, thawedFor } from '../../support/cold-archive.js';
import { tempFolder } from '../../support/temp-folder.js';

const times = (count: number, storageClass: string): string[] => Array.from({ length: count }, () => storageClass);
const filesIn = (folder: string): string[] => readdirSync(folder).sort();
const statesOf = ({ chunks }: { readonly chunks: Requested['chunks'] }): string[] => chunks.map(({ state }) => state);

/** Notes what is kept, and how many chunks had been asked for by then. */
function keeper(cold: ColdArchive): JobKeeper & { readonly kept: (readonly [string, number, ...string[]])[] } {
  const kept: (readonly [string, number, ...string[]])[] = [];
  const note = (what: string, requested?: Requested): void => {
    const asked = cold.s3.requests.filter(({ operation }) => operation === 'RestoreObject').length;
    kept.push([what, asked, ...(requested === undefined ? [] : statesOf(requested))]);
  };
  return {
    kept,
    save: async (planned) => (note('save', planned), 'rj-00000000'),
    update: async (requested) => note('update', requested),
    drop: async () => note('drop'),
  };
}

describe('what is readable', () => {
  test('is restored with one GET of the manifest and the GETs of its content, and nothing else', async () => {
    const cold = await makeColdArchive(times(3, 'STANDARD'));

    const retrieval = await cold.retrieve();

    expect(retrieval).toMatchObject({ kind: 'restored', result: { files: 3, failed: [] } });
    expect(cold.requests()).toEqual({ GetObject: 4 });
  });

  test('is restored at once when it was thawed before, and nothing is requested', async () => {
    const cold = await makeColdArchive(times(2, 'DEEP_ARCHIVE'));
    cold.chunk(0).restore = thawedFor(1);
    cold.chunk(1).restore = thawedFor(1);

    const retrieval = await cold.retrieve();

    expect(retrieval).toMatchObject({ kind: 'restored', result: { files: 2, failed: [] } });
    expect(cold.requests()).toEqual({ GetObject: 3, HeadObject: 2 });
  });

  test('is not requested when a rule has moved it out of cold storage', async () => {
    const cold = await makeColdArchive(['STANDARD'], ['GLACIER']);

    expect(await cold.retrieve()).toMatchObject({ kind: 'restored', result: { files: 1 } });
    expect(cold.requests()).toEqual({ GetObject: 2, HeadObject: 1 });
  });
});

describe('what is cold', () => {
  test('of one file of a hundred chunks is one chunk, and a second request asks for none', async () => {
    const cold = await makeColdArchive(times(100, 'DEEP_ARCHIVE'));
    const selectors = { files: ['file-42'] };

    const first = await cold.retrieve({ selectors });
    expect(first).toMatchObject({ kind: 'requested', chunks: [{ key: cold.chunkKey(42), state: 'thawing' }] });
    expect(cold.requests()).toEqual({ GetObject: 1, HeadObject: 1, RestoreObject: 1 });

    const second = await cold.retrieve({ selectors });
    expect(second).toMatchObject({ kind: 'requested', readyBy: null, chunks: [{ state: 'thawing' }] });
    expect(cold.requests()).toEqual({ GetObject: 1, HeadObject: 1 });
    expect(existsSync(cold.out)).toBe(false);
  });

  test('is not requested for files that are in place already', async () => {
    const cold = await makeColdArchive(times(2, 'GLACIER'));
    cold.chunk(0).restore = thawedFor(1);
    await cold.retrieve({ selectors: { files: ['file-0'] } });
    cold.requests();

    const retrieval = await cold.retrieve();

    expect(retrieval).toMatchObject({ kind: 'requested', chunks: [{ key: cold.chunkKey(1) }] });
    expect(cold.requests()).toMatchObject({ RestoreObject: 1 });
  });

  test('is not requested when all that is needed of it lies in the cache', async () => {
    const cold = await makeColdArchive(times(2, 'GLACIER'));
    const cache = new FrameCache({ folder: await tempFolder(), limitBytes: 1e9 });
    cold.chunk(0).restore = thawedFor(1);
    await cold.retrieve({ selectors: { files: ['file-0'] }, cache, fillsCache: true });
    delete cold.chunk(0).restore;
    cold.requests();

    const retrieval = await cold.retrieve({ cache, outputDir: `${cold.out}-2` });

    expect(retrieval).toMatchObject({ kind: 'requested', chunks: [{ key: cold.chunkKey(1) }] });
    expect(cold.requests()).toEqual({ GetObject: 1, HeadObject: 1, RestoreObject: 1 });
  });

  test('is told with when it is readable at the latest', async () => {
    const cold = await makeColdArchive(['GLACIER', 'STANDARD', 'DEEP_ARCHIVE']);

    const retrieval = await cold.retrieve({ now: () => new Date('2026-01-01T00:00:00Z') }, { tier: 'bulk' });

    expect(retrieval).toMatchObject({ kind: 'requested', readyBy: new Date('2026-01-03T00:00:00Z') });
    expect(statesOf(retrieval)).toEqual(['thawing', 'readable', 'thawing']);
    expect(cold.requests()).toMatchObject({ RestoreObject: 2, HeadObject: 2 });
  });

  test('is noticed at a GET where a rule moved it after the upload', async () => {
    const cold = await makeColdArchive(['STANDARD', 'GLACIER'], ['STANDARD', 'STANDARD']);

    const retrieval = await cold.retrieve();

    expect(statesOf(retrieval)).toContain('thawing');
    expect(cold.requests()).toMatchObject({ RestoreObject: 1 });
    cold.finishThaws();
    expect(await cold.retrieve()).toMatchObject({ kind: 'restored' });
    expect(filesIn(cold.out)).toEqual(['file-0', 'file-1']);
  });

  test('is named with a next step where the class does not tell that it is archived', async () => {
    const cold = await makeColdArchive(['GLACIER'], ['INTELLIGENT_TIERING']);
    const head = cold.store.head.bind(cold.store);
    const store = {
      ...cold.store,
      head: async (key: string) => {
        const info = await head(key);
        return info === undefined ? undefined : { ...info, storageClass: 'INTELLIGENT_TIERING' };
      },
    };

    const failure = cold.retrieve({ store });

    await expect(failure).rejects.toMatchObject({
      code: 'cold-storage',
      hint: expect.stringContaining(`aws s3api restore-object --bucket cold --key ${cold.chunkKey(0)} `),
    });
    expect(cold.requests()).not.toHaveProperty('RestoreObject');
  });
});

describe('what cannot be requested', () => {
  test('an expedited tier is refused for DEEP_ARCHIVE before any call but that of the manifest', async () => {
    const cold = await makeColdArchive(['GLACIER', 'DEEP_ARCHIVE']);

    await expect(cold.retrieve({}, { tier: 'expedited' })).rejects.toMatchObject({ code: 'usage', exitCode: 2 });
    expect(cold.requests()).toEqual({ GetObject: 1 });
  });

  test('one denied chunk is named, and the others are on their way', async () => {
    const cold = await makeColdArchive(times(3, 'GLACIER'));
    cold.s3.cold.denied.add(cold.chunkKey(1));

    const retrieval = await cold.retrieve({}, { wait: true });

    expect(retrieval.kind).toBe('requested');
    expect(statesOf(retrieval)).toEqual(['thawing', 'denied', 'thawing']);
    expect(retrieval.chunks[1]?.reason).toContain('access denied');
  });

  test('credentials that expire half way stop the asking, and no chunk is called denied', async () => {
    const cold = await makeColdArchive(times(3, 'GLACIER'));
    const thaw = cold.store.thaw.bind(cold.store);
    const store = {
      ...cold.store,
      thaw: async (...args: Parameters<typeof thaw>) => {
        if (args[0] === cold.chunkKey(0)) return await thaw(...args);
        throw new StoreError('credentials', 'the credentials have expired', { reason: 'ExpiredToken' });
      },
    };

    expect(statesOf(await cold.retrieve({ store }))).toEqual(['thawing', 'cold', 'cold']);
  });

  test('every chunk denied is a failure, and no job', async () => {
    const cold = await makeColdArchive(times(2, 'GLACIER'));
    cold.s3.cold.denied.add(cold.chunkKey(0)).add(cold.chunkKey(1));
    const job = keeper(cold);

    const failure = cold.retrieve({ job });

    await expect(failure).rejects.toMatchObject({
      code: 'access-denied',
      message: expect.stringContaining('none of 2'),
    });
    expect(job.kept).toEqual([
      ['save', 0, 'cold', 'cold'],
      ['drop', 2],
    ]);
  });

  test('what may have been asked for stays in the job, although the answer was lost', async () => {
    const cold = await makeColdArchive(times(2, 'GLACIER'));
    const job = keeper(cold);
    const thaw = async (): Promise<'started'> => {
      throw new StoreError('store', 'the connection was cut', { retriable: true });
    };

    await expect(cold.retrieve({ job, store: { ...cold.store, thaw } })).rejects.toThrow('the connection was cut');

    expect(job.kept).toEqual([['save', 0, 'cold', 'cold']]);
  });

  test('a job that cannot be saved ends it before anything is asked for', async () => {
    const cold = await makeColdArchive(['GLACIER']);
    const save = async (): Promise<string> => {
      throw new Error('the disk is full');
    };

    await expect(cold.retrieve({ job: { ...keeper(cold), save } })).rejects.toThrow('the disk is full');

    expect(cold.requests()).not.toHaveProperty('RestoreObject');
  });

  test('no expedited capacity is said at once, with what to do', async () => {
    const cold = await makeColdArchive(['GLACIER']);
    cold.s3.cold.expeditedCapacity = 0;

    await expect(cold.retrieve({}, { tier: 'expedited' })).rejects.toMatchObject({
      message: expect.stringContaining('no expedited retrieval capacity'),
      hint: expect.stringContaining('--tier standard'),
    });
    expect(cold.requests()).toMatchObject({ RestoreObject: 1 });
  });

  test('capacity that ends half way keeps what was asked for and stops asking', async () => {
    const cold = await makeColdArchive(times(40, 'GLACIER'));
    cold.s3.cold.expeditedCapacity = 3;

    const retrieval = await cold.retrieve({}, { tier: 'expedited', wait: true });

    const states = statesOf(retrieval);
    expect(states.filter((state) => state === 'thawing')).toHaveLength(3);
    expect(states.filter((state) => state === 'cold')).toHaveLength(37);
    expect(retrieval.chunks.find(({ state }) => state === 'cold')?.reason).toContain('capacity');
    expect(cold.requests()['RestoreObject']).toBeLessThan(40);
  });

  test('a chunk that is gone fails its files, and the others are restored', async () => {
    const cold = await makeColdArchive(times(2, 'GLACIER'));
    cold.chunk(0).restore = thawedFor(1);
    cold.s3.buckets.get('cold')?.delete(cold.chunkKey(1));

    const retrieval = await cold.retrieve();

    expect(retrieval).toMatchObject({ kind: 'restored', result: { files: 1 } });
    expect(retrieval.result.failed).toMatchObject([{ path: 'file-1' }]);
  });
});

describe('a store without RestoreObject', () => {
  test('is read as it is, and no job is left', async () => {
    const cold = await makeColdArchive(['GLACIER', 'STANDARD', 'DEEP_ARCHIVE']);
    Object.assign(cold.s3.cold, { canRestore: false, isFrozen: false });
    const job = keeper(cold);

    const retrieval = await cold.retrieve({ job });

    expect(retrieval).toMatchObject({ kind: 'restored', result: { files: 3, failed: [] } });
    expect(job.kept.map(([what]) => what)).toEqual(['save', 'drop']);
    expect(filesIn(cold.out)).toEqual(['file-0', 'file-1', 'file-2']);
  });

  test('that refuses the content as cold says so', async () => {
    const cold = await makeColdArchive(['GLACIER']);
    cold.s3.cold.canRestore = false;

    await expect(cold.retrieve()).rejects.toMatchObject({
      code: 'cold-storage',
      message: expect.stringContaining('this store does not support RestoreObject'),
    });
  });
});

describe('the cap', () => {
  test('ends it before anything is asked for or written', async () => {
    const cold = await makeColdArchive(times(2, 'GLACIER'));

    const failure = cold.retrieve({}, { maxCostUsd: 0.00001 });

    await expect(failure).rejects.toMatchObject({ code: 'budget-exceeded', exitCode: 4 });
    expect(cold.requests()).toEqual({ GetObject: 1, HeadObject: 2 });
    expect(existsSync(cold.out)).toBe(false);
  });

  test('is kept at exactly the estimate', async () => {
    const cold = await makeColdArchive(times(2, 'GLACIER'));
    const { estimate } = await cold.retrieve({ dryRun: true });

    expect(await cold.retrieve({}, { maxCostUsd: estimate.costUsd ?? 0 })).toMatchObject({ kind: 'requested' });
  });

  test.each([undefined, 'ap-southeast-3'])('fails closed where a price is not known (%s)', async (region) => {
    const cold = await makeColdArchive(['GLACIER']);

    const failure = cold.retrieve({}, { maxCostUsd: 1_000_000, region });

    await expect(failure).rejects.toMatchObject({
      code: 'budget-exceeded',
      message: expect.stringContaining('not known'),
    });
    expect(cold.requests()).not.toHaveProperty('RestoreObject');
  });

  test('without a cap an unknown price stops nothing', async () => {
    const cold = await makeColdArchive(['GLACIER']);

    expect(await cold.retrieve({}, { region: undefined })).toMatchObject({
      kind: 'requested',
      estimate: { costUsd: null },
    });
  });

  test('a store without prices and nothing to thaw has nothing to cap', async () => {
    const cold = await makeColdArchive(['STANDARD']);

    expect(await cold.retrieve({}, { maxCostUsd: 0, region: undefined })).toMatchObject({ kind: 'restored' });
  });
});

describe('what lifecycle rules moved', () => {
  const moved = async (storageClass: string, archiveTier?: string): Promise<ColdArchive> => {
    const cold = await makeColdArchive(times(12, storageClass), times(12, 'STANDARD'));
    for (let index = 0; index < 12; index++) if (archiveTier !== undefined) cold.chunk(index).archiveTier = archiveTier;
    return cold;
  };
  const CASES = [
    ['DEEP_ARCHIVE', undefined],
    ['GLACIER', undefined],
    ['GLACIER_IR', undefined],
    ['STANDARD_IA', undefined],
    ['INTELLIGENT_TIERING', undefined],
    ['INTELLIGENT_TIERING', 'ARCHIVE_ACCESS'],
    ['INTELLIGENT_TIERING', 'DEEP_ARCHIVE_ACCESS'],
  ] as const;

  test.each(CASES.flatMap((one) => [true, false].map((isAws) => [...one, isAws] as const)))(
    'to %s %s costs the same in the dry run, in the run and for the cap (AWS: %s)',
    async (storageClass, archiveTier, isAws) => {
      const cold = await moved(storageClass, archiveTier);

      const planned = await cold.retrieve({ dryRun: true }, { isAws });
      const run = await cold.retrieve(
        { emit: (event) => void (event.type === 'thaw' && cold.finishThaws()) },
        { isAws, wait: true },
      );

      expect(run).toMatchObject({ kind: 'restored', result: { files: 12, failed: [] } });
      expect(run.estimate).toEqual(planned.estimate);
      const { costUsd } = planned.estimate;
      if (costUsd === null) return;
      const refused = await moved(storageClass, archiveTier);
      const cap = { isAws, maxCostUsd: costUsd / 2 };
      await expect(refused.retrieve({}, cap)).rejects.toMatchObject({ code: 'budget-exceeded' });
      expect(refused.requests()).not.toHaveProperty('RestoreObject');
      expect(existsSync(refused.out)).toBe(false);
    },
  );

  test('fees of a class that is read at once are under the cap', async () => {
    const [instant, standard] = [await moved('GLACIER_IR'), await moved('STANDARD')];
    const costOf = async (cold: ColdArchive): Promise<number> =>
      (await cold.retrieve({ dryRun: true })).estimate.costUsd ?? 0;

    expect(await costOf(instant)).toBeGreaterThan(await costOf(standard));
    await expect(instant.retrieve({}, { maxCostUsd: await costOf(standard) })).rejects.toThrow('this would cost');
  });

  test('to an archive tier comes back for good, in the time of that tier', async () => {
    const cold = await moved('INTELLIGENT_TIERING', 'DEEP_ARCHIVE_ACCESS');

    const planned = await cold.retrieve({ dryRun: true });
    expect(planned).toMatchObject({ kind: 'planned', tiers: [{ tier: 'standard' }, { tier: 'bulk' }] });
    expect(planned.estimate.lines.find(({ item }) => item === 'temporaryCopy')).toMatchObject({ quantity: 0 });
    expect(planned.chunks.every(({ state }) => state === 'cold')).toBe(true);
  });
});

describe('what is cached', () => {
  test('is left out of every figure', async () => {
    const cold = await makeColdArchive(times(3, 'STANDARD'));
    const cache = new FrameCache({ folder: await tempFolder(), limitBytes: 1e9 });
    const whole = await cold.retrieve({ dryRun: true, cache });
    await cold.retrieve({ selectors: { files: ['file-0', 'file-1'] }, cache, fillsCache: true });

    const planned = await cold.retrieve({ dryRun: true, cache });
    const run = await cold.retrieve({ cache, outputDir: `${cold.out}-2` });

    expect(whole.result).toMatchObject({ chunks: 3, ranges: 3 });
    expect(planned.result).toMatchObject({ chunks: 1, ranges: 1, bytesFetched: run.result.bytesFetched });
    expect(run.result).toMatchObject({ chunks: 1, ranges: 1 });
    expect(run.estimate).toEqual(planned.estimate);
  });
});

describe('a dry run', () => {
  test('names cost and time of each tier that all chunks get, and only reads', async () => {
    const cold = await makeColdArchive(['GLACIER', 'DEEP_ARCHIVE', 'GLACIER']);
    cold.chunk(2).restore = thawedFor(1);

    const retrieval = await cold.retrieve({ dryRun: true, now: () => new Date('2026-01-01T00:00:00Z') });

    expect(retrieval).toMatchObject({
      kind: 'planned',
      tiers: [
        { tier: 'standard', readyBy: new Date('2026-01-01T12:00:00Z') },
        { tier: 'bulk', readyBy: new Date('2026-01-03T00:00:00Z') },
      ],
    });
    expect(statesOf(retrieval)).toEqual(['cold', 'cold', 'readable']);
    expect(cold.requests()).toEqual({ GetObject: 1, HeadObject: 3 });
    expect(existsSync(cold.out)).toBe(false);
  });
});

describe('waiting', () => {
  test('polls what is not readable yet, then restores all of it', async () => {
    const cold = await makeColdArchive(['GLACIER', 'STANDARD', 'GLACIER']);
    const job = keeper(cold);
    let looks = 0;

    const retrieval = await cold.retrieve(
      {
        job,
        emit: (event) => {
          cold.events.push(event);
          if (event.type === 'thaw' && ++looks === 3) cold.finishThaws();
        },
      },
      { wait: true },
    );

    expect(retrieval).toMatchObject({ kind: 'restored', result: { files: 3, failed: [] } });
    expect(job.kept).toEqual([
      ['save', 0, 'cold', 'readable', 'cold'],
      ['update', 2, 'thawing', 'readable', 'thawing'],
    ]);
    expect(cold.requests()).toMatchObject({ RestoreObject: 2, HeadObject: 2 + 3 * 2 + 2 });
    const thaws = cold.events.filter(({ type }) => type === 'thaw');
    expect(thaws[0]).toMatchObject({
      files: 3,
      storageClasses: ['GLACIER'],
      tier: 'standard',
      wait: '3-5 h',
      chunks: ['thawing', 'readable', 'thawing'],
      jobId: 'rj-00000000',
    });
    expect(cold.events.filter(({ type }) => type === 'start')).toHaveLength(1);
    expect(filesIn(cold.out)).toEqual(['file-0', 'file-1', 'file-2']);
  });

  test('ends at Ctrl+C with what was asked for named by its job', async () => {
    const cold = await makeColdArchive(['GLACIER']);
    const controller = new AbortController();

    const waiting = cold.retrieve(
      { signal: controller.signal, emit: (event) => void (event.type === 'thaw' && controller.abort()) },
      { wait: true, pollMs: 60_000 },
    );

    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' });
  });

  test('never asks twice for a chunk whose copy is gone again', async () => {
    const cold = await makeColdArchive(['GLACIER']);

    const waiting = cold.retrieve(
      {
        emit: (event) => {
          if (event.type === 'thaw') cold.chunk(0).restore = thawedFor(-1);
        },
      },
      { wait: true },
    );

    await expect(waiting).rejects.toMatchObject({ code: 'cold-storage', message: expect.stringContaining('expired') });
    expect(cold.requests()).toMatchObject({ RestoreObject: 1 });
  });

  test('copies that expire between the look and the GET are told, and nothing is paid twice', async () => {
    const cold = await makeColdArchive(['GLACIER']);
    const get = cold.store.get.bind(cold.store);
    const store = {
      ...cold.store,
      get: (...args: Parameters<typeof get>) => {
        if (args[0] === cold.chunkKey(0)) delete cold.chunk(0).restore;
        return get(...args);
      },
    };

    const waiting = cold.retrieve(
      { store, emit: (event) => void (event.type === 'thaw' && cold.finishThaws()) },
      { wait: true },
    );

    await expect(waiting).rejects.toMatchObject({ code: 'cold-storage' });
    expect(cold.requests()).toMatchObject({ RestoreObject: 1 });
  });

  test('goes on when the store cannot be reached for a while', async () => {
    const cold = await makeColdArchive(['GLACIER']);
    const head = cold.store.head.bind(cold.store);
    let heads = 0;
    const store = {
      ...cold.store,
      head: async (key: string) => {
        if (++heads === 2) throw new StoreError('store', 'the network is down', { retriable: true });
        return await head(key);
      },
    };

    const retrieval = await cold.retrieve(
      {
        store,
        emit: (event) => {
          cold.events.push(event);
          if (event.type === 'note') cold.finishThaws();
        },
      },
      { wait: true },
    );

    expect(retrieval.kind).toBe('restored');
    expect(cold.events).toContainEqual({ type: 'note', text: expect.stringContaining('the network is down') });
  });
});

test('an output folder that was there stays as it was when something is requested', async () => {
  const cold = await makeColdArchive(['GLACIER']);
  mkdirSync(cold.out);
  writeFileSync(join(cold.out, 'mine'), '');

  await cold.retrieve();

  expect(filesIn(cold.out)).toEqual(['mine']);
});

test('an output folder that was made for nothing and is used by another by then stays', async () => {
  const cold = await makeColdArchive(['GLACIER']);

  const retrieval = await cold.retrieve({
    store: {
      ...cold.store,
      head: async (key, signal) => {
        // Between the making of the folder and its removal: the file of somebody else.
        writeFileSync(join(cold.out, 'theirs'), '');
        return await cold.store.head(key, signal);
      },
    },
  });

  expect(retrieval.kind).toBe('requested');
  expect(filesIn(cold.out)).toEqual(['theirs']);
});
