// Reports what a check could not read because it is in cold storage: how much, what it costs to retrieve, and the command that requests it.
import type { Pricing } from '../../cli/context.js';
import { roundedUsd } from '../../core/cost/money.js';
import type { RetrievalEstimate } from '../../core/cost/retrieval-cost.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import type { ColdCount } from '../../core/mend/verify/cold-chunks.js';
import { formatBytes, formatCount, formatQuantity } from '../../ui/format.js';
import { formatUsd } from '../../ui/format-usd.js';
import { fact } from './lines.js';
import { restoreCommand } from './restore-command.js';

/** The cheapest tier, which every cold class has; the days are the default of `archiver restore`. */
const TIER = 'bulk' as const;
const RESTORE_DAYS = 7;

export const chunksIn = (counts: readonly ColdCount[]): number => counts.reduce((sum, { chunks }) => sum + chunks, 0);

export interface ThawEstimate extends RetrievalEstimate {
  /** Says where the prices come from, for a server that may have other prices. */
  readonly pricesText: string | undefined;
}

/** Estimates the cost of requesting the chunks that were not requested yet. */
export async function thawEstimate(
  counts: readonly ColdCount[],
  opened: Pick<OpenedStore, 'store' | 'region' | 'isAws' | 'runBy'>,
  context: Pricing,
): Promise<ThawEstimate> {
  const [{ estimateRetrieval }, { pricedBy }, { sourceText }] = await Promise.all([
    import('../../core/cost/retrieval-cost.js'),
    import('./prices.js'),
    import('./cost-lines.js'),
  ]);
  const chunks = counts
    .filter(({ state }) => state === 'cold')
    .map(({ storageClass, chunks, bytes }) => ({
      storageClass,
      sizeBytes: bytes,
      objects: chunks,
      isReadable: false,
      // Reading them afterwards costs what any check costs, so it is not counted.
      fetchedBytes: 0,
      gets: 0,
    }));
  const { store, region, isAws } = opened;
  const place = { ...pricedBy(context, opened), region, isAws, isFolder: store.url.startsWith('file:') };
  const estimate = estimateRetrieval({ ...place, chunks, tier: TIER, days: RESTORE_DAYS });
  return { ...estimate, pricesText: isAws ? undefined : sourceText(estimate) };
}

/** The estimate for JSON. */
export const thawDocument = ({ costUsd, provider, region, pricesOf, terms }: RetrievalEstimate) => ({
  costUsd: roundedUsd(costUsd),
  tier: TIER,
  restoreDays: RESTORE_DAYS,
  provider,
  region,
  pricesOf,
  terms,
});

/** Lines about the unread chunks; none when everything could be read. */
export function unreadLines(counts: readonly ColdCount[], estimate: ThawEstimate): readonly string[] {
  const all = chunksIn(counts);
  if (all === 0) return [];
  const classes = [...new Set(counts.map(({ storageClass }) => printable(storageClass)))].join(', ');
  const bytes = counts.reduce((sum, count) => sum + count.bytes, 0);
  const thawing = chunksIn(counts.filter(({ state }) => state === 'thawing'));
  const what = `${formatQuantity(all, 'chunk')} in cold storage (${classes}; ${formatBytes(bytes)})`;
  const price = `${formatUsd(estimate.costUsd)} to request (${TIER} tier, readable for ${RESTORE_DAYS} days)`;
  if (thawing === all) return [fact('not read', `${what}, requested already`)];
  const prices = estimate.pricesText === undefined ? [] : [fact('prices', estimate.pricesText)];
  if (thawing === 0) return [fact('not read', `${what}; ${price}`), ...prices];
  const some = `${what}, ${formatCount(thawing)} of them requested already; the rest costs ${price}`;
  return [fact('not read', some), ...prices];
}

/** A hint with the command that requests all of them, for chunks of one upload. */
export const requestHint = (location: string): string =>
  `${restoreCommand({ location, outputDir: './out', files: undefined })} --tier ${TIER} requests them; then verify again`;
