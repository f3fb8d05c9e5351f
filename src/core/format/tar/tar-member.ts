// A member of a tar archive, from its headers.
import type { Timestamp } from '../manifest/manifest-types.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { accountNumber, readHeaderFields } from './header-block.js';
import { paxAttributes, paxNumber, type PaxRecords, paxTime } from './pax-records.js';
import type { SparseRun } from './sparse-runs.js';

export interface TarMember {
  readonly kind: 'file' | 'directory' | 'symlink' | 'hardlink' | 'special' | 'unknown';
  /** Describes a special or unknown member: `is a FIFO`; empty for others. */
  readonly what: string;
  /** Path as in the archive. */
  readonly path: RawPath;
  readonly target: RawPath;
  /** Size of the file, including its holes. */
  readonly size: number;
  /** Places of its data in the file, one run after another; undefined when there are no holes. */
  readonly runs: readonly SparseRun[] | undefined;
  readonly mode: number;
  /** Undefined when the archive has no number that a system can have. */
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  readonly mtime: Timestamp;
  readonly xattrs: ReadonlyMap<RawPath, Buffer> | undefined;
  /** All records of its extended header. */
  readonly records: PaxRecords;
  /** Offset of its data in the stream, after the map of a sparse file. */
  readonly dataOffset: number;
  /** Bytes of data in the stream. */
  readonly dataSize: number;
}

const SPECIAL: Readonly<Record<string, string>> = {
  '3': 'is a character device',
  '4': 'is a block device',
  '6': 'is a FIFO',
};
const KINDS: Readonly<Record<string, TarMember['kind']>> = {
  '0': 'file',
  '7': 'file',
  S: 'file',
  '1': 'hardlink',
  '2': 'symlink',
  '5': 'directory',
  D: 'directory',
  '3': 'special',
  '4': 'special',
  '6': 'special',
};

/** A member whose data has not been located yet. */
export type Draft = { -readonly [Key in keyof TarMember]: TarMember[Key] };
const describeType = (type: string): string => SPECIAL[type] ?? `has the tar type '${type}', which is not known`;

/** Names that GNU tar wrote in headers of their own, because they are too long for the header. */
export interface LongNames {
  readonly path?: RawPath;
  readonly target?: RawPath;
}

interface Described {
  readonly type: string;
  readonly size: number;
  readonly records: PaxRecords;
  readonly long: LongNames;
}

/** A member from its header and extended header. `long` holds names of long-name headers before it, which pax records overrule. */
export function draftMember(block: Buffer, { type, size, records, long }: Described): Draft {
  const header = readHeaderFields(block);
  const path = records.get('GNU.sparse.name') ?? records.get('path') ?? long.path ?? header.path;
  const target = records.get('linkpath') ?? long.target ?? header.target;
  const kind = KINDS[type] ?? 'unknown';
  const uid = paxNumber(records, 'uid');
  const gid = paxNumber(records, 'gid');
  return {
    // Old tars mark a folder only by the slash.
    kind: kind === 'file' && path.endsWith('/') ? 'directory' : kind,
    what: kind === 'special' || kind === 'unknown' ? describeType(type) : '',
    path,
    target,
    size,
    runs: undefined,
    mode: header.mode,
    uid: uid === undefined ? header.uid : accountNumber(uid),
    gid: gid === undefined ? header.gid : accountNumber(gid),
    mtime: paxTime(records, 'mtime') ?? { seconds: header.mtimeSeconds, nanos: 0 },
    xattrs: paxAttributes(records),
    records,
    dataOffset: 0,
    dataSize: 0,
  };
}
