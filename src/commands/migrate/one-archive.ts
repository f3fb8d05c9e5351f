// Migrates a single archive, or says what that would do.
import type { Context, Environment, Pricing, Terminal } from '../../cli/context.js';
import type { ArchiveSource } from '../../core/mend/migrate/archive-source.js';
import type { MigrateResult } from '../../core/mend/migrate/migrate-options.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatQuantity } from '../../ui/format.js';
import { lookOf } from '../../ui/look.js';
import { recordRunFacts, recordRunResult } from '../kit/account.js';
import { fact, textOf } from '../kit/lines.js';
import { stopwatch, withProgress, withResult } from '../kit/run.js';
import { openForWriting, withStore } from '../kit/store.js';
import { actualCost, actualCostDocument, actualCostFacts } from '../upload/actual-cost.js';
import { type MigrateCall, migrateOptions, sourceStore } from './migrate-call.js';

/** Migrates an archive, and returns the exit status. @throws what the migration throws */
export async function migrateOne(
  source: ArchiveSource,
  call: MigrateCall,
  context: Context<'migrate'>,
): Promise<number> {
  const { migrate } = await import('../../core/mend/migrate/migrate.js');
  const { url, values } = call;
  return await withStore(sourceStore(source.storeUrl, call, context), async (opened) => {
    const { partial } = await withResult(context, values, {
      work: async (emit) => {
        emit({ type: 'start', operation: 'migrate', source: source.url, target: url });
        recordRunFacts(context, { operation: 'migrate', project: values.project });
        const result = await migrate(migrateOptions(source, call, { opened, emit, context }));
        recordRunResult(context, result);
        return result;
      },
      show: async (result) => {
        const lines = await migratedLines(result, context);
        return { document: migratedDocument(result, context), text: () => textOf(lines) };
      },
    });
    return partial ? 3 : 0;
  });
}

/** Says what a migration would do, and returns the exit status. */
export async function inspectOne(
  source: ArchiveSource,
  call: MigrateCall,
  context: Context<'migrate'>,
): Promise<number> {
  const { inspectArchive } = await import('../../core/mend/migrate/inspect-archive.js');
  const { inspectDestination } = await import('../../core/archive/inspect-destination.js');
  const { showInspected } = await import('./show-inspected.js');
  const { url, values } = call;
  const { signal } = context;
  const elapsed = stopwatch(context);
  return await withStore(sourceStore(source.storeUrl, call, context), async (opened) => {
    const { inspected, destination } = await withProgress(context, values, async (emit) => {
      emit({ type: 'start', operation: 'migrate', source: source.url, target: url });
      const archive = { opened, key: source.key, url: source.url, owner: source.owner };
      const inspected = await inspectArchive({ archive, emit, signal });
      const open = () => openForWriting(url, values, context)(emit);
      return { inspected, destination: await inspectDestination(open, inspected.datasetId, signal) };
    });
    const { storageClass, shardCount } = values;
    const about = { archiveUrl: source.url, requests: opened.requests, durationMs: elapsed(), destination };
    return await showInspected(inspected, { ...about, storageClass, shardCount, values }, context);
  });
}

/** The document of a migration. */
export function migratedDocument(result: MigrateResult, context: Pricing) {
  const { partial: _, shards: shardCount, billed: _billed, measured: _measured, ...document } = result;
  const cost = actualCost(result, context);
  return { ...document, shardCount, ...(cost === undefined ? {} : { cost: actualCostDocument(cost) }) };
}

async function migratedLines(result: MigrateResult, context: Environment & Terminal & Pricing): Promise<string[]> {
  const { finalLines } = await import('../../screens/progress/final-lines.js');
  const { version, skipped } = result;
  const [headline = '', ...details] = finalLines(
    { ...result, version: version ?? 0, operation: 'upload', problems: skipped },
    lookOf(context.colors.stdout, context.env),
  );
  return [
    headline,
    fact('archive', `${printable(result.archive)} (${result.format}), ${originalText(result)}`),
    fact('validated', result.validated ? `${formatQuantity(result.entries, 'path')} as in the archive` : 'no'),
    ...actualCostFacts(actualCost(result, context)),
    ...result.notKept.map((sentence) => fact('not kept', sentence)),
    ...(result.tempFolder === undefined ? [] : [fact('temporary', printable(result.tempFolder))]),
    ...details,
  ];
}

/** What became of the archive. */
export function originalText({
  originalDeleted,
  originalKept,
}: Pick<MigrateResult, 'originalDeleted' | 'originalKept'>): string {
  if (originalDeleted) return 'deleted';
  return originalKept === undefined ? 'kept' : `not deleted: ${originalKept}`;
}
