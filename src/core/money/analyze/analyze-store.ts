// Lists a store, all of it or a sample, and adds up its contents.
import type { EventSink } from '../../events/events.js';
import { undefinedOn } from '../../platform/failures/errors.js';
import type { ObjectStore, ObjectVersion, ObjectReader } from '../../store/object-store.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { type UnfinishedHidden, unfinishedHidden } from '../../store/unfinished-hidden.js';
import { progressMeter } from '../../events/progress-meter.js';
import { openHoldings } from '../../mend/scuttle/holdings.js';
import type { Gaps, InventoryFormat } from './inventory/manifest.js';
import { type KeyRange, rangesBetween } from './key-range.js';
import { LEAST_RANGES, shuffled } from './sample.js';
import { scanRanges } from './scan-ranges.js';
import { type OnSeen, StoredTally } from './stored-tally.js';

const DAY_MS = 86_400_000;
/** Days after which nobody continues a multipart upload; AWS suggests this number for the rule that aborts them. */
export const STALE_DAYS = 7;
const SAMPLE_RANGES = { wanted: 500, requests: 64 };

export interface AnalyzeOptions {
  /** Number of listings at a time. */
  readonly atOnce: number;
  /** Least number of objects that a sample looks at; undefined when all objects are listed. */
  readonly sampleSize: number | undefined;
  /** The time that ages are counted from. */
  readonly now: Date;
  readonly random?: () => number;
  /** Called with each object and older version, and its key below the place that is analyzed. */
  readonly onSeen?: OnSeen | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** Multipart uploads that nobody has completed or aborted. */
export interface Unfinished {
  readonly uploads: number;
  /** Null when their sizes may not be asked for. */
  readonly bytes: number | null;
  /** Those begun at least a week ago. */
  readonly staleUploads: number;
  readonly staleBytes: number | null;
}

export interface StoreAnalysis {
  /** Counts of the whole store, estimated where only a sample was listed. */
  readonly stored: StoredTally;
  /** True when there may be older versions that may not be listed. */
  readonly versionsHidden: boolean;
  /** Null when they cannot be listed. */
  readonly unfinished: Unfinished | null;
  /** Why they cannot be listed; null when they can. */
  readonly unfinishedHidden: UnfinishedHidden | null;
  readonly sample?: Sampled | undefined;
  /** Set when an inventory was read instead of a listing. */
  readonly inventory?: InventoryRead;
}

/** An S3 Inventory report, and what it lacks. */
export interface InventoryRead extends Gaps {
  readonly createdAt: Date;
  readonly format: InventoryFormat;
  readonly files: number;
  /** Total size of the files. */
  readonly bytes: number;
  /** The Athena query, when Athena added them up instead of this program. */
  readonly athena?: { readonly queryId: string; readonly scannedBytes: number };
}

export interface Sampled {
  /** Number of key ranges that the whole store was divided into. */
  readonly ranges: number;
  /** Counts of each range that was drawn and listed. */
  readonly drawn: readonly StoredTally[];
  /** Objects and older versions that were listed. */
  readonly objects: number;
}

/** Analyzes the store. @throws what the store says to a listing of objects */
export async function analyzeStore(store: ObjectStore, options: AnalyzeOptions): Promise<StoreAnalysis> {
  const { emit, signal, sampleSize, atOnce, now } = options;
  emit({ type: 'phase', phase: 'listing' });
  const holdings = await openHoldings(store, signal);
  const { versionsHidden } = holdings;
  const meter = progressMeter(emit);
  let seen = 0;
  const list = async (ranges: readonly KeyRange[], tallyOf: (range: number) => StoredTally, isSplit: boolean) => {
    const take = (lines: readonly ObjectVersion[], range: number): void => {
      throwIfCancelled(signal);
      const tally = tallyOf(range);
      for (const line of lines) {
        tally.add(line);
        options.onSeen?.(line.key, line);
      }
      seen += lines.length;
      meter.add(
        lines.length,
        lines.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
      );
    };
    await scanRanges({ ranges, atOnce, pages: (after) => holdings.pages(after), take, isSplit });
  };
  const stored = new StoredTally(now.getTime());
  let sample: Sampled | undefined;
  if (sampleSize === undefined) {
    // A single listing needs no cuts, and in a local folder several at a time are no faster.
    const cuts = atOnce === 1 ? [] : await splitKeys(store, { wanted: atOnce, requests: atOnce, signal });
    await list(rangesBetween(evenly(cuts, atOnce)), () => stored, atOnce > 1);
  } else {
    const all = rangesBetween(await splitKeys(store, { ...SAMPLE_RANGES, signal }));
    const drawn: StoredTally[] = [];
    const waiting = [...shuffled(all, options.random ?? Math.random)];
    while (waiting.length > 0 && (drawn.length < LEAST_RANGES || seen < sampleSize)) {
      const next = waiting.splice(0, Math.max(atOnce, LEAST_RANGES - drawn.length));
      const tallies = next.map(() => new StoredTally(now.getTime()));
      await list(next, (range) => tallies[range] ?? stored, false);
      drawn.push(...tallies);
    }
    for (const tally of drawn) stored.merge(tally, all.length / drawn.length);
    sample = { ranges: all.length, drawn, objects: seen };
  }
  meter.finish();
  return { stored, versionsHidden, ...(await unfinishedOf(store, options)), sample };
}

/** Counts the uploads that were begun and neither completed nor aborted. */
export async function unfinishedOf(
  store: ObjectStore,
  options: Pick<AnalyzeOptions, 'now' | 'signal'>,
): Promise<Pick<StoreAnalysis, 'unfinished' | 'unfinishedHidden'>> {
  const seen = async (withSizes: boolean) => ({
    unfinished: await unfinished(store, withSizes, options),
    unfinishedHidden: null,
  });
  try {
    // Listing them, and listing the parts of each, need separate permissions.
    return (await seen(true).catch(undefinedOn('access-denied', 'unsupported'))) ?? (await seen(false));
  } catch (error) {
    return { unfinished: null, unfinishedHidden: unfinishedHidden(error) };
  }
}

async function unfinished(
  store: ObjectStore,
  withSizes: boolean,
  { now, signal }: Pick<AnalyzeOptions, 'now' | 'signal'>,
): Promise<Unfinished> {
  let [uploads, staleUploads] = [0, 0];
  let bytes: number | null = 0;
  let staleBytes: number | null = 0;
  for await (const { startedAt, sizeBytes } of store.listMultipart('', signal, { withSizes })) {
    const isStale = now.getTime() - startedAt.getTime() >= STALE_DAYS * DAY_MS;
    uploads += 1;
    bytes = bytes === null || sizeBytes === undefined ? null : bytes + sizeBytes;
    if (!isStale) continue;
    staleUploads += 1;
    staleBytes = staleBytes === null || sizeBytes === undefined ? null : staleBytes + sizeBytes;
  }
  return { uploads, bytes, staleUploads, staleBytes };
}

// Finds keys at which a store can be cut into ranges: its folders, from the top down, with one page of each listing.

interface SplitOptions {
  /** Number of folders that is enough. */
  readonly wanted: number;
  /** Limit of listings. */
  readonly requests: number;
  readonly signal: AbortSignal;
}

/** Returns folders with a trailing slash; more than wanted where a page has more. @throws what the store says to a listing */
async function splitKeys(reader: ObjectReader, options: SplitOptions): Promise<readonly string[]> {
  const { wanted, requests, signal } = options;
  const folders = [''];
  for (let at = 0; at < folders.length && at < requests && folders.length <= wanted; at++) {
    throwIfCancelled(signal);
    for await (const { prefixes } of reader.list({ prefix: folders[at], delimiter: '/', signal })) {
      for (const prefix of prefixes) folders.push(prefix);
      break;
    }
  }
  return folders.slice(1);
}

/** Picks at most `count` of the keys, evenly spread. */
const evenly = (keys: readonly string[], count: number): readonly string[] =>
  keys.length <= count
    ? keys
    : Array.from({ length: count }, (_, index) => keys[Math.floor((index * keys.length) / count)] ?? '');
