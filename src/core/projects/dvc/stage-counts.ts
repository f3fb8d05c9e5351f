// Counts the files of an upload by DVC stage, reading the manifest as a stream.
import { readView } from '../../dataset/chain/read-view.js';
import type { EventSink } from '../../events/events.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ManifestHead } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';

export interface StageCount {
  /** Everything but folders. */
  readonly files: number;
  readonly bytes: number;
}

export interface StageCounts {
  readonly head: ManifestHead;
  /** Counts by stage, in the order of the names; also of stages that made empty folders alone. */
  readonly stages: ReadonlyMap<string, StageCount>;
  /** Files without a recorded stage. */
  readonly others: StageCount;
}

export interface CountOptions {
  readonly uploadId: UploadId;
  /** Digests that its manifest may have; undefined when any is accepted. */
  readonly sha256?: readonly string[] | undefined;
  readonly emit?: EventSink;
  readonly signal: AbortSignal;
}

/** Counts the files of each stage. @throws what `readView` throws */
export async function countStages(
  reader: ObjectReader,
  { uploadId, sha256, emit, signal }: CountOptions,
): Promise<StageCounts> {
  const counts = new Map<string | undefined, { files: number; bytes: number }>();
  const { head } = await readView(reader, {
    uploadId,
    sha256,
    withoutNames: true,
    signal,
    emit,
    onEntry: ({ type, stage, size }) => {
      const count = counts.get(stage) ?? { files: 0, bytes: 0 };
      counts.set(stage, count);
      if (type === 'directory') return;
      count.files++;
      count.bytes += size;
    },
  });
  const named = [...counts].filter((pair): pair is [string, StageCount] => pair[0] !== undefined);
  const stages = new Map(named.toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return { head, stages, others: counts.get(undefined) ?? { files: 0, bytes: 0 } };
}
