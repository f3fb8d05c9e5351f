// Migrates one of the archives of a place, or finds that it is migrated. It is a run of its own: its record, its budget and its temporary
// folder are those of a call for it alone.
import { hostname } from 'node:os';
import type { Context } from '../../cli/context.js';
import { deriveDatasetId } from '../../core/dataset/records/identity.js';
import type { EventSink } from '../../core/events/events.js';
import { type ArchivePlace, type ArchiveSource, archiveSource } from '../../core/mend/migrate/archive-source.js';
import type { ListedArchive } from '../../core/mend/migrate/find-archives.js';
import { findMigration, type FoundMigration, type Sought } from '../../core/mend/migrate/known-migration.js';
import { deleteMigrated, migrate } from '../../core/mend/migrate/migrate.js';
import { defined } from '../../core/platform/defined.js';
import { isArchiverError } from '../../core/platform/failures/errors.js';
import { printable, rawFromText } from '../../core/platform/paths/raw-path.js';
import { recordRunFacts, recordRunResult } from '../kit/account.js';
import { withProgress } from '../kit/run.js';
import { withStore } from '../kit/store.js';
import { type ArchiveOutcome, isLacking } from './archive-outcome.js';
import { type MigrateCall, migrateOptions, sourceStore } from './migrate-call.js';

/** An archive, and what its earlier migration is looked for by. */
export interface Listed {
  readonly source: ArchiveSource;
  readonly sought: Sought;
}

/**
 * Names the dataset of a listed archive. Where several machines do parts of a folder, it is the same for all of them; otherwise as one call
 * for the archive would name it. The other name is looked at as well. @throws usage for a name that no call can give
 */
export function listedSource(
  { url, etag }: ListedArchive,
  { isFolder }: ArchivePlace,
  { values }: Pick<MigrateCall, 'values'>,
  signal: AbortSignal,
): Listed {
  const given = archiveSource(url, '/');
  const owner = values.part === undefined ? given.owner : '';
  const owners = isFolder ? [owner, owner === '' ? hostname() : ''] : [owner];
  const [datasetId = '', ...others] = owners.map((one) => deriveDatasetId(rawFromText(url), one));
  const sought = { datasetIds: [datasetId, ...others] as const, url, etag, signal };
  return { source: { ...given, owner }, sought: { ...sought, acceptsUnvalidated: values.skipValidation } };
}

/** Looks in the destination. @throws what `findMigration` throws */
export const lookUp = async (
  { sought }: Listed,
  { url, values }: MigrateCall,
  context: Context<'migrate'>,
): Promise<FoundMigration> =>
  await withStore({ baseUrl: url, values, context }, ({ store }) => findMigration(store, sought));

/** Migrates an archive, unless it is migrated. @throws what a migration throws */
export async function migrateListed(
  listed: Listed,
  call: MigrateCall,
  context: Context<'migrate'>,
): Promise<ArchiveOutcome> {
  const { open, values } = context.account;
  const own: Context<'migrate'> = { ...context, account: { isRecorded: true, open, values } };
  recordRunFacts(own, { operation: 'migrate', project: call.values.project });
  let end: unknown = 0;
  try {
    const outcome = await attempt(listed, call, own);
    if (isLacking(outcome)) end = 3;
    return outcome;
  } catch (error) {
    end = error;
    throw error;
  } finally {
    await own.account.record?.(own, end);
  }
}

async function attempt(listed: Listed, call: MigrateCall, context: Context<'migrate'>): Promise<ArchiveOutcome> {
  const { url } = listed.source;
  const found = await lookUp(listed, call, context);
  const { known } = found;
  if (known !== undefined && !call.values.deleteOriginal)
    return { url, status: 'passedOver', known, originalDeleted: false };
  try {
    return await withProgress(context, call.values, async (emit) => {
      emit({ type: 'start', operation: 'migrate', source: url, target: call.url });
      return await work(listed, found, { call, context, emit });
    });
  } catch (error) {
    // Another call may have done the same meanwhile, and even have deleted the archive.
    if (!isArchiverError(error, 'conflict', 'not-found')) throw error;
    const { known: by } = await lookUp(listed, call, context);
    if (by === undefined) throw error;
    return { url, status: 'passedOver', known: by, originalDeleted: false };
  }
}

interface Work {
  readonly call: MigrateCall;
  readonly context: Context<'migrate'>;
  readonly emit: EventSink;
}

async function work(
  { source }: Listed,
  { known, highest: after, trouble }: FoundMigration,
  { call, context, emit }: Work,
): Promise<ArchiveOutcome> {
  const { url } = source;
  if (trouble !== undefined) emit({ type: 'note', text: `${printable(url)} is migrated again: ${trouble}` });
  return await withStore({ ...sourceStore(source.storeUrl, call, context), onEvent: emit }, async (opened) => {
    const options = migrateOptions(source, call, { opened, emit, context });
    if (known !== undefined) {
      const originalKept = await deleteMigrated(options, known);
      const originalDeleted = originalKept === undefined;
      return { url, status: 'passedOver', known, originalDeleted, ...defined({ originalKept }) };
    }
    const result = await migrate({ ...options, upload: { ...options.upload, dataset: { after } } });
    recordRunResult(context, result);
    return { url, status: 'migrated', result };
  });
}
