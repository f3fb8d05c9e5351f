// Migrates all archives of a place, or those of a part, one after another.
import type { Context } from '../../cli/context.js';
import type { ArchivePlace } from '../../core/mend/migrate/archive-source.js';
import { findArchives, type FoundArchives, refuseNoArchives } from '../../core/mend/migrate/find-archives.js';
import { inspectArchive } from '../../core/mend/migrate/inspect-archive.js';
import { type ArchiverError, isArchiverError } from '../../core/platform/failures/errors.js';
import { recordRunFacts } from '../kit/account.js';
import { stopwatch, withProgress } from '../kit/run.js';
import { refuseMissingFolder, withStore } from '../kit/store.js';
import { type ArchiveOutcome, isLacking } from './archive-outcome.js';
import { type MigrateCall, sourceStore } from './migrate-call.js';
import { type Listed, listedSource, lookUp, migrateListed } from './migrate-listed.js';
import { outcomeLine, showMany } from './show-many.js';

/** Migrates the archives, and returns the exit status. @throws what listing throws, and what ends all of it */
export async function migrateMany(
  place: ArchivePlace,
  call: MigrateCall,
  context: Context<'migrate'>,
): Promise<number> {
  const { values } = call;
  const { signal } = context;
  const elapsed = stopwatch(context);
  await refuseMissingFolder(place.storeUrl);
  if (!values.dryRun) recordRunFacts(context, { operation: 'migrate', project: values.project });
  const found = await withStore(sourceStore(place.storeUrl, call, context), ({ store }) =>
    findArchives(store, place, values.part, signal),
  );
  // Where archives are deleted one by one, there are none in the end.
  if (!values.deleteOriginal) refuseNoArchives(place, found);
  const { outcomes, stoppedBy } = await doAll(found, place, call, context);
  await showMany({ place, found, outcomes, durationMs: elapsed() }, call, context);
  return statusOf(outcomes, stoppedBy);
}

interface Done {
  readonly outcomes: readonly ArchiveOutcome[];
  readonly stoppedBy: ArchiverError | undefined;
}

async function doAll(
  { archives }: FoundArchives,
  place: ArchivePlace,
  call: MigrateCall,
  context: Context<'migrate'>,
): Promise<Done> {
  const outcomes: ArchiveOutcome[] = [];
  let stoppedBy: ArchiverError | undefined;
  const one = call.values.dryRun ? inspectListed : migrateListed;
  for (const { url, ...archive } of archives) {
    const end = async (outcome: ArchiveOutcome): Promise<void> => {
      outcomes.push(outcome);
      if (!context.quiet || isLacking(outcome)) await context.print(`${outcomeLine(outcome)}\n`);
    };
    if (stoppedBy !== undefined) {
      outcomes.push({ url, status: 'notBegun', reason: stoppedBy.message });
      continue;
    }
    context.signal.throwIfAborted();
    try {
      await end(await one(listedSource({ url, ...archive }, place, call, context.signal), call, context));
    } catch (error) {
      if (context.signal.aborted || !isArchiverError(error)) throw error;
      await end({ url, status: 'failed', reason: reasonOf(error) });
      if (isForAll(error)) stoppedBy = error;
    }
  }
  return { outcomes, stoppedBy };
}

const reasonOf = ({ message, hint }: ArchiverError): string => (hint === undefined ? message : `${message} (${hint})`);

const REFUSED = 4;

/** True for a failure that every further archive would meet as well: a budget, missing credentials. */
const isForAll = (error: ArchiverError): boolean => error.exitCode === REFUSED || error.code === 'credentials';

/** Reads an archive and says what a migration would do. @throws what reading throws */
async function inspectListed(listed: Listed, call: MigrateCall, context: Context<'migrate'>): Promise<ArchiveOutcome> {
  const { url, storeUrl, key, owner } = listed.source;
  const { known, highest } = await lookUp(listed, call, context);
  if (known !== undefined) return { url, status: 'passedOver', known, originalDeleted: false };
  const inspected = await withStore(sourceStore(storeUrl, call, context), (opened) =>
    withProgress(context, call.values, async (emit) => {
      emit({ type: 'start', operation: 'migrate', source: url, target: call.url });
      return await inspectArchive({ archive: { opened, key, url, owner }, emit, signal: context.signal });
    }),
  );
  return { url, status: 'planned', inspected, version: highest + 1 };
}

function statusOf(outcomes: readonly ArchiveOutcome[], stoppedBy: ArchiverError | undefined): number {
  if (stoppedBy?.exitCode === REFUSED) return REFUSED;
  if (!outcomes.some(isLacking)) return 0;
  return outcomes.every(({ status }) => status === 'failed' || status === 'notBegun') ? 1 : 3;
}
