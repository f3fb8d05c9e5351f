// One file of a listing, as an object and as a row of text.
import { formatTimestamp } from '../../core/manifest/timestamp.js';
import type { ChunkRecord, Entry } from '../../core/manifest/manifest-types.js';
import { displayPath, printable, textFromRaw } from '../../core/paths/raw-path.js';
import { formatBytes } from '../../ui/format.js';

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
  /** Key of the chunk relative to the upload; of the last one for a cut file. */
  readonly chunk: string | null;
  readonly shard: number | null;
  /** Of a cut file: the keys of all its chunks. */
  readonly chunks?: readonly string[];
  readonly target?: string;
  readonly linkGroup?: number;
  /** DVC stage that makes it. */
  readonly stage: string | null;
  /** Git commit at which it was uploaded. */
  readonly commit: string | null;
}

/** Positions of the chunks that hold an entry. */
const chunksOf = (entry: Entry): readonly number[] =>
  entry.segments?.map(({ chunk }) => chunk) ?? (entry.chunk === undefined ? [] : [entry.chunk]);

/** An entry for `--json`. */
export function listedFile(entry: Entry, chunks: readonly ChunkRecord[]): ListedFile {
  const held = chunksOf(entry).flatMap((chunk) => chunks[chunk] ?? []);
  const last = held.at(-1);
  const text = textFromRaw(entry.path);
  return {
    path: text ?? displayPath(entry.path),
    ...(text === undefined ? { pathBase64: Buffer.from(entry.path, 'latin1').toString('base64') } : {}),
    type: entry.type,
    size: entry.size,
    mtime: formatTimestamp(entry.mtime.seconds, entry.mtime.nanos),
    mode: entry.mode.toString(8).padStart(4, '0'),
    uid: entry.uid,
    gid: entry.gid,
    user: entry.user === undefined ? null : displayPath(entry.user),
    group: entry.group === undefined ? null : displayPath(entry.group),
    md5: entry.md5 ?? null,
    chunk: last?.key ?? null,
    shard: last?.shard ?? null,
    ...(entry.segments ? { chunks: held.map(({ key }) => key) } : {}),
    ...(entry.target === undefined ? {} : { target: displayPath(entry.target) }),
    ...(entry.linkGroup === undefined ? {} : { linkGroup: entry.linkGroup }),
    stage: entry.stage ?? null,
    commit: entry.commit ?? null,
  };
}

const SIZE_WIDTH = 10;
const MD5_WIDTH = 32;
const COMMIT_DIGITS = 10;
const TIME_LENGTH = 'YYYY-MM-DDTHH:MM:SS'.length;

/** The line above the rows. */
export function listHeader(isVerbose: boolean): string {
  const more = isVerbose ? `${'MD5'.padEnd(MD5_WIDTH)}  ${'COMMIT'.padEnd(COMMIT_DIGITS)}  SHARD  CHUNK  STAGE  ` : '';
  return `${'SIZE'.padStart(SIZE_WIDTH)}  ${'MODIFIED (UTC)'.padEnd(TIME_LENGTH)}  ${more}PATH\n`;
}

/** An entry as a row. The path comes last, so that it may be of any length. */
export function listRow(entry: Entry, chunks: readonly ChunkRecord[], isVerbose: boolean): string {
  const size = formatBytes(entry.size).padStart(SIZE_WIDTH);
  const time = formatTimestamp(entry.mtime.seconds, entry.mtime.nanos)
    .slice(0, -'.123456789Z'.length)
    .replace('T', ' ');
  const link = entry.target === undefined ? '' : ` -> ${displayPath(entry.target)}`;
  const more = isVerbose ? verboseCells(entry, chunks) : '';
  return `${size}  ${time}  ${more}${displayPath(entry.path)}${link}\n`;
}

function verboseCells(entry: Entry, chunks: readonly ChunkRecord[]): string {
  const held = chunksOf(entry).flatMap((chunk) => chunks[chunk] ?? []);
  const shard = String(held.at(-1)?.shard ?? '-').padStart('SHARD'.length);
  const keys =
    held.length > 1 ? `${displayPath(held[0]?.key ?? '')}..${held.length}` : displayPath(held[0]?.key ?? '-');
  const commit = (entry.commit?.slice(0, COMMIT_DIGITS) ?? '-').padEnd(COMMIT_DIGITS);
  const stage = entry.stage === undefined ? '-' : printable(entry.stage);
  return `${(entry.md5 ?? '-').padEnd(MD5_WIDTH)}  ${commit}  ${shard}  ${keys}  ${stage}  `;
}
