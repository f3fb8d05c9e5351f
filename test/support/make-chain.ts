// Chains of uploads made by docs/format.md: a full listing and deltas on it. The view and its totals are worked out the
// plain way, mention by mention, and with nothing of src/core/dataset. Everything can be bent before it is written.
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { makeArchive, manifestText, type ArchiveSpec, type Json, type MadeArchive } from './make-archive.js';
import { asUploadId } from './as-upload-id.js';
import type { UploadId } from '../../src/core/store/ids/upload-id.js';

export interface LinkSpec extends Omit<ArchiveSpec, 'uploadId'> {
  /** Paths that are gone. */
  readonly deleted?: readonly string[];
  /** Paths of the view before, mentioned again with these changes and their old content. */
  readonly kept?: Readonly<Record<string, Json>>;
}

export interface MadeChain {
  /** Of the newest. */
  readonly uploadId: UploadId;
  /** Oldest first. */
  readonly uploadIds: readonly UploadId[];
  readonly objects: Map<string, Buffer>;
  /** What each link shows, in path order and without where the content lies; oldest first. */
  readonly views: readonly (readonly Json[])[];
  /** Oldest first; bent ones are written as they are bent. */
  readonly manifests: readonly MadeArchive['manifest'][];
  /** Writes the manifest of a link anew. The links above still expect the old one. */
  rewrite(link: number, change: (manifest: MadeArchive['manifest']) => void): void;
}

export const linkId = (link: number): UploadId => asUploadId(`20260101-000000-${String(link).padStart(8, '0')}`);
export const linkKey = (link: number): string => `uploads/${linkId(link)}/manifest.json.gz`;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const pathOf = (entry: Json): string => String(entry['path']);

interface Place {
  readonly uploadId: UploadId;
  readonly chunks: readonly Json[];
}
type View = Map<string, Json & { place: Place }>;

/** Builds the chain; the first link is the full listing. */
export function makeChain(links: readonly LinkSpec[]): MadeChain {
  const objects = new Map<string, Buffer>();
  const manifests: MadeArchive['manifest'][] = [];
  const view: View = new Map();
  const views: (readonly Json[])[] = [];
  const write = (link: number): string => {
    const bytes = gzipSync(manifestText(manifests[link] as MadeArchive['manifest']));
    objects.set(linkKey(link), bytes);
    return sha256(bytes);
  };
  let previous: string | undefined;
  links.forEach(({ deleted = [], kept = {}, bend, ...spec }, link) => {
    const uploadId = linkId(link);
    const made = makeArchive({ ...spec, uploadId });
    for (const [key, object] of made.objects) objects.set(key, object);
    const { manifest } = made;
    for (const [path, changes] of Object.entries(kept)) keep(manifest, view.get(path), changes);
    manifest.files.push(...deleted.map((path): Json => ({ path, type: 'deleted' })));
    manifest.files.sort((a, b) => Buffer.compare(Buffer.from(pathOf(a)), Buffer.from(pathOf(b))));
    apply(view, manifest, uploadId);
    views.push(shown(view));
    if (link > 0) becomeDelta(manifest, { link, previous: previous ?? '', before: manifests[link - 1], view });
    manifests.push(manifest);
    bend?.(manifest);
    previous = write(link);
  });
  return {
    uploadId: linkId(links.length - 1),
    uploadIds: links.map((_, link) => linkId(link)),
    objects,
    views,
    manifests,
    rewrite: (link, change) => {
      change(manifests[link] as MadeArchive['manifest']);
      write(link);
    },
  };
}

const shown = (view: View): readonly Json[] =>
  [...view.values()]
    .toSorted((a, b) => Buffer.compare(Buffer.from(pathOf(a)), Buffer.from(pathOf(b))))
    .map(({ place: _place, chunk: _chunk, offset: _offset, segments: _segments, ...entry }) => entry);

/** Mentions a path again: its content stays where it is, named by a key that leads there. */
function keep(
  { files, chunks }: MadeArchive['manifest'],
  known: (Json & { place: Place }) | undefined,
  changes: Json,
): void {
  if (known === undefined) throw new Error('a path that is kept must be in the view before');
  const { place, ...entry } = known;
  const there = (position: unknown): number => {
    const record = place.chunks[Number(position)] ?? {};
    const key = `../${place.uploadId}/${String(record['key'])}`;
    const at = chunks.findIndex((chunk) => chunk['key'] === key);
    return at >= 0 ? at : chunks.push({ ...record, key }) - 1;
  };
  const segments = entry['segments'] as Json[] | undefined;
  files.push({
    ...entry,
    ...(segments === undefined
      ? { chunk: there(entry['chunk']) }
      : { segments: segments.map((part) => ({ ...part, chunk: there(part['chunk']) })) }),
    ...changes,
  });
}

function apply(view: View, { files, chunks }: MadeArchive['manifest'], uploadId: UploadId): void {
  for (const file of files) {
    if (file['type'] === 'directory') continue;
    for (const path of view.keys()) if (path.startsWith(`${pathOf(file)}/`)) view.delete(path);
  }
  for (const file of files) {
    if (file['type'] === 'deleted') view.delete(pathOf(file));
    else view.set(pathOf(file), { ...file, place: { uploadId, chunks } });
  }
}

interface DeltaOf {
  readonly link: number;
  readonly previous: string;
  readonly before: MadeArchive['manifest'] | undefined;
  readonly view: View;
}

function becomeDelta(manifest: MadeArchive['manifest'], { link, previous, before, view }: DeltaOf): void {
  const below = (before?.['chain'] ?? { deltas: 0, entries: 0 }) as { deltas: number; entries: number };
  const live = manifest.files.filter((file) => file['type'] !== 'deleted');
  const totals = { ...totalsOf(live, manifest.chunks), entries: manifest.files.length };
  Object.assign(manifest, {
    listing: 'delta',
    previous: { uploadId: linkId(link - 1), sha256: previous },
    chain: { deltas: below.deltas + 1, entries: below.entries + manifest.files.length },
    view: totalsOf([...view.values()], usedChunks(view)),
    totals,
    shards: shardsOf(live, manifest.chunks),
  });
}

const positionsOf = (file: Json): number[] =>
  ((file['segments'] as Json[] | undefined) ?? [file]).flatMap(({ chunk }) =>
    chunk === undefined ? [] : [Number(chunk)],
  );

function usedChunks(view: View): Json[] {
  const used = new Map<string, Json>();
  for (const entry of view.values()) {
    for (const position of positionsOf(entry)) {
      const record = entry.place.chunks[position] ?? {};
      used.set(new URL(String(record['key']), `x:/uploads/${entry.place.uploadId}/`).pathname, record);
    }
  }
  return [...used.values()];
}

/** What `totals` of a manifest says. */
export function totalsOf(files: readonly Json[], chunks: readonly Json[]): Json {
  const count = (type: string): number => files.filter((file) => file['type'] === type).length;
  const sum = (list: readonly Json[]): number => list.reduce((total, { size }) => total + Number(size ?? 0), 0);
  return {
    entries: files.length,
    files: files.length - count('directory'),
    directories: count('directory'),
    symlinks: count('symlink'),
    hardlinks: count('hardlink'),
    bytes: sum(files),
    storedBytes: sum(chunks),
    chunks: chunks.length,
    skipped: 0,
  };
}

/** What `shards` of a manifest says. */
export function shardsOf(files: readonly Json[], chunks: readonly Json[]): Json[] {
  return [...new Set(chunks.map(({ shard }) => Number(shard)))].map((shard) => {
    const own = chunks.filter((chunk) => chunk['shard'] === shard);
    const held = files.filter(
      (file) => file['type'] !== 'directory' && chunks[positionsOf(file).at(-1) ?? -1]?.['shard'] === shard,
    );
    const { bytes } = totalsOf(held, []);
    const { storedBytes } = totalsOf([], own);
    return { shard, prefix: `shard-0${shard}`, chunks: own.length, files: held.length, bytes, storedBytes };
  });
}
