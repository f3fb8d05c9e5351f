// The process is killed before its changes to the ledger: what it used is recorded all the same, and nothing twice.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLedger } from '../../src/core/money/ledger/ledger.js';
import { json } from '../support/run-command.js';
import { noise } from '../core/archive/trees.js';
import { done } from './scenarios.js';
import { makeWorld } from './world.js';

const BYTES = 50_000;

/** At others the same lies there as at the point beside them. */
const isTold = (point: string): boolean =>
  point.includes('/ledger') && !/^(?:open|sync|mkdir) |running.* (?:[3-9]|\d\d)$/.test(point);

test(
  'a run that is killed while its record is made is recorded once, and so is what it counts in budgets',
  { timeout: 600_000 },
  async () => {
    const world = await makeWorld();
    const { source, url } = world;
    const ledger = join(source, '..', 'home', '.archiver', 'ledger');
    writeFileSync(join(source, 'a'), noise(BYTES));
    await done(world, ['budget', 'set', '--global', '--volume', '1']);
    await world.save();
    const command = ['upload', source, url, '--dataset-id', 'lab', '--force-restart', '--quiet'];
    const points = (await world.points(...command)).filter(isTold);
    const wrong: string[] = [];

    for (const point of points) {
      await world.reset();
      const isKilled = await world.killAt(point, ...command);
      const reported = json(await done(world, ['cost', 'report', '--period', 'all', '--json']));
      writeFileSync(join(source, 'b'), noise(1000));
      await done(world, ['sync', source, `${url}/other`, '--dataset-id', 'lab', '--quiet']);

      const { records, skipped } = await readLedger(ledger);
      const runs = records.map(({ operation, outcome }) => `${operation} ${outcome}`).sort();
      const stored = records.reduce((sum, one) => sum + one.stored.reduce((all, { bytes }) => all + bytes, 0), 0);
      const budget = json(await done(world, ['budget', 'status', '--global', '--json']))['volumeUsage'] as {
        used: number;
      };
      const uploads = runs.filter((run) => run.startsWith('upload'));
      // Before the first request that is billed nothing is to be recorded.
      const isNew = /^(?:mkdir|writeFile|rename)Sync .*running.* 1$/.test(point);
      const isRight =
        isKilled &&
        skipped === 0 &&
        uploads.length === (isNew ? 0 : 1) &&
        reported['runs'] === uploads.length &&
        budget.used === stored &&
        // Everything is sent by the time the ledger itself is written.
        (point.includes('/running') || stored > 2 * BYTES);
      if (!isRight)
        wrong.push(
          `${point}: ${JSON.stringify({ isKilled, skipped, runs, stored, used: budget.used, reported: reported['runs'] })}`,
        );
    }

    expect(wrong).toEqual([]);
    expect(points.length).toBeGreaterThan(5);
  },
);
