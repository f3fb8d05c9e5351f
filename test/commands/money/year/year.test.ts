// A year of a lab by random walk. What our code says of money is what the sheet says, which knows only the history of the store and the price
// sheet of AWS. ARCHIVER_YEARS=300 walks longer; ARCHIVER_YEAR=17 walks one.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type MemoryS3, startMemoryS3 } from '../../../support/memory-s3.js';
import { useTestCredentials } from '../../../support/open-s3.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { compareAll, compareKnown, comparePromise, Differences, type Look } from './compare.js';
import { Lab } from './lab.js';

const DAY_MS = 86_400_000;
const ZONES = ['America/Los_Angeles', 'Pacific/Auckland'] as const;
const only = process.env['ARCHIVER_YEAR'];
const SEEDS =
  only === undefined
    ? Array.from({ length: Number(process.env['ARCHIVER_YEARS'] ?? 1) }, (_, index) => index + 1)
    : [Number(only)];

let s3: MemoryS3;
beforeAll(async () => {
  useTestCredentials();
  s3 = await startMemoryS3('lab');
});
afterAll(() => s3.close());

test.each(SEEDS)(
  'a year of a lab (%i): what all say of money is what a sheet of the history of its store says',
  async (seed) => {
    const start = Date.UTC(2026, seed % 12, 1 + (seed % 28), 3);
    const lab = new Lab(await tempFolder(), s3, seed, start);
    const acts: string[] = [];
    const found = new Differences();
    const look = async (compare: (look: Look) => Promise<void>): Promise<void> => {
      lab.later(1);
      const before = found.all.length;
      await compare({ lab, machine: lab.pick(lab.machines), zone: lab.pick(ZONES), found });
      const differences = found.all
        .slice(before)
        .map(({ what, said, expected }) => `${what}: said ${String(said)}, expected ${String(expected)}`);
      if (differences.length === 0) return;
      const where = `seed ${seed}, ${new Date(lab.nowMs).toISOString()}`;
      throw new Error([where, ...differences.slice(0, 12), ...acts.slice(-20)].join('\n'));
    };
    while (lab.nowMs < start + 365 * DAY_MS) {
      lab.wait();
      acts.push(`${new Date(lab.nowMs).toISOString()} ${await lab.act()}`);
      if (lab.random(8) !== 0) continue;
      if (lab.bucket.isUnseen) {
        await look(compareKnown);
        await lab.rebase();
        acts.push(`${new Date(lab.nowMs).toISOString()} rebase`);
      }
      await look(compareAll);
    }
    await look(async (last) => await comparePromise(last, lab.pick([7, 14, 30, 60, 90])));
    expect(lab.machines.flatMap(({ troubles }) => troubles)).toEqual([]);
    expect(found.compared).toBeGreaterThan(500);
  },
);
