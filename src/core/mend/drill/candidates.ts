// The contents of a version that a drill may choose from, each once, under whichever path comes first: where it lies, how many bytes it has,
// and whether it can be proven. Some 40 bytes of memory for each; paths are read again for those that are chosen.
import { readView } from '../../dataset/chain/read-view.js';
import { contentPlace } from '../../dataset/checks/content-place.js';
import type { ExpectedDigests } from '../../dataset/records/assert-expected.js';
import type { EventSink } from '../../events/events.js';
import type { Entry, ManifestHead } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import { checkObjects } from '../verify/check-objects.js';
import { ColdChunks, type ColdCount } from '../verify/cold-chunks.js';
import { Problems } from '../verify/problem.js';

export interface VersionToRead {
  readonly reader: ObjectReader;
  readonly uploadId: UploadId;
  readonly manifestSha256: ExpectedDigests;
  readonly now: () => Date;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** A content. */
export interface Candidate {
  readonly place: number;
  readonly bytes: number;
  /** Set when it cannot be proven now: it has no checksum to compare with, or lies in cold storage. */
  readonly hindrance?: 'unchecked' | 'cold';
}

export interface Candidates {
  readonly contents: readonly Candidate[];
  /** Chunks in cold storage that contents lie in. */
  readonly cold: readonly ColdCount[];
}

const chunksOf = ({ chunk, segments }: Entry): readonly number[] =>
  segments?.map((piece) => piece.chunk) ?? (chunk === undefined ? [] : [chunk]);

/** Calls `onContent` with the first entry of each content. @throws what `readView` throws */
export async function eachContent(
  { reader, uploadId, manifestSha256, emit, signal }: VersionToRead,
  onContent: (place: number, entry: Entry) => void,
): Promise<ManifestHead> {
  const seen = new Set<number>();
  let head: ManifestHead | undefined;
  const view = await readView(reader, {
    uploadId,
    sha256: manifestSha256,
    withoutNames: true,
    emit,
    signal,
    onHead: (parsed) => ({ head } = parsed),
    onEntry: (entry) => {
      const place = head && contentPlace(entry, head);
      if (place === undefined || seen.has(place)) return;
      seen.add(place);
      onContent(place, entry);
    },
  });
  return view.head;
}

/** Reads the contents of a version, and asks the store which of them lie in cold storage. @throws what the store throws */
export async function readCandidates(version: VersionToRead): Promise<Candidates> {
  const { reader, now, signal } = version;
  const read: { place: number; bytes: number; isChecked: boolean; chunks: readonly number[] }[] = [];
  const head = await eachContent(version, (place, entry) =>
    read.push({ place, bytes: entry.size, isChecked: entry.md5 !== undefined, chunks: chunksOf(entry) }),
  );
  // What is missing is found by the restore that follows.
  const found = await checkObjects({ reader, head, errors: new Problems(), warnings: new Problems(), signal });
  const chunks = new ColdChunks({ reader, head, now, signal });
  const readable = new Set(await chunks.skip([...new Set(read.flatMap((one) => one.chunks))], found));
  const contents = read.map(({ place, bytes, isChecked, chunks: its }): Candidate => {
    if (!isChecked) return { place, bytes, hindrance: 'unchecked' };
    return its.every((chunk) => readable.has(chunk)) ? { place, bytes } : { place, bytes, hindrance: 'cold' };
  });
  return { contents, cold: chunks.counts };
}
