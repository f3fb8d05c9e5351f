// Writes one entry of a manifest as a line of JSON, straight from the columns.
import { type EntryTable, KIND, MD5_BYTES, SHA256_BYTES, STATUS, XXH64_BYTES } from '../columns/entry-table.js';
import { rawFromNumber, TOP, type RawPath } from '../../platform/paths/raw-path.js';
import { lineText, type RareFields } from './line-text.js';
import type { Entry } from './manifest-types.js';
import { inPlace, moveSegments, type Placing } from './move-entry.js';
import { type Provenance, provenanceOf, provenanceText } from './provenance.js';

/** Fields that few entries have, kept beside the columns. */
export interface EntryExtra extends RareFields {
  /** For a row that keeps its earlier content, fields of its earlier mention; with ctime when nobody has read the content since. */
  readonly before?: Partial<Pick<Entry, 'stage' | 'commit' | 'ctime'>>;
}

/** Names of user and group IDs; undefined when this machine knows none. */
export interface AccountNames {
  user(uid: number): RawPath | undefined;
  group(gid: number): RawPath | undefined;
}

/** Fields of lines that no column has. */
export interface LineSources extends AccountNames {
  readonly provenance?: Provenance | undefined;
}

/** Types of entries in the order of `KIND`. */
export const ENTRY_TYPES = ['file', 'directory', 'symlink', 'hardlink'] as const;

const NO_DIGESTS: Digests = { md5: undefined, sha256: undefined, xxh64: undefined };

/** The entry at `index`, without a line end. `place` gives the position of a chunk in the list that the line refers to. */
export function entryLine(
  table: EntryTable,
  index: number,
  sources: LineSources,
  extra?: EntryExtra,
  place: Placing = inPlace,
): string {
  const c = table.columns;
  const path = table.path(index);
  const kind = at(c.kind, index);
  const hasContent = kind === KIND.file || kind === KIND.hardlink;
  const hasPlace = hasOnePlace(table, index, hasContent ? extra : undefined);
  const [uid, gid, linkGroup] = [at(c.uid, index), at(c.gid, index), at(c.group, index)];
  const { md5, sha256, xxh64 } = hasContent ? digestsOf(table, index) : NO_DIGESTS;
  return lineText({
    path,
    type: ENTRY_TYPES[kind] ?? 'file',
    size: hasContent ? c.size[index] : undefined,
    mtimeSeconds: at(c.mtimeSeconds, index),
    mtimeNanos: at(c.mtimeNanos, index),
    mode: at(c.mode, index),
    uid,
    gid,
    user: sources.user(uid),
    group: sources.group(gid),
    md5,
    sha256,
    xxh64,
    chunk: hasPlace ? place(at(c.chunk, index)) : undefined,
    offset: hasContent && hasPlace ? c.offset[index] : undefined,
    target: kind === KIND.symlink ? (table.targets[at(c.link, index)] ?? TOP) : undefined,
    linkGroup: linkGroup === 0 ? undefined : linkGroup,
    rare: moveSegments(extra, place),
    changed: c.status[index] === STATUS.changed ? true : undefined,
    ctimeSeconds: at(c.ctimeSeconds, index),
    ctimeNanos: at(c.ctimeNanos, index),
    inode: rawFromNumber(c.inode[index] ?? 0),
    provenance: provenanceText(provenanceOf(sources.provenance, path)),
  });
}

/** False for a row that is cut, or is not packed yet. */
const hasOnePlace = ({ columns }: EntryTable, index: number, extra: EntryExtra | undefined): boolean =>
  at(columns.chunk, index) >= 0 && extra?.segments === undefined;

const at = (column: ArrayLike<number>, index: number): number => column[index] ?? 0;

/** Hex digests; undefined when there is none. */
interface Digests {
  readonly md5: string | undefined;
  readonly sha256: string | undefined;
  readonly xxh64: string | undefined;
}

/** The checksums of row `index`. */
export const digestsOf = ({ md5, sha256, xxh64 }: EntryTable, index: number): Digests => ({
  md5: digestIn(md5, MD5_BYTES, index),
  sha256: digestIn(sha256, SHA256_BYTES, index),
  xxh64: digestIn(xxh64, XXH64_BYTES, index),
});

// All zero bits mean that there is no digest; a real XXH64 is all zero with probability 2^-64.
function digestIn(digests: Buffer, bytes: number, index: number): string | undefined {
  const start = index * bytes;
  const end = start + bytes;
  for (let byte = start; byte < end; byte++) if (digests[byte] !== 0) return digests.toString('hex', start, end);
  return undefined;
}
