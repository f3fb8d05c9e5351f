// Reads the ledger for commands.
import { hostname } from 'node:os';
import type { Cancellation, Environment, Featured, Places } from '../../cli/context.js';
import type { FoundRecords } from '../../core/money/ledger/ledger.js';
import type { LedgerRecord } from '../../core/money/ledger/record.js';

export interface ReadRecords {
  /** In order of time, of all regions; with those of killed runs, which the next run that is recorded writes to the ledger. */
  readonly records: readonly LedgerRecord[];
  /** Lines that cannot be read: what these runs cost is not counted. */
  readonly unreadLines: number;
  /** The folder of this computer's ledger. */
  readonly folder: string;
  /** Where they were read: that folder, or the URL of a shared ledger. */
  readonly place: string;
}

/** The shared ledger is read where the settings name one. */
export type ReadingContext = Pick<Places, 'home' | 'cwd'> & Environment & Cancellation & Pick<Featured, 'settings'>;

/** Reads the records of the ledger from `from` on. @throws access-denied, io */
export async function readRecords(context: ReadingContext, from?: Date): Promise<ReadRecords> {
  const { killedRuns } = await import('../../core/money/ledger/running.js');
  const ended = await endedRecords(context, from);
  const known = new Set(ended.records.map(({ id }) => id));
  const killed = (await killedRuns(ended.folder, hostname())).flatMap((run) => run.records);
  const isNew = ({ id, time }: LedgerRecord): boolean =>
    !known.has(id) && (from === undefined || time >= from.toISOString());
  const records = [...ended.records, ...killed.filter(isNew)].sort((one, other) =>
    one.time < other.time ? -1 : Number(one.time > other.time),
  );
  return { ...ended, records };
}

/** Reads the same without those of killed runs, which budgets count once the ledger has them. @throws access-denied, io */
export async function endedRecords(context: ReadingContext, from?: Date): Promise<ReadRecords> {
  const { ledgerFolder, readLedger } = await import('../../core/money/ledger/ledger.js');
  const folder = ledgerFolder(context.home);
  const shared = await sharedRecords(context, folder, from);
  const { records, skipped, place } = shared ?? { ...(await readLedger(folder, { from })), place: folder };
  return { records, unreadLines: skipped, folder, place };
}

async function sharedRecords(
  context: ReadingContext,
  folder: string,
  from: Date | undefined,
): Promise<(FoundRecords & Pick<ReadRecords, 'place'>) | undefined> {
  const { openShared } = await import('./shared-ledger.js');
  const opened = await openShared(context.settings, context);
  if (opened === undefined) return undefined;
  const { memoryOf, readShared } = await import('../../core/money/ledger/shared-ledger.js');
  const { store } = opened;
  try {
    const memory = memoryOf(folder, store.url);
    const found = await readShared(store, { from, memory, host: hostname(), signal: context.signal });
    return { ...found, place: store.url };
  } finally {
    opened.close();
  }
}
