// Counts, in one listing, what a wipe would delete and what it would leave.
import { isFenceObject } from '../../format/manifest/fence.js';
import type { ObjectStore } from '../../store/object-store.js';
import { throwIfCancelled } from '../../store/store-error.js';
import type { EventSink } from '../../events/events.js';
import { scanMeter } from '../../events/progress-meter.js';
import type { Holdings } from './holdings.js';
import { nestedBase, ownKey } from '../../dataset/own-keys.js';
import { unfinishedBytes } from '../../store/unfinished-bytes.js';
import type { UnfinishedHidden } from '../../store/unfinished-hidden.js';
import { ownUnfinished } from '../../dataset/unfinished.js';

const SAMPLES = 10;

export interface Survey {
  /** Number of our current objects. */
  readonly objects: number;
  /** Number of our older versions and delete markers. */
  readonly olderVersions: number;
  /** Bytes of objects and older versions together. */
  readonly bytes: number;
  readonly uploads: number;
  readonly datasets: number;
  /** Keys of datasets up to their id: `writers/nas/datasets/lab-01234567`. */
  readonly datasetKeys: readonly string[];
  /** Number of multipart uploads in a bucket, or temp files in a folder; null when they cannot be listed. */
  readonly unfinishedMultiparts: number | null;
  /** Bytes of these, as far as the store says. */
  readonly unfinishedBytes: number | null;
  /** Why they cannot be listed; null when they can. */
  readonly unfinishedHidden: UnfinishedHidden | null;
  readonly samples: readonly string[];
  /** Number of objects that are not ours. */
  readonly leftAlone: number;
  readonly leftAloneSamples: readonly string[];
  /** Nested bases that hold objects of ours, and that a wipe of this one leaves alone. */
  readonly nestedBases: readonly string[];
}

/** Counts the store's contents. @throws what the store says to a listing */
export async function survey(
  store: ObjectStore,
  holdings: Holdings,
  signal: AbortSignal,
  emit: EventSink,
): Promise<Survey> {
  emit({ type: 'phase', phase: 'listing' });
  const reportProgress = scanMeter(emit);
  const [uploads, datasets, nested] = [new Set<string>(), new Set<string>(), new Set<string>()];
  const [samples, leftAloneSamples]: [string[], string[]] = [[], []];
  let [objects, olderVersions, bytes, leftAlone] = [0, 0, 0, 0];
  for await (const page of holdings.pages()) {
    throwIfCancelled(signal);
    for (const { key, sizeBytes, isCurrent, isDeleteMarker } of page) {
      const own = ownKey(key);
      const isShown = isCurrent && !isDeleteMarker;
      if (own === undefined) {
        if (!isShown) continue;
        leftAlone += 1;
        if (leftAloneSamples.length < SAMPLES) leftAloneSamples.push(key);
        const base = nestedBase(key);
        if (base !== undefined) nested.add(base);
        continue;
      }
      if (isShown) objects += 1;
      else olderVersions += 1;
      bytes += sizeBytes;
      // A swept upload has only a fence left, so it does not count.
      if (own.upload !== undefined && !isFenceObject({ key, sizeBytes })) uploads.add(own.upload);
      if (own.dataset !== undefined) datasets.add(own.dataset);
      if (isShown && samples.length < SAMPLES) samples.push(key);
    }
    reportProgress(objects + olderVersions, bytes);
  }
  return {
    objects,
    olderVersions,
    bytes,
    uploads: uploads.size,
    datasets: datasets.size,
    datasetKeys: [...datasets],
    ...(await unfinishedThere(store, signal)),
    samples,
    leftAlone,
    leftAloneSamples,
    nestedBases: [...nested],
  };
}

async function unfinishedThere(
  store: ObjectStore,
  signal: AbortSignal,
): Promise<Pick<Survey, 'unfinishedMultiparts' | 'unfinishedBytes' | 'unfinishedHidden'>> {
  const { writes, unfinishedHidden } = await ownUnfinished(store, signal);
  const [count, bytes] = unfinishedHidden === null ? [writes.length, unfinishedBytes(writes)] : [null, null];
  return { unfinishedMultiparts: count, unfinishedBytes: bytes, unfinishedHidden };
}
