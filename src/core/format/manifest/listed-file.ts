// One file of a manifest as data for programs.
import { formatTimestamp } from './timestamp.js';
import type { ChunkRecord, Entry } from './manifest-types.js';
import { displayPath, type RawPath, textFromRaw, bytesOf } from '../../platform/paths/raw-path.js';
import { octalMode } from './line-text.js';

export interface ListedFile {
  readonly path: string;
  readonly pathBase64?: string;
  readonly type: Entry['type'];
  readonly size: number;
  readonly mtime: string;
  readonly mode: string;
  readonly uid: number;
  readonly gid: number;
  readonly user: string | null;
  readonly group: string | null;
  readonly md5: string | null;
  /** Key of the chunk, relative to the upload; for a cut file, that of the last one. */
  readonly chunk: string | null;
  readonly shard: number | null;
  /** For a cut file, the keys of all its chunks. */
  readonly chunkKeys?: readonly string[];
  readonly target?: string;
  readonly linkGroup?: number;
  /** DVC stage that produces it. */
  readonly stage: string | null;
  /** Git commit at which it was uploaded. */
  readonly commit: string | null;
}

/** Positions of the chunks that hold an entry. */
const positionsOf = (entry: Entry): readonly number[] =>
  entry.segments?.map(({ chunk }) => chunk) ?? (entry.chunk === undefined ? [] : [entry.chunk]);

/** The chunks that hold an entry. */
export const chunksOf = (entry: Entry, chunks: readonly ChunkRecord[]): readonly ChunkRecord[] =>
  positionsOf(entry).flatMap((position) => chunks[position] ?? []);

/** A path for `--json`: its text, and its bytes when it is not UTF-8. */
export function pathKeys(path: RawPath): Pick<ListedFile, 'path' | 'pathBase64'> {
  const text = textFromRaw(path);
  if (text !== undefined) return { path: text };
  return { path: displayPath(path), pathBase64: bytesOf(path).toString('base64') };
}

/** An entry for `--json`. */
export function listedFile(entry: Entry, chunks: readonly ChunkRecord[]): ListedFile {
  const held = chunksOf(entry, chunks);
  const last = held.at(-1);
  return {
    ...pathKeys(entry.path),
    type: entry.type,
    size: entry.size,
    mtime: formatTimestamp(entry.mtime.seconds, entry.mtime.nanos),
    mode: octalMode(entry.mode),
    uid: entry.uid,
    gid: entry.gid,
    user: entry.user === undefined ? null : displayPath(entry.user),
    group: entry.group === undefined ? null : displayPath(entry.group),
    md5: entry.md5 ?? null,
    chunk: last?.key ?? null,
    shard: last?.shard ?? null,
    ...(entry.segments ? { chunkKeys: held.map(({ key }) => key) } : {}),
    ...(entry.target === undefined ? {} : { target: displayPath(entry.target) }),
    ...(entry.linkGroup === undefined ? {} : { linkGroup: entry.linkGroup }),
    stage: entry.stage ?? null,
    commit: entry.commit ?? null,
  };
}
