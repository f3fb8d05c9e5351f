// A chain of manifests as the versions that it shows: each manifest is read once, however many versions show what it says. The
// full listing is a stream; deltas are loaded, so that their digests are known first.
import { integrityError } from '../../platform/failures/errors.js';
import { readLoaded } from '../../format/manifest/loaded-manifest.js';
import type { Line } from '../../format/manifest/manifest-parser.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { streamLines } from '../../format/manifest/stream-lines.js';
import { manifestKeyOf, type UploadId } from '../../store/ids/upload-id.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import type { Level } from '../chain/merged-view.js';
import { loadChain, loadExpected } from '../chain/load-chain.js';
import { digestsOf } from '../chain/version-view.js';
import { assertExpected, type ExpectedDigests, expectedIn } from '../records/assert-expected.js';
import { livesOf, type Life } from './lives.js';

export interface LineageOptions {
  /** Of the dataset, by upload. */
  readonly records: ReadonlyMap<UploadId, VersionRecord>;
  readonly isWanted: (path: RawPath) => boolean;
  /** See `ManifestParserOptions`; of the full listing, because a delta may hide paths that it does not name. */
  readonly needles?: readonly RawPath[] | undefined;
  /** Told how many lines of the full listing have come. */
  readonly onLines?: ((count: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

type HistoryLevel = Pick<Level, 'uploadId' | 'mentions'>;

export interface Lineage {
  /** Newest first, as `Life` numbers them. */
  readonly uploads: readonly UploadId[];
  /** To be gone through once. Nothing counts before it has ended. @throws integrity, and what reading throws */
  lives(): AsyncGenerator<readonly Life[]>;
}

/** Opens the chain that ends in a version. @throws integrity where it is broken, and what loading throws */
export async function openLineage(reader: ObjectReader, tip: VersionRecord, options: LineageOptions): Promise<Lineage> {
  const levels = await levelsOf(reader, tip, options);
  return { uploads: levels.map(({ uploadId }) => uploadId), lives: () => livesOf(levels, options.isWanted) };
}

async function levelsOf(reader: ObjectReader, tip: VersionRecord, options: LineageOptions): Promise<HistoryLevel[]> {
  const { records, signal } = options;
  const isFull = (uploadId: UploadId): boolean => records.get(uploadId)?.listing === 'full';
  if (isFull(tip.uploadId)) return [streamed(reader, tip.uploadId, digestsOf(tip), options)];
  const newest = await loadExpected(reader, tip.uploadId, digestsOf(tip), { signal });
  const chain = await loadChain(reader, newest, { signal, stopsAt: isFull });
  const levels: HistoryLevel[] = chain.map((loaded) => ({
    uploadId: loaded.uploadId,
    mentions: () => readLoaded(loaded, { withoutNames: true }),
  }));
  const previous = chain.at(-1)?.head.previous;
  if (previous !== undefined)
    levels.push(streamed(reader, previous.uploadId, expectedIn(tip.datasetId, [previous.sha256]), options));
  return levels;
}

function streamed(
  reader: ObjectReader,
  uploadId: UploadId,
  expected: ExpectedDigests,
  { records, needles, onLines, signal }: LineageOptions,
): HistoryLevel {
  const key = manifestKeyOf(uploadId);
  return {
    uploadId,
    async *mentions(): AsyncGenerator<readonly Line[]> {
      const lines = streamLines(reader, {
        uploadId,
        withoutNames: true,
        needles,
        signal,
        onHead({ head }) {
          if (head.listing !== 'full' || head.datasetId !== records.get(uploadId)?.datasetId)
            throw integrityError(`the manifest ${key} is not the full listing that its version record names`);
        },
        onEnd: async ({ head }, sha256) => await assertExpected(reader, { head, key, sha256 }, expected, signal),
      });
      for await (const batch of lines) {
        onLines?.(batch.length);
        yield batch;
      }
    },
  };
}
