// Rewrites a manifest after its chunks got new keys. The document and its entries stay as they were written, including fields that this
// version does not know; only the keys and shards of chunks, the sums of shards and the list of replaced digests change. Of segments, those
// that list a moved chunk are written anew in the same way, in the folder of the manifest; the others are named again.
import { hash } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';
import { Readable } from 'node:stream';
import { ShardSums } from '../../dataset/chain/shard-sums.js';
import { integrityError } from '../../platform/failures/errors.js';
import { defined } from '../../platform/defined.js';
import { parseBoundedJson } from '../../platform/json/json-guard.js';
import { readObject } from '../../platform/documents/read-document.js';
import { inflateManifest } from '../../format/manifest/inflate-manifest.js';
import type { LoadedSegment } from '../../format/manifest/load-segments.js';
import { type LoadedManifest, readLoaded } from '../../format/manifest/loaded-manifest.js';
import { chunkKey, extentsOf, relativeChunkKey } from '../../format/manifest/manifest-check.js';
import { manifestIndexOf } from '../../format/manifest/manifest-index.js';
import type { ChunkRecord, SegmentPlace, ShardRecord } from '../../format/manifest/manifest-types.js';
import { ManifestText } from '../../format/manifest/manifest-text.js';
import { encodedManifest, type EncodedManifest } from '../../format/manifest/encoded-manifest.js';
import { segmentName } from '../../format/manifest/segment-key.js';
import type { EncodedSegment } from '../../format/manifest/segment-texts.js';
import { splitUploadKey, type UploadId } from '../../store/ids/upload-id.js';

const FILES = '"files":[\n';
const MAX_DEPTH = 16;

type Document = Readonly<Record<string, unknown>>;

/** Where chunks are now that have moved, by the key relative to the base that they had. */
type Moved = ReadonlyMap<string, { readonly key: string; readonly shard: number }>;

/** Encodes the manifest again with `chunks`: those of the manifest, in its order, in their new places. @throws integrity */
export async function movedManifest(loaded: LoadedManifest, chunks: readonly ChunkRecord[]): Promise<EncodedManifest> {
  const { uploadId, document, head, segments, key, bytes } = loaded;
  const moved = movedFrom(loaded, chunks);
  const places = segments && (await movedSegments(loaded, segments, moved));
  const changed = {
    ...document,
    replaces: [...(head.replaces ?? []), loaded.sha256],
    shards: await shardsOf(loaded, chunks),
    ...defined({ segments: places?.records }),
  };
  const encoded = encodedManifest(
    await rewritten(bytes, key, () => headText(changed, { from: uploadId, to: uploadId, moved })),
  );
  return { ...encoded, ...(places && { segments: places }) };
}

function movedFrom({ uploadId, head }: LoadedManifest, chunks: readonly ChunkRecord[]): Moved {
  const moved = new Map<string, { key: string; shard: number }>();
  for (const [position, { key }] of head.chunks.entries()) {
    const place = chunks[position];
    if (place === undefined || place.key === key) continue;
    moved.set(fullKey(uploadId, key), { key: fullKey(uploadId, place.key), shard: place.shard });
  }
  return moved;
}

const fullKey = (uploadId: UploadId, key: string): string => chunkKey(uploadId, key) ?? key;

interface MovedSegments {
  readonly places: readonly SegmentPlace[];
  /** The places as documents. */
  readonly records: readonly Document[];
  readonly own: readonly EncodedSegment[];
}

async function movedSegments(
  { uploadId, document, head }: LoadedManifest,
  segments: readonly LoadedSegment[],
  moved: Moved,
): Promise<MovedSegments> {
  const places: SegmentPlace[] = [];
  const records: Document[] = [];
  const own: EncodedSegment[] = [];
  const written = document['segments'] as readonly Document[];
  for (const [position, segment] of segments.entries()) {
    const { index: _old, ...place } = segment.place;
    const { index: _oldIndex, ...record } = written[position] ?? {};
    const isMoved = [...segment.positions].some((at) => moved.has(fullKey(uploadId, head.chunks[at]?.key ?? '')));
    if (!isMoved) {
      places.push(segment.place);
      records.push(written[position] ?? {});
      continue;
    }
    const bytes = await movedSegment(segment, uploadId, moved);
    const sha256 = hash('sha256', bytes, 'hex');
    const size = bytes.length;
    const next = {
      key: segmentName(position + 1, sha256),
      size,
      sha256,
      ...defined({ index: manifestIndexOf(bytes) }),
    };
    const nextPlace = { ...place, ...next };
    places.push(nextPlace);
    records.push({ ...record, ...next });
    own.push({ place: nextPlace, bytes });
  }
  return { places, records, own };
}

/** The segment as one in the folder of upload `to`. */
async function movedSegment(segment: LoadedSegment, to: UploadId, moved: Moved): Promise<Buffer> {
  const { key } = segment;
  const from = splitUploadKey(key)?.uploadId ?? to;
  return await rewritten(await segment.read(), key, (document) =>
    headText({ ...document, uploadId: to }, { from, to, moved }),
  );
}

interface Placing {
  /** The upload in whose folder the document lies, and the one in whose folder it will lie: keys of chunks are relative to these. */
  readonly from: UploadId;
  readonly to: UploadId;
  readonly moved: Moved;
}

/** The head of a manifest or segment, with segments and chunks one on a line. */
function headText({ segments, chunks, files: _files, ...document }: Document, { from, to, moved }: Placing): string {
  const lines = (items: unknown): string =>
    (items as readonly Document[]).map((item) => JSON.stringify(item)).join(',\n');
  const placed = (chunks as readonly Document[]).map((record) => {
    const full = chunkKey(from, String(record['key']));
    const place = full === undefined ? undefined : moved.get(full);
    if (full === undefined || (place === undefined && from === to)) return record;
    return { ...record, ...place, key: relativeChunkKey(to, place?.key ?? full) };
  });
  const listed = segments === undefined ? '' : `"segments":[\n${lines(segments)}\n],\n`;
  return `${JSON.stringify(document).slice(0, -1)},\n${listed}"chunks":[\n${lines(placed)}\n],\n${FILES}`;
}

/** A manifest or segment with another head, which `head` makes from its document, and the same entries. */
async function rewritten(bytes: Buffer, key: string, head: (document: Document) => string): Promise<Buffer> {
  const text = new ManifestText();
  try {
    return await text.finish(head(await copyEntries(bytes, key, text)));
  } catch (error) {
    text.destroy();
    throw error;
  }
}

/** Copies everything after the line that begins the list of entries, and returns the document before it. */
async function copyEntries(bytes: Buffer, key: string, text: ManifestText): Promise<Document> {
  const what = `the manifest ${key}`;
  const decoder = new StringDecoder('utf8');
  let head = '';
  let isHead = true;
  for await (const piece of inflateManifest(Readable.from([bytes]), { what })) {
    let part = decoder.write(piece);
    if (isHead) {
      head += part;
      const at = head.indexOf(FILES);
      if (at < 0) continue;
      part = head.slice(at + FILES.length);
      head = head.slice(0, at);
      isHead = false;
    }
    if (!text.add(part)) await text.drained();
  }
  text.add(decoder.end());
  if (isHead) throw integrityError(`${what} has no list of files`);
  return readObject(parseBoundedJson(`${head}"files":[]}`, MAX_DEPTH, what), what);
}

/** Counts files and bytes of each shard again; a cut file counts in the shard of its last part. */
async function shardsOf(loaded: LoadedManifest, chunks: readonly ChunkRecord[]): Promise<readonly ShardRecord[]> {
  const sums = new ShardSums();
  for await (const batch of readLoaded(loaded)) {
    for (const line of batch) {
      if ('foreignType' in line || line.type === 'deleted' || line.type === 'directory') continue;
      sums.add(chunks[line.chunk ?? extentsOf(line).at(-1)?.chunk ?? -1]?.shard, line.size);
    }
  }
  return sums.of(chunks);
}
