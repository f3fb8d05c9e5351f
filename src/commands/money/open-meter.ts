// Counts what a run uses, and saves that beside the ledger while it runs. A command that is recorded loads all of this at once.
import { hostname } from 'node:os';
import type { Clock, Places, Pricing, RunAccount } from '../../cli/context.js';
import { undefinedOn } from '../../core/platform/failures/errors.js';
import { forEachLimit } from '../../core/platform/limits/for-each-limit.js';
import { bookedPlace } from '../../core/cost/price-book.js';
import { ledgerFolder, projectsOf } from '../../core/money/ledger/ledger.js';
import { makeRecords } from '../../core/money/ledger/make-record.js';
import type { LedgerRecord } from '../../core/money/ledger/record.js';
import { RunMeter } from '../../core/money/ledger/run-meter.js';
import { RunningCost } from '../../core/money/ledger/running.js';
import { pricedBy } from '../kit/prices.js';
import { recordRunOf } from './record-run.js';
import { beginRun, runBudgetOf } from './run-budget.js';

const READS_AT_ONCE = 16;

/**
 * Gives the account its meter, the same for all stores that the run opens, and the function that records the run. @throws usage for a price
 * in the config file that is not one
 */
export function openMeter(account: RunAccount, context: Clock & Pricing & Pick<Places, 'home'>): void {
  if (account.meter !== undefined) return;
  const { now, home } = context;
  const meter = new RunMeter(
    now,
    (place) => {
      const { provider, book } = pricedBy(context, place);
      return book(bookedPlace({ ...place, provider }));
    },
    (hasChanged) => running.used(hasChanged),
  );
  const records = (): readonly LedgerRecord[] => {
    const projectOf = (uploadId: string): string | undefined =>
      runBudgetOf(account)?.projects.get(uploadId) ?? undefined;
    const killed = { time: now(), outcome: 'killed', id: running.id, projectOf } as const;
    return account.about === undefined ? [] : makeRecords(account.about, meter.uses(), killed);
  };
  const running = new RunningCost({ folder: ledgerFolder(home), host: hostname(), now, records });
  account.meter = meter.open;
  beginRun(account, running.id);
  account.know = (objects) => meter.know(objects);
  account.learnProjects = async (uploadIds, read) => {
    // A ledger that cannot be read is named when the run is recorded.
    const own = await projectsOf(ledgerFolder(home), uploadIds).catch(undefinedOn('access-denied', 'io'));
    const unknown = uploadIds.filter((id) => own?.has(id) !== true);
    await forEachLimit(unknown, READS_AT_ONCE, async (uploadId) => {
      const project = await read(uploadId);
      if (project !== undefined) runBudgetOf(account)?.projects.set(uploadId, project);
    });
  };
  account.record = async (ended, end) => {
    const { about } = account;
    if (about !== undefined) await recordRunOf(ended, { about, meter, running, end });
  };
}
