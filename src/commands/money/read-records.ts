// Reads the ledger that counts on this computer, for all that asks it: the shared one where the settings name one, else its own.
import { hostname } from 'node:os';
import type { Cancellation, Environment, Featured, Places } from '../../cli/context.js';
import type { FoundRecords, Projects } from '../../core/money/ledger/ledger.js';
import type { LedgerRecord } from '../../core/money/ledger/record.js';
import type { SharedReading } from '../../core/money/ledger/shared-ledger.js';
import type { ObjectStore } from '../../core/store/object-store.js';

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
  const shared = await sharedRecords(context, from);
  const { records, skipped, place } = shared ?? { ...(await readLedger(folder, { from })), place: folder };
  return { records, unreadLines: skipped, folder, place };
}

/**
 * Returns the projects of uploads, and of uploads that this computer's ledger does not tell of those of the shared one. @throws access-denied,
 * io; as `sharedProjects`
 */
export async function projectsOfUploads(context: ReadingContext, uploadIds: readonly string[]): Promise<Projects> {
  const { ledgerFolder, projectsOf } = await import('../../core/money/ledger/ledger.js');
  const own = await projectsOf(ledgerFolder(context.home), uploadIds);
  const others = await sharedProjects(
    context,
    uploadIds.filter((id) => !own.has(id)),
  );
  return new Map([...own, ...others]);
}

/** Returns the projects of uploads by the shared ledger; none where none is chosen. @throws what opening and reading the store throw */
export async function sharedProjects(context: ReadingContext, uploadIds: readonly string[]): Promise<Projects> {
  if (uploadIds.length === 0) return new Map();
  const { sharedProjectsOf } = await import('../../core/money/ledger/shared-ledger.js');
  const projects = await inShared(context, (store, reading) => sharedProjectsOf(store, uploadIds, reading));
  return projects ?? new Map();
}

async function sharedRecords(
  context: ReadingContext,
  from: Date | undefined,
): Promise<(FoundRecords & Pick<ReadRecords, 'place'>) | undefined> {
  const { readShared } = await import('../../core/money/ledger/shared-ledger.js');
  return await inShared(context, async (store, reading) => {
    return { ...(await readShared(store, { from, ...reading })), place: store.url };
  });
}

/** Opens the shared ledger for `read`, and closes it afterwards; undefined where none is chosen. @throws what both throw */
async function inShared<T>(
  context: ReadingContext,
  read: (store: ObjectStore, reading: SharedReading) => Promise<T>,
): Promise<T | undefined> {
  const { openShared } = await import('./shared-ledger.js');
  const { refuseMissingFolder } = await import('../kit/store.js');
  const opened = await openShared(context.settings, context);
  if (opened === undefined) return undefined;
  try {
    const { ledgerFolder } = await import('../../core/money/ledger/ledger.js');
    const { memoryOf } = await import('../../core/money/ledger/shared-ledger.js');
    const { store } = opened;
    await refuseMissingFolder(store.url);
    const memory = memoryOf(ledgerFolder(context.home), store.url);
    return await read(store, { memory, host: hostname(), signal: context.signal });
  } finally {
    opened.close();
  }
}
