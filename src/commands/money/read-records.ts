// Reads the ledger for commands.
import { hostname } from 'node:os';
import type { Places } from '../../cli/context.js';
import type { LedgerRecord } from '../../core/money/ledger/record.js';

export interface ReadRecords {
  /** In order of time, of all regions; with those of killed runs, which the next run that is recorded writes to the ledger. */
  readonly records: readonly LedgerRecord[];
  /** Lines that cannot be read: what these runs cost is not counted. */
  readonly unreadLines: number;
  /** The ledger's folder. */
  readonly folder: string;
}

/** Reads the records of the ledger from `from` on. @throws access-denied, io */
export async function readRecords({ home }: Pick<Places, 'home'>, from?: Date): Promise<ReadRecords> {
  const { ledgerFolder, readLedger } = await import('../../core/money/ledger/ledger.js');
  const { killedRuns } = await import('../../core/money/ledger/running.js');
  const folder = ledgerFolder(home);
  const { records: ended, skipped } = await readLedger(folder, { from });
  const known = new Set(ended.map(({ id }) => id));
  const killed = (await killedRuns(folder, hostname())).flatMap((run) => run.records);
  const isNew = ({ id, time }: LedgerRecord): boolean =>
    !known.has(id) && (from === undefined || time >= from.toISOString());
  const records = [...ended, ...killed.filter(isNew)].sort((one, other) =>
    one.time < other.time ? -1 : Number(one.time > other.time),
  );
  return { records, unreadLines: skipped, folder };
}
