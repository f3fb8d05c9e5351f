// Makes the record of a run that has ended, and appends it to the ledger. Work that is done stays done: a ledger that cannot
// be written is a warning.
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { errorText, isArchiverError } from '../core/failures/errors.js';
import { appendRecords, ledgerFolder, projectsOf } from '../core/ledger/ledger.js';
import { makeRecords, uploadsOf } from '../core/ledger/make-record.js';
import type { LedgerRecord } from '../core/ledger/record.js';
import type { RunAbout, RunHistory } from '../core/ledger/run-account.js';
import { appendHistory } from '../core/ledger/upload-history.js';
import type { RunMeter } from '../core/ledger/run-meter.js';
import type { OpenedStore } from '../core/object-store/open-store.js';
import type { Accounted, Cancellation, Clock, Environment, Messages, Places } from './context.js';

interface EndedRun {
  readonly about: RunAbout;
  readonly history: RunHistory | undefined;
  readonly meter: RunMeter;
  /** Told why there is no record. */
  readonly onTrouble: (text: string) => void;
  /** The exit status, or what it failed with. */
  readonly end: unknown;
}

const PARTIAL = 3;

function outcomeOf(end: unknown, { signal }: Cancellation): LedgerRecord['outcome'] {
  if (typeof end === 'number') return end === PARTIAL ? 'partial' : end === 1 ? 'failed' : 'done';
  return signal.aborted || isArchiverError(end, 'cancelled') ? 'interrupted' : 'failed';
}

const entryOf = ({ shape }: RunHistory, { time, operation, costMicros, monthlyMicros }: LedgerRecord) => {
  return { time, operation, ...shape, costMicros, monthlyMicros };
};

type RecordContext = Accounted &
  Cancellation &
  Clock &
  Environment &
  Pick<Messages, 'warn'> &
  Pick<Places, 'home' | 'cwd'>;

/** Never throws. */
export async function recordRunOf(
  context: RecordContext,
  { about, history, meter, onTrouble, end }: EndedRun,
): Promise<void> {
  try {
    const folder = ledgerFolder(context.home);
    const uses = meter.uses();
    const projects = await projectsOf(folder, uploadsOf(about, uses));
    const records = makeRecords(about, uses, {
      time: context.now(),
      outcome: outcomeOf(end, context),
      newId: () => randomBytes(8).toString('hex'),
      projectOf: (uploadId) => projects.get(uploadId),
    });
    try {
      await appendRecords(folder, records, { host: hostname() });
      const [record] = records;
      if (history !== undefined && record !== undefined)
        await appendHistory(history.path, entryOf(history, record), { host: hostname() });
    } finally {
      await tellFollowers(context, records);
    }
  } catch (error) {
    onTrouble(`the cost of this run is not recorded: ${errorText(error)}`);
  }
}

/** Budgets count the run, and alerts that are due are raised. Never throws. */
async function tellFollowers(context: RecordContext, records: readonly LedgerRecord[]): Promise<void> {
  const { account, env, home, cwd, now, signal } = context;
  const { followRecords } = await import('../core/budget/follow-records.js');
  const { openBook } = await import('../core/budget/open-book.js');
  const { place, ...access } = account.budget;
  const open = async (): Promise<OpenedStore> => await openBook({ place, home, cwd }, { ...access, env });
  for (const problem of await followRecords(records, open, { home, env, now, signal })) context.warn(problem);
}
