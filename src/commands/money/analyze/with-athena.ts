// Has Athena sum up an inventory, after saying what that may cost.
import type { InventoryRead } from '../../../core/money/analyze/analyze-store.js';
import { athenaUsd, USD_PER_TB } from '../../../core/money/analyze/inventory/athena-cost.js';
import type { InventoryQuery } from '../../../core/money/analyze/inventory/athena-sql.js';
import { type AthenaTally, tallyWithAthena } from '../../../core/money/analyze/inventory/tally-athena.js';
import { ArchiverError, usageError } from '../../../core/platform/failures/errors.js';
import { formatBytes } from '../../../ui/format.js';
import { formatUsd } from '../../../ui/format-usd.js';
import type { AnalyzeCall } from './analyze-call.js';

type Work = Pick<InventoryQuery, 'inventory' | 'prefix' | 'now'> & { readonly read: InventoryRead };

/**
 * Returns the sums that Athena computes. @param region of the inventory @throws budget-exceeded before anything is read, and what Athena
 * says
 */
export async function athenaTally(
  { inventory, prefix, now, read }: Work,
  region: string | undefined,
  { values, context, emit }: AnalyzeCall,
): Promise<AthenaTally> {
  const { athenaDatabase: database, athenaTable: table = '', athenaMaxScan: maxScanBytes } = values;
  if (region === undefined)
    throw usageError('nothing tells the region of Athena for an inventory in a folder', 'name it with --region');
  if (inventory.partition === undefined)
    throw usageError(
      'the folder of this manifest is not a time (2026-05-31T01-00Z), so that its partition in Athena is not known',
      'name the manifest where S3 has put it',
    );
  if (maxScanBytes !== undefined && read.bytes > maxScanBytes)
    throw new ArchiverError(
      'budget-exceeded',
      `Athena may read ${formatBytes(read.bytes)}, and --athena-max-scan allows ${formatBytes(maxScanBytes)}`,
      { hint: `allow it: --athena-max-scan ${read.bytes}` },
    );
  context.note(
    `Athena reads ${formatBytes(read.bytes)} at most, for ${formatUsd(athenaUsd(read.bytes))} (${formatUsd(USD_PER_TB)} per TB in most regions)`,
  );
  emit({ type: 'phase', phase: 'listing' });
  const { runAthenaQuery } = await import('../../../core/money/analyze/inventory/athena-client.js');
  const { env, signal } = context;
  const { profile, endpointUrl, caBundle, athenaWorkgroup: workgroup, athenaOutputLocation: outputLocation } = values;
  const sources = { env, profile, endpointUrl, caBundle, region };
  return await tallyWithAthena({ inventory, database, table, prefix, now }, ({ sql }) =>
    runAthenaQuery(sources, { sql, database, workgroup, outputLocation, maxScanBytes, signal }),
  );
}
