// Makes the record of a run that has ended, and appends it to the ledger. The work of the run is done by then, so a ledger that cannot be
// written is only a warning.
import { hostname } from 'node:os';
import { followRecords } from '../../core/money/budget/follow-records.js';
import { openBook } from '../../core/money/budget/open-book.js';
import { errorText, isArchiverError } from '../../core/platform/failures/errors.js';
import { appendRecords, ledgerFolder, type Projects, projectsOf, readLedger } from '../../core/money/ledger/ledger.js';
import { makeRecords, ownUpload, uploadsOf } from '../../core/money/ledger/make-record.js';
import { type LedgerRecord, UPLOADS } from '../../core/money/ledger/record.js';
import type { RunAbout, UploadShape } from '../../core/events/run-about.js';
import { appendHistory, historyFile } from '../../core/money/ledger/upload-history.js';
import { shareRecords } from '../../core/money/ledger/shared-ledger.js';
import type { RunMeter } from '../../core/money/ledger/run-meter.js';
import { killedRuns, removeTornRuns, type RunningCost } from '../../core/money/ledger/running.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import type { Cancellation, RecordContext } from '../../cli/context.js';
import { formatQuantity } from '../../ui/format.js';
import { budgetPlaceOf, textOf } from './budget-place.js';
import { sharedProjects } from './read-records.js';
import { runBudgetOf } from './run-budget.js';
import { openShared } from './shared-ledger.js';

interface EndedRun {
  readonly about: RunAbout;
  readonly meter: RunMeter;
  readonly running: RunningCost;
  /** The exit status, or the error that the run failed with. */
  readonly end: unknown;
}

const PARTIAL = 3;

function outcomeOf(end: unknown, { signal }: Cancellation): LedgerRecord['outcome'] {
  if (typeof end === 'number') return end === PARTIAL ? 'partial' : end === 1 ? 'failed' : 'done';
  return signal.aborted || isArchiverError(end, 'cancelled') ? 'interrupted' : 'failed';
}

const entryOf = (shape: UploadShape, { time, operation, costMicros, monthlyMicros }: LedgerRecord) => {
  return { time, operation, ...shape, costMicros, monthlyMicros };
};

/** Records a run that has ended. Never throws. */
export async function recordRunOf(context: RecordContext, { about, meter, running, end }: EndedRun): Promise<void> {
  const { account, home, cwd, now, warn } = context;
  const { shape, onTrouble = warn } = account;
  const folder = ledgerFolder(home);
  const here = { host: hostname() };
  try {
    const uses = meter.uses();
    const own = ownUpload(about, uses);
    // Nobody else knows of an upload that this run makes.
    const isTold = about.project !== undefined || UPLOADS.includes(about.operation);
    const projects = await projectsFor(context, uploadsOf(about, uses), isTold ? [own] : []);
    const records = makeRecords(about, uses, {
      time: now(),
      outcome: outcomeOf(end, context),
      id: running.id,
      projectOf: (uploadId) => projects.get(uploadId) ?? undefined,
    });
    try {
      await appendRecords(folder, records, here);
      await share(context, records);
      const [record] = records;
      const history = historyFile(textOf(account.values['uploadHistory']), home, cwd);
      if (history !== undefined && shape !== undefined && record !== undefined)
        await appendHistory(history, entryOf(shape, record), here);
    } finally {
      await updateFollowers(context, running.id, records);
    }
    await running.remove();
    if (running.trouble !== undefined)
      onTrouble(`what this run used was not kept while it went on: ${errorText(running.trouble)}`);
    await recordKilled(context, folder, here);
  } catch (error) {
    onTrouble(`the cost of this run is not recorded: ${errorText(error)}`);
  }
}

/** A store that does not answer keeps the end of a run no longer. */
const LOOK_MS = 15_000;

/**
 * Returns the projects of uploads. The run is done, so where the shared ledger cannot be read that is a warning: reports find the project
 * by the record of the upload, and budgets with the next rebase. @param told uploads that only runs of this computer can know of
 * @throws access-denied, io
 */
async function projectsFor(
  context: RecordContext,
  uploadIds: readonly string[],
  told: readonly (string | null | undefined)[],
): Promise<Projects> {
  const { account, home, cwd, env, warn } = context;
  const named = runBudgetOf(account)?.projects ?? new Map<string, string | null>();
  const recorded = await projectsOf(ledgerFolder(home), uploadIds);
  const own = new Map([...recorded, ...named]);
  const unknown = uploadIds.filter((id) => !told.includes(id) && !own.has(id));
  // Not the run's signal, because an interrupted run is recorded as well.
  const reading = { home, cwd, env, settings: account.values, signal: AbortSignal.timeout(LOOK_MS) };
  try {
    return new Map([...own, ...(await sharedProjects(reading, unknown))]);
  } catch (error) {
    const { onTrouble = warn } = account;
    onTrouble(
      `the shared ledger does not say which projects ${formatQuantity(unknown.length, 'upload')} of this run are of, so that it counts in no budget of a project until the next archiver cost rebase: ${errorText(error)}`,
    );
    return own;
  }
}

/** Makes the records of runs that were killed; those that they made themselves are kept. */
async function recordKilled(context: RecordContext, folder: string, own: { readonly host: string }): Promise<void> {
  const killed = await killedRuns(folder, own.host);
  if (killed.length === 0) return;
  const known = new Map((await readLedger(folder)).records.map((record) => [record.id, record]));
  for (const { id, records, remove } of killed) {
    const ids = records.flatMap(({ uploadId }) => uploadId ?? []);
    const told = records.filter(({ operation }) => UPLOADS.includes(operation)).map(({ uploadId }) => uploadId);
    const projects = await projectsFor(context, ids, told);
    const ofItsProject = (record: LedgerRecord): LedgerRecord => {
      const { project, uploadId } = record;
      return { ...record, project: project === uploadId ? (projects.get(uploadId ?? '') ?? project) : project };
    };
    const left = records.filter((record) => !known.has(record.id)).map(ofItsProject);
    await appendRecords(folder, left, own);
    await share(context, left);
    const recorded = records.flatMap((record) => known.get(record.id) ?? []);
    await updateFollowers(context, id, [...recorded, ...left]);
    await remove();
  }
  await removeTornRuns(folder, context.now().getTime());
}

/** Writes the records to the shared ledger, where one is chosen. They are in that of this computer in any case. Never throws. */
async function share(context: RecordContext, records: readonly LedgerRecord[]): Promise<void> {
  const { account, warn } = context;
  const { onTrouble = warn } = account;
  if (records.length === 0) return;
  try {
    const opened = await openShared(account.values, context);
    try {
      if (opened !== undefined) await shareRecords(opened.store, records);
    } finally {
      opened?.close();
    }
  } catch (error) {
    onTrouble(`the cost of this run is not in the shared ledger: ${errorText(error)}`);
  }
}

/** Counts the run in budgets, and raises the alerts that are due. Never throws. */
async function updateFollowers(context: RecordContext, runId: string, records: readonly LedgerRecord[]): Promise<void> {
  const { account, env, home, cwd, now, signal, warn } = context;
  const { place, ...access } = budgetPlaceOf(account.values);
  const open = async (): Promise<OpenedStore> => await openBook({ place, home, cwd }, { ...access, env });
  const run = runBudgetOf(account);
  run?.close();
  if (run?.isUnreachable === true && run.id === runId) return; // nothing but looking was done, and why has been said
  const hasReserved = run?.hasReserved === true;
  for (const problem of await followRecords(records, open, { runId, hasReserved, home, env, now, signal, warn }))
    warn(problem);
}
