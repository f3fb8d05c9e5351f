// Rebuilds the manifest from the chosen layers: as a delta if it was one and the previous version can be read, else as a full listing.
import { compactView } from '../../dataset/chain/compact-view.js';
import { mergeLevels } from '../../dataset/chain/merge-levels.js';
import type { MergedView } from '../../dataset/chain/merged-view.js';
import { summarize } from '../../dataset/chain/summarize.js';
import { namedManifest } from '../../format/manifest/loaded-manifest.js';
import type { View } from '../../dataset/chain/view.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { ChunkRecord, Entry, ManifestHead, ShardRecord, Totals } from '../../format/manifest/manifest-types.js';
import type { Choice } from './choose-layers.js';
import type { Layer } from './layers.js';
import type { ReadDigests } from './read-used.js';
import type { DescriptiveHead } from './rebuild-head.js';
import type { TableFolder } from './table-folder.js';

export interface RebuildOptions {
  readonly choice: Choice;
  readonly digests: ReadDigests;
  readonly describing: DescriptiveHead;
  /** The previous version, when the manifest is to be a delta on it and the lowest layers are its chain. */
  readonly before: View | undefined;
  /** Number of paths that the version left out, as far as a record says. */
  readonly skipped: number;
}

export interface Rebuilt {
  readonly head: ManifestHead;
  entries(): AsyncIterable<readonly Entry[]>;
  /** Totals of the effective view. */
  readonly totals: Totals;
  /** The effective view; keys are relative to the upload. */
  readonly view: MergedView;
  /** The newest other upload whose entries were used. */
  readonly takenFrom: string | undefined;
}

/** Rebuilds the manifest. @throws what the layers throw */
export async function rebuild(options: RebuildOptions): Promise<Rebuilt> {
  const { choice, digests, describing, before, skipped } = options;
  const { uploadId } = describing;
  const view = digests.view(compactView(choice.view, choice.used), uploadId);
  const [own, next] = choice.layers;
  if (before !== undefined) return await asDelta(options, before, view);
  if (next === undefined && own?.tables !== undefined && own.hasSegments === undefined) {
    const listed = await openOwnView(own.tables);
    const totals = { ...listed.totals, skipped };
    const chunks = digests.chunks(listed.chunks, uploadId);
    const head = { ...describing, listing: 'full', totals, shards: listed.shards, chunks } as const;
    return { head, entries: () => listed.entries(), totals, view, takenFrom: undefined };
  }
  const totals = { ...choice.totals, skipped };
  const head = { ...describing, listing: 'full', totals, shards: choice.shards, chunks: view.chunks } as const;
  return { head, entries: () => view.entries(), totals, view, takenFrom: next?.uploadId };
}

async function asDelta(
  { choice, digests, describing, skipped }: RebuildOptions,
  before: View,
  view: MergedView,
): Promise<Rebuilt> {
  const { uploadId } = describing;
  const top = topLayers(choice.layers, before);
  const own = await summaryOf(top, uploadId);
  const [newest] = before.chain;
  const { deltas = 0, entries = 0 } = before.head.chain ?? {};
  const totals = { ...choice.totals, skipped };
  const head: ManifestHead = {
    ...describing,
    listing: 'delta',
    previous: namedManifest(before.head.uploadId, newest),
    chain: { deltas: deltas + 1, entries: entries + own.totals.entries },
    view: totals,
    datasetId: before.head.datasetId,
    totals: { ...own.totals, skipped },
    shards: own.shards,
    chunks: digests.chunks(own.chunks, uploadId),
  };
  return { head, entries: () => own.entries(), totals, view, takenFrom: top[1]?.uploadId };
}

/** Returns the layers above the chain of the previous version. */
const topLayers = (layers: readonly Layer[], before: View): readonly Layer[] =>
  layers.slice(0, layers.length - before.chain.length);

async function summaryOf(top: readonly Layer[], uploadId: UploadId): ReturnType<typeof openOwnView> {
  const [own, next] = top;
  if (next === undefined && own?.tables !== undefined) return await openOwnView(own.tables);
  const levels = top.map(({ level }) => level);
  const merged = mergeLevels(levels, uploadId);
  const { totals, shards, used } = await summarize(merged);
  const view = compactView(merged, used);
  return { chunks: view.chunks, totals, shards, entries: () => view.entries() };
}

/** A full listing of an upload's chunks by their own tables of contents, which includes every chunk, used or not. */
interface OwnView {
  readonly chunks: readonly ChunkRecord[];
  /** `chunks` and `storedBytes` count every chunk, used or not, because the manifest lists them all. `skipped` is 0. */
  readonly totals: Totals;
  readonly shards: readonly ShardRecord[];
  entries(): AsyncIterable<readonly Entry[]>;
}

/** Reads the tables once. @throws integrity, unsupported */
async function openOwnView({ level }: TableFolder): Promise<OwnView> {
  const { chunks } = level;
  const entries = (): AsyncIterable<readonly Entry[]> => level.entries();
  const summary = await summarize({ chunks, entries });
  const totals = {
    ...summary.totals,
    chunks: chunks.length,
    storedBytes: chunks.reduce((sum, { size }) => sum + size, 0),
  };
  return { chunks, totals, shards: summary.shardsOf(chunks), entries };
}
