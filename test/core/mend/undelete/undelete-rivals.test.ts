// Somebody prunes, sweeps or brings back the same version while one is brought back.
import { beforeEach, describe, expect, test } from 'vitest';
import { fileStore } from '../../../../src/core/store/file/file-store.js';
import { allContent, makeDataset, recordKey, versionContent } from '../../../support/make-dataset.js';
import { copyOf, DAY, datasetFolder, LINKS, onMutation, pruneFolder, stepsOf } from '../../dataset/prune/prune-run.js';
import { bringBack, HOUR, later, listedIn, pass, recordAt } from './undelete-run.js';

const made = makeDataset(LINKS.slice(0, 3));
const KEEP = { keep: { last: 1 }, graceMs: DAY };
let whole = '';
let before = new Map<number, string[]>();

beforeEach(async () => {
  whole = await datasetFolder(made);
  before = await allContent(fileStore(whole));
});

const contentAt = (folder: string, version = 2): Promise<string[]> => versionContent(fileStore(folder), version);

/** Whether it was brought back. */
const tried = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    (error: unknown) => {
      if (!/brought back|has no version/.test(String(error))) throw error;
      return false;
    },
  );

describe('a prune', () => {
  test('that retires and marks at the same time harms nothing that was brought back, at any step, and neither does the next', async () => {
    const steps = await stepsOf(whole, KEEP);
    const shown: (readonly [step: number, content: unknown])[] = [];
    let successes = 0;
    for (let step = 0; step < steps.length; step++) {
      const folder = await copyOf(whole);
      let isBack = false;
      const meet = async (call: number): Promise<void> => {
        if (call === step) isBack = await tried(bringBack(fileStore(folder), 2));
      };
      // It may find that what it has retired is listed again, and stops.
      await pruneFolder(folder, { ...KEEP, wrap: (store) => onMutation(store, meet) }).catch((error: unknown) => {
        if (!/acknowledged that version .* was retired|was changed by another/.test(String(error))) throw error;
      });
      if ((await listedIn(folder)).includes(2)) {
        shown.push([step, await contentAt(folder)]);
        await pass(folder, 30);
        await pruneFolder(folder, { keep: { last: 2 }, graceMs: DAY });
        shown.push([step, await contentAt(folder)]);
        successes += Number(isBack);
      }
    }
    expect(successes).toBeGreaterThan(1);
    expect(shown).toEqual(shown.map(([step]) => [step, before.get(2)]));
  });

  test('that planned before does not retire it again', async () => {
    await pruneFolder(whole, { ...KEEP, keep: { last: 2 } });
    const meet = async (): Promise<void> => {
      await pruneFolder(whole, KEEP);
      await bringBack(fileStore(whole), 2);
    };

    await expect(pruneFolder(whole, { ...KEEP, afterPlan: meet })).rejects.toThrow(/version 2 .* was changed/);

    expect(await contentAt(whole)).toEqual(before.get(2));
  });

  test('that retires it again before the last look: nobody is told that it is back', async () => {
    await pruneFolder(whole, KEEP);
    let isPut = false;
    const store = {
      ...fileStore(whole),
      time: async () => {
        if (isPut) await pruneFolder(whole, KEEP);
        return await fileStore(whole).time();
      },
      put: async (...args: Parameters<ReturnType<typeof fileStore>['put']>) => {
        isPut = true;
        return await fileStore(whole).put(...args);
      },
    };

    await expect(bringBack(store, 2)).rejects.toThrow('was brought back, and a prune has retired it again meanwhile');
    expect(await listedIn(whole)).toEqual([3]);
  });
});

describe('a computer that slept between the look and the record', () => {
  beforeEach(async () => {
    await pruneFolder(whole, KEEP);
    await pass(whole, 22);
  });

  /** Looks two hours before marks are due, and puts when `until` is over, three hours later. */
  const slept = async (folder: string, until: Promise<unknown>, looked: () => void): Promise<boolean> => {
    let hours = 0;
    const store = onMutation(
      later(fileStore(folder), () => hours),
      async (call, what) => {
        if (call > 0 || what !== `put ${recordKey(2)}`) return;
        looked();
        await until;
        hours = 3;
      },
    );
    return await tried(bringBack(store, 2));
  };

  test('never says that it is back, whenever it meets the sweep, and puts the tombstone back', async () => {
    const now = new Date(Date.now() + 3 * HOUR);
    const sweep = (folder: string, met: (call: number, what: string) => Promise<void> | void) =>
      pruneFolder(folder, {
        ...KEEP,
        now,
        wrap: (store) =>
          onMutation(
            later(store, () => 3),
            met,
          ),
      });
    const steps: string[] = [];
    await sweep(await copyOf(whole), (_call, what) => void steps.push(what));
    expect(steps.findIndex((step) => step.startsWith('delete uploads/'))).toBeGreaterThan(-1);
    const tombstone = await recordAt(whole, 2);
    for (let step = 0; step < steps.length; step++) {
      const folder = await copyOf(whole);
      const [reached, reach] = gate();
      const [looked, look] = gate();
      const undeleting = slept(folder, reached, look);
      await looked;
      const meet = async (call: number): Promise<void> => {
        if (call !== step) return;
        reach();
        expect([step, await undeleting]).toEqual([step, false]);
      };
      // It may say that a version came while it was deleting.
      await sweep(folder, meet).catch((error: unknown) => {
        if (!/came while the sweep was deleting|cannot be read/.test(String(error))) throw error;
      });
      expect([step, await recordAt(folder, 2)]).toEqual([step, tombstone]);
    }
  });

  test('takes nothing back that another has brought back meanwhile', async () => {
    const [reached, reach] = gate();
    const [looked, look] = gate();
    const undeleting = slept(whole, reached, look);
    await looked;
    await bringBack(fileStore(whole), 2);
    reach();

    expect(await undeleting).toBe(false);
    expect(await contentAt(whole)).toEqual(before.get(2));
  });
});

function gate(): [Promise<void>, () => void] {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [opened, () => open()];
}

test('two at once: one brings it back, the other says that somebody was faster, or that it is listed', async () => {
  await pruneFolder(whole, KEEP);

  const ended = await Promise.all([1, 2, 3].map(() => tried(bringBack(fileStore(whole), 2))));

  expect(ended.filter(Boolean).length).toBeGreaterThan(0);
  expect(await contentAt(whole)).toEqual(before.get(2));
});
