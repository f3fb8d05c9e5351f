// Writes the histories of chain-model.ts as manifests.
import { composeManifest } from '../../src/core/format/manifest/compose-manifest.js';
import { manifestIndexOf } from '../../src/core/format/manifest/manifest-index.js';
import type { ManifestLayout } from '../../src/core/format/manifest/manifest-text.js';
import type { ManifestHead, Mention, PreviousManifest, Totals } from '../../src/core/format/manifest/manifest-types.js';
import type { Version } from './chain-model.js';
import { raw } from './raw.js';

export interface WrittenHistory {
  readonly objects: Map<string, Buffer>;
  /** Of the newest manifest. */
  readonly newest: PreviousManifest;
}

/** The manifests of a history of at least one version, each on the one before. */
export async function writtenHistory(
  history: readonly Version[],
  layout: ManifestLayout = {},
): Promise<WrittenHistory> {
  const objects = new Map<string, Buffer>();
  let previous: PreviousManifest | undefined;
  for (const { level, view } of history) {
    const totals = countsOf(level.mentions);
    const chain = { deltas: 1, entries: 1 };
    const delta =
      previous === undefined ? {} : { previous, chain, view: countsOf([...view.values()].map(({ entry }) => entry)) };
    const head: ManifestHead = {
      format: 1,
      type: 'archiver-manifest',
      requires: [],
      tool: 't',
      codec: 'c',
      uploadId: level.uploadId,
      createdAt: 'now',
      listing: previous === undefined ? 'full' : 'delta',
      datasetId: 'd',
      storage: {},
      shards: [],
      ...delta,
      chunks: level.chunks,
      totals,
      source: { path: raw('/s'), host: 'h', mode: 0, mtime: { seconds: 0, nanos: 0 }, uid: 0, gid: 0 },
      settings: {
        shardStrategy: 's',
        shardCount: 1,
        frameSize: 0,
        chunkSize: 1,
        fileChecksums: true,
        compression: { algorithm: 'zstd', level: 3 },
      },
    };
    const { bytes, sha256 } = await composeManifest(head, batchesOf(level.mentions), layout);
    objects.set(`uploads/${level.uploadId}/manifest.json.gz`, bytes);
    const index = manifestIndexOf(bytes);
    previous = { uploadId: level.uploadId, sha256, ...(index && { index }) };
  }
  if (previous === undefined) throw new Error('a history has a version');
  return { objects, newest: previous };
}

function countsOf(mentions: readonly Mention[]): Totals {
  const count = (type: string): number => mentions.filter((mention) => mention.type === type).length;
  const directories = count('directory');
  const bytes = mentions.reduce((sum, mention) => sum + (mention.type === 'deleted' ? 0 : mention.size), 0);
  const kinds = { directories, symlinks: count('symlink'), hardlinks: count('hardlink') };
  const files = mentions.length - directories - count('deleted');
  return { entries: mentions.length, files, ...kinds, bytes, storedBytes: 0, chunks: 0, skipped: 0 };
}

export async function* batchesOf<T>(all: readonly T[]): AsyncGenerator<readonly T[]> {
  yield await Promise.resolve(all);
}
