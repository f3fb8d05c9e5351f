// Counts what a run uses, and keeps it beside the ledger while it goes on. All of it is loaded at once, by what is recorded.
import { hostname } from 'node:os';
import type { Accounted, Clock, Places, Pricing } from '../../cli/context.js';
import { bookedPlace } from '../../core/cost/price-book.js';
import { ledgerFolder } from '../../core/money/ledger/ledger.js';
import { makeRecords } from '../../core/money/ledger/make-record.js';
import type { LedgerRecord } from '../../core/money/ledger/record.js';
import { RunMeter } from '../../core/money/ledger/run-meter.js';
import { RunningCost } from '../../core/money/ledger/running.js';
import { pricedBy } from './prices.js';

/** The meter of the run, the same for all stores that it opens. @throws usage for a price in the config file that is not one */
export function openMeter(context: Accounted & Clock & Pricing & Pick<Places, 'home'>): RunMeter {
  const { account, now, home } = context;
  if (account.meter !== undefined) return account.meter;
  const meter = new RunMeter(
    now,
    (place) => {
      const { provider, book } = pricedBy(context, place);
      return book(bookedPlace({ ...place, provider }));
    },
    (hasChanged) => running.used(hasChanged),
  );
  const records = (): readonly LedgerRecord[] => {
    const killed = { time: now(), outcome: 'killed', id: running.id, projectOf: () => undefined } as const;
    return account.about === undefined ? [] : makeRecords(account.about, meter.uses(), killed);
  };
  const running = new RunningCost({ folder: ledgerFolder(home), host: hostname(), now, records });
  account.running = running;
  account.meter = meter;
  return meter;
}
