// Opens the views of two versions that are compared: what both have in the same segments is not read.
import { withSegments, type LoadedManifest } from '../../format/manifest/loaded-manifest.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { loadChain, loadExpected } from './load-chain.js';
import { touchedBy } from './touched-segments.js';
import { digestsOf } from './version-view.js';
import { levelOf, type View, viewOf } from './view.js';

export interface ComparedViews {
  /** Without the entries of the segments that both have. */
  readonly from: View;
  readonly to: View;
  /** Files in these segments. */
  readonly unread: number;
}

type Chain = readonly LoadedManifest[];

/** Opens both views. @throws what `openView` throws */
export async function openCompared(
  reader: ObjectReader,
  from: VersionRecord,
  to: VersionRecord,
  signal?: AbortSignal,
): Promise<ComparedViews> {
  const before = await chainOf(reader, from, signal);
  const after = await chainOf(reader, to, signal);
  const [ours, theirs] = [await untouched(before), await untouched(after)];
  const isWanted = ({ sha256 }: { readonly sha256: string }): boolean => !(ours.has(sha256) && theirs.has(sha256));
  const open = async (chain: Chain): Promise<View> =>
    viewOf(await Promise.all(chain.map((link) => withSegments(link, { reader, isWanted, signal }))));
  const views = { from: await open(before), to: await open(after) };
  const leftOut = views.to.chain.at(-1)?.leftOut ?? [];
  return { ...views, unread: leftOut.reduce((sum, { counts }) => sum + counts.files, 0) };
}

async function chainOf(reader: ObjectReader, record: VersionRecord, signal: AbortSignal | undefined): Promise<Chain> {
  const options = { segments: 'none', signal } as const;
  const newest = await loadExpected(reader, record.uploadId, digestsOf(record), options);
  return await loadChain(reader, newest, options);
}

/** Digests of the segments that are in the view as they are. */
async function untouched(chain: Chain): Promise<ReadonlySet<string>> {
  const places = chain.at(-1)?.head.segments ?? [];
  const touched = await touchedBy(places, chain.slice(0, -1).map(levelOf));
  return new Set(places.filter((_, position) => touched.isUntouched(position)).map(({ sha256 }) => sha256));
}
