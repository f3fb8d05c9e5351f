// A member of a tar archive, and what its headers say of it.
import type { Timestamp } from '../manifest/manifest-types.js';
import type { RawPath } from '../../platform/paths/raw-path.js';
import { accountNumber, readHeaderFields } from './header-block.js';
import { hasAccessList, paxAttributes, paxNumber, type PaxRecords, paxTime } from './pax-records.js';
import type { SparseRun } from './sparse-runs.js';

export interface TarMember {
  readonly kind: 'file' | 'directory' | 'symlink' | 'hardlink' | 'special' | 'unknown';
  /** What a special or unknown member is: `is a FIFO`; empty for others. */
  readonly what: string;
  /** As the archive has it. */
  readonly path: RawPath;
  readonly target: RawPath;
  /** Of the file, its holes counted in. */
  readonly size: number;
  /** Where its data belong, one run after another; undefined when there are no holes. */
  readonly runs: readonly SparseRun[] | undefined;
  readonly mode: number;
  /** Undefined where the archive has no number that a system can have. */
  readonly uid: number | undefined;
  readonly gid: number | undefined;
  readonly mtime: Timestamp;
  readonly xattrs: ReadonlyMap<RawPath, Buffer> | undefined;
  /** It has access control lists as well. */
  readonly hasAccessList: boolean;
  /** Its extended header as a whole. */
  readonly records: PaxRecords;
  /** Where its data begins in the stream, after the map of a sparse file. */
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

/** A member whose data are not found yet. */
export type Draft = { -readonly [Key in keyof TarMember]: TarMember[Key] };
const whatOf = (type: string): string => SPECIAL[type] ?? `has the tar type '${type}', which is not known`;

/** What GNU tar wrote in headers of their own, because it is too long for the header. */
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

/** What a header and its extended header say of a member. `long`: what long-name headers before it said, which pax records overrule. */
export function draftMember(block: Buffer, { type, size, records, long }: Described): Draft {
  const header = readHeaderFields(block);
  const path = records.get('GNU.sparse.name') ?? records.get('path') ?? long.path ?? header.path;
  const target = records.get('linkpath') ?? long.target ?? header.target;
  const kind = KINDS[type] ?? 'unknown';
  const uid = paxNumber(records, 'uid');
  const gid = paxNumber(records, 'gid');
  return {
    // Old tars mark a folder by the slash alone.
    kind: kind === 'file' && path.endsWith('/') ? 'directory' : kind,
    what: kind === 'special' || kind === 'unknown' ? whatOf(type) : '',
    path,
    target,
    size,
    runs: undefined,
    mode: header.mode,
    uid: uid === undefined ? header.uid : accountNumber(uid),
    gid: gid === undefined ? header.gid : accountNumber(gid),
    mtime: paxTime(records, 'mtime') ?? { seconds: header.mtimeSeconds, nanos: 0 },
    xattrs: paxAttributes(records),
    hasAccessList: hasAccessList(records),
    records,
    dataOffset: 0,
    dataSize: 0,
  };
}
