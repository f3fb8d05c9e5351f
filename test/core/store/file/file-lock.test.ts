// Conditional puts on a file system that has no hard links, and where calls may take any time.
import { link, mkdir, readdir, rename, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import type { ObjectStore } from '../../../../src/core/store/object-store.js';
import { readAll } from '../../../../src/core/store/read-content.js';
import { withRetry } from '../../../../src/core/store/retry/retry.js';
import { failure } from '../../../support/broken-s3.js';
import { FAST_RETRY } from '../../../support/open-s3.js';
import { tempFolder } from '../../../support/temp-folder.js';

const text = (value: string): Buffer => Buffer.from(value);
const noLink: typeof link = () => Promise.reject(Object.assign(new Error('no links here'), { code: 'EPERM' }));
const read = async (store: ObjectStore, key: string): Promise<string> =>
  (await readAll(await store.get(key), 100)).toString();
const everyName = async (folder: string): Promise<string[]> => (await readdir(folder, { recursive: true })).toSorted();
const YEAR_MS = 365 * 86_400_000;

function gate() {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((open) => {
    resolve = open;
  });
  return { promise, resolve: () => resolve() };
}

/** A store without links whose process sleeps just before the rename to `key`. */
function sleeper(folder: string, key: string) {
  const asleep = gate();
  const awake = gate();
  const store = fileStore(folder, {
    link: noLink,
    rename: async (from, to) => {
      if (to === join(folder, key)) {
        asleep.resolve();
        await awake.promise;
      }
      await rename(from, to);
    },
  });
  return { store, asleep: asleep.promise, wake: () => awake.resolve() };
}

/** Makes everything in the folder look untouched for two minutes by the file system's clock. */
async function age(folder: string): Promise<void> {
  const past = new Date(Date.now() - 120_000);
  for (const name of await everyName(folder)) await utimes(join(folder, name), past, past);
}

afterEach(() => void vi.useRealTimers());

describe('conditional puts without hard links', () => {
  it('let one of many rivals win and tell the others, when every rename is slow', async () => {
    const folder = await tempFolder();
    const slow: typeof rename = async (from, to) => {
      await sleep(Math.random() * 30);
      await rename(from, to);
      await sleep(Math.random() * 30);
    };
    const rivals = Array.from({ length: 16 }, (_, index) => `rival ${index}`);

    const outcomes = await Promise.allSettled(
      rivals.map((rival) =>
        fileStore(folder, { link: noLink, rename: slow }).put('k', text(rival), { ifAbsent: true }),
      ),
    );

    const winners = rivals.filter((_, index) => outcomes[index]?.status === 'fulfilled');
    const codes = outcomes.flatMap((outcome) =>
      outcome.status === 'rejected' ? [(outcome.reason as { code: string }).code] : [],
    );
    expect(winners).toHaveLength(1);
    expect(new Set(codes)).toEqual(new Set(['conflict']));
    expect(await read(fileStore(folder), 'k')).toBe(winners[0]);
    expect(await everyName(folder)).toEqual(['k']);
  });

  it('a writer who slept through the take-over of his lock does not win when he wakes up', async () => {
    const folder = await tempFolder();
    const late = sleeper(folder, 'k');
    const lost = failure(late.store.put('k', text('late'), { ifAbsent: true }));
    await late.asleep;
    await age(folder);

    await fileStore(folder, { link: noLink }).put('k', text('mine'), { ifAbsent: true });
    late.wake();

    expect(await lost).toMatchObject({ code: 'conflict' });
    expect(await read(late.store, 'k')).toBe('mine');
    expect(await everyName(folder)).toEqual(['k']);
  });

  it('the same where both replace one state of the file', async () => {
    const folder = await tempFolder();
    const { etag } = await fileStore(folder).put('k', text('old'));
    const late = sleeper(folder, 'k');
    const lost = failure(late.store.put('k', text('late'), { ifMatch: etag }));
    await late.asleep;
    const past = new Date(Date.now() - 120_000);
    for (const name of await everyName(folder)) if (name.includes('tmp-')) await utimes(join(folder, name), past, past);

    await fileStore(folder).put('k', text('mine'), { ifMatch: etag });
    late.wake();

    expect(await lost).toMatchObject({ code: 'conflict' });
    expect(await read(late.store, 'k')).toBe('mine');
    expect(await everyName(folder)).toEqual(['k']);
  });

  it('a writer who was taken over by one who wrote nothing is told, and writes when he tries again', async () => {
    const folder = await tempFolder();
    const late = sleeper(folder, 'k');
    const written = withRetry(late.store, {
      maxAttempts: 3,
      maxTotalMs: 60_000,
      firstContactMs: 60_000,
      ...FAST_RETRY,
    }).put('k', text('late'), {
      ifAbsent: true,
    });
    await late.asleep;
    const names = await everyName(folder);
    const token = names.find((name) => /lock-[0-9a-f]+\/.*tmp-[0-9a-f]+$/.test(name)) ?? 'no token';
    await rename(join(folder, token), join(folder, '.archiver~tmp-aside'));
    late.wake();

    await written;

    expect(await read(late.store, 'k')).toBe('late');
  });

  it('no clock of ours decides: a lock that is held is left alone by a computer a year ahead', async () => {
    const folder = await tempFolder();
    const first = sleeper(folder, 'k');
    const won = first.store.put('k', text('first'), { ifAbsent: true });
    await first.asleep;

    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + YEAR_MS });
    const rival = fileStore(folder, { link: noLink });
    const signal = AbortSignal.timeout(600);
    const told = await failure(rival.put('k', text('rival'), { ifAbsent: true, signal }));
    first.wake();

    expect(told).toMatchObject({ code: 'cancelled' });
    await won;
    expect(await read(rival, 'k')).toBe('first');
    expect(await everyName(folder)).toEqual(['k']);
  });

  it('and a lock that is old is taken over by a computer a year behind', async () => {
    const folder = await tempFolder();
    const dead = sleeper(folder, 'k');
    void dead.store.put('k', text('dead'), { ifAbsent: true }).catch(() => undefined);
    await dead.asleep;
    await age(folder);

    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - YEAR_MS });
    const rival = fileStore(folder, { link: noLink });
    await rival.put('k', text('rival'), { ifAbsent: true });

    expect(await read(rival, 'k')).toBe('rival');
  });

  it('a lock with a stamp from the future is taken over when its token has not changed for seconds', async () => {
    const folder = await tempFolder();
    const dead = sleeper(folder, 'k');
    void dead.store.put('k', text('dead'), { ifAbsent: true }).catch(() => undefined);
    await dead.asleep;
    const future = new Date(Date.now() + YEAR_MS);
    for (const name of await everyName(folder)) await utimes(join(folder, name), future, future);

    vi.useFakeTimers({ toFake: ['performance'] });
    let tries = 0;
    const counted: typeof rename = async (from, to) => {
      tries++;
      await rename(from, to);
    };
    const rival = fileStore(folder, { link: noLink, rename: counted });
    const won = rival.put('k', text('rival'), { ifAbsent: true });
    await expect.poll(() => tries).toBeGreaterThan(5);
    expect(await rival.head('k')).toBeUndefined();
    vi.advanceTimersByTime(61_000);
    await won;

    expect(await read(rival, 'k')).toBe('rival');
  });

  it('wait for the lock where the file system only says that it may not be replaced', async () => {
    const folder = await tempFolder();
    const first = sleeper(folder, 'k');
    const won = first.store.put('k', text('first'), { ifAbsent: true });
    await first.asleep;
    let denials = 0;
    const denied: typeof rename = async (from, to) => {
      await rename(from, to).catch((error: unknown) => {
        denials++;
        throw Object.assign(new Error('denied', { cause: error }), { code: 'EACCES' });
      });
    };

    const told = failure(fileStore(folder, { link: noLink, rename: denied }).put('k', text('x'), { ifAbsent: true }));
    await expect.poll(() => denials).toBeGreaterThan(1);
    first.wake();
    await won;

    expect(await told).toMatchObject({ code: 'conflict' });
  });

  it('clear a lock that somebody was killed in after he had placed his file', async () => {
    const folder = await tempFolder();
    const late = sleeper(folder, 'k');
    const won = late.store.put('k', text('x'), { ifAbsent: true });
    await late.asleep;
    const lock = (await readdir(folder)).find((name) => name.includes('lock')) ?? '';
    late.wake();
    await won;
    await late.store.delete(['k']);
    await mkdir(join(folder, lock));
    await writeFile(join(folder, lock, '.archiver~tmp-0123-since'), '\n');

    await fileStore(folder, { link: noLink }).put('k', text('y'), { ifAbsent: true });

    expect(await everyName(folder)).toEqual(['k']);
  });

  it('know their own file when the answer of the last step is lost and the step is sent again', async () => {
    const folder = await tempFolder();
    const twice = (code: string, step: typeof rename): typeof rename => {
      return async (from, to) => {
        await step(from, to);
        if (to === join(folder, 'k')) throw Object.assign(new Error('sent again'), { code });
      };
    };

    await fileStore(folder, { link: twice('EEXIST', link) }).put('k', text('by link'), {
      ifAbsent: true,
    });
    expect(await read(fileStore(folder), 'k')).toBe('by link');
    await fileStore(folder).delete(['k']);
    const store = fileStore(folder, { link: noLink, rename: twice('ENOENT', rename) });
    await store.put('k', text('by rename'), { ifAbsent: true });

    expect(await read(store, 'k')).toBe('by rename');
    expect(await everyName(folder)).toEqual(['k']);
  });

  it('leave locks of killed writers to the next delete beside them, a day later', async () => {
    const folder = await tempFolder();
    const dead = sleeper(folder, 'uploads/u/k');
    void dead.store.put('uploads/u/k', text('dead'), { ifAbsent: true }).catch(() => undefined);
    await dead.asleep;
    await dead.store.put('uploads/v/chunk', text('x'));
    const past = new Date(Date.now() - 25 * 3_600_000);
    for (const name of await everyName(folder)) await utimes(join(folder, name), past, past);

    await dead.store.delete(['uploads/v/chunk']);

    expect(await everyName(folder)).toEqual([]);
  });
});
