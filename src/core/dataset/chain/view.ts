// The effective view of an upload: its contents, whether its manifest lists everything or only the changes since the one before. Manifests
// are read whole, and each digest is checked against the next newer manifest before any entry is used.
import {
  type LoadedManifest,
  readLoaded,
  type ReadLoadedOptions,
  textsOf,
} from '../../format/manifest/loaded-manifest.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ManifestHead, Totals } from '../../format/manifest/manifest-types.js';
import { united } from '../../format/manifest/path-range.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { ExpectedDigests } from '../records/assert-expected.js';
import { defined } from '../../platform/defined.js';
import { withCheckedTotals } from './entry-sums.js';
import { loadChain, loadExpected, type LoadOptions } from './load-chain.js';
import { mergeLevels } from './merge-levels.js';
import type { Level, MergedView } from './merged-view.js';

export interface View extends MergedView {
  /** Head of the newest manifest, as it was written. */
  readonly head: ManifestHead;
  /** Document of the newest manifest, without `files`. */
  readonly document: Readonly<Record<string, unknown>>;
  /** The manifests, newest first; the last one is a full listing. */
  readonly chain: readonly LoadedManifest[];
  /** Totals of the effective view. */
  readonly totals: Totals;
}

export interface OpenViewOptions extends LoadOptions {
  readonly uploadId: UploadId;
  /** Digests that the newest manifest may have. */
  readonly sha256?: string | ExpectedDigests;
}

/** Opens the view of an upload. @throws not-found, access-denied, integrity where the chain is broken, unsupported */
export async function openView(reader: ObjectReader, options: OpenViewOptions): Promise<View> {
  const { uploadId, sha256 = [] } = options;
  const newest = await loadExpected(reader, uploadId, typeof sha256 === 'string' ? [sha256] : sha256, options);
  return viewOf(await loadChain(reader, newest, options));
}

/**
 * The view of a loaded chain. Its entries end with an error when they do not add up to `totals`. `needles` leave out entries of its full
 * listing, and nothing is checked then; `ranges` leave out others where the chain has only a part. @throws integrity
 */
export function viewOf(chain: readonly LoadedManifest[], options: ReadLoadedOptions = {}): View {
  const [newest] = chain;
  if (newest === undefined) throw new RangeError('a chain has at least one manifest');
  const { withoutNames, needles } = options;
  const isPart = chain.some((loaded) => loaded.isPart === true);
  const ranges = isPart && options.ranges !== undefined ? united(options.ranges) : undefined;
  // A delta may hide paths that it does not name, so only the oldest level, the full listing, can be searched.
  const levels = chain.map((loaded, index) =>
    levelReading(loaded, { withoutNames, ranges, needles: index === chain.length - 1 ? needles : undefined }),
  );
  const { head, document, uploadId, key } = newest;
  const totals = head.view ?? head.totals;
  // With the highest number of a group known, groups have the same numbers whichever segments are read.
  const merged = mergeLevels(levels, uploadId, defined({ linkGroups: chain.at(-1)?.head.linkGroups }));
  return {
    ...(isPart || needles !== undefined ? merged : withCheckedTotals(merged, totals, key, chain.at(-1)?.leftOut)),
    head,
    document,
    chain,
    totals,
  };
}

/** Turns a manifest into a level, to merge something newer onto it. */
export const levelOf = (loaded: LoadedManifest): Level => levelReading(loaded, {});

const levelReading = (loaded: LoadedManifest, options: ReadLoadedOptions): Level => ({
  uploadId: loaded.uploadId,
  chunks: loaded.head.chunks,
  mentions: () => readLoaded(loaded, options),
  texts: options.needles === undefined ? () => textsOf(loaded, options) : undefined,
});
