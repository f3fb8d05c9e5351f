// The records of a zip (APPNOTE.TXT 6.3.10), little-endian.

/** What is said of an entry: before its content, and in the directory at the end. */
export interface ZipRecord {
  readonly name: Buffer;
  /** Type and permissions, as of Unix. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly mtimeSeconds: number;
  /** Of its local header. */
  readonly offset: number;
  /** Checksum and sizes follow the content, which is deflated; otherwise it is stored, and they are known before. */
  readonly isStream: boolean;
  /** Sizes have 64 bits. */
  readonly is64: boolean;
  readonly crc32: number;
  readonly size: number;
  readonly compressedSize: number;
}

type Sums = Pick<ZipRecord, 'crc32' | 'size' | 'compressedSize'>;

const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;
const UTF8 = 1 << 11;
const FOLLOWS = 1 << 3;
const DEFLATE = 8;
const NEEDS_20 = 20;
const NEEDS_64 = 45;
const UNIX = 3 << 8;
const DOS_FOLDER = 0x10;
const S_IFMT = 0o170000;
const S_IFDIR = 0o040000;

type Field = readonly [bytes: 2 | 4 | 8, value: number];

function fields(...all: readonly Field[]): Buffer {
  const bytes = Buffer.alloc(all.reduce((sum, [length]) => sum + length, 0));
  let at = 0;
  for (const [length, value] of all) {
    if (length === 2) bytes.writeUInt16LE(value, at);
    else if (length === 4) bytes.writeUInt32LE(value, at);
    else bytes.writeBigUInt64LE(BigInt(value), at);
    at += length;
  }
  return bytes;
}

/** Time and date of DOS in local time, from 1980 to 2107; who knows better reads the field with seconds of Unix. */
function dosTime(seconds: number): readonly [time: number, date: number] {
  const at = new Date(seconds * 1000);
  const year = at.getFullYear();
  if (year < 1980) return [0, 0x21];
  if (year > 2107) return [0xbf7d, 0xff9f];
  const time = (at.getHours() << 11) | (at.getMinutes() << 5) | (at.getSeconds() >> 1);
  return [time, ((year - 1980) << 9) | ((at.getMonth() + 1) << 5) | at.getDate()];
}

const isUnixTime = (seconds: number): boolean => seconds >= -0x80000000 && seconds <= 0x7fffffff;

/** Modification time (UT) and owner (ux), as Info-ZIP has them. */
function unixFields({ mtimeSeconds, uid, gid }: ZipRecord): Buffer {
  const time = isUnixTime(mtimeSeconds)
    ? [fields([2, 0x5455], [2, 5]), Buffer.of(1), fields([4, mtimeSeconds >>> 0])]
    : [];
  const owner = [fields([2, 0x7875], [2, 11]), Buffer.of(1, 4), fields([4, uid]), Buffer.of(4), fields([4, gid])];
  return Buffer.concat([...time, ...owner]);
}

const method = ({ isStream }: ZipRecord): number => (isStream ? DEFLATE : 0);
const flags = ({ isStream }: ZipRecord): number => UTF8 | (isStream ? FOLLOWS : 0);

export function localHeader(record: ZipRecord): Buffer {
  const { name, is64, isStream, crc32, size, compressedSize, mtimeSeconds } = record;
  const [time, date] = dosTime(mtimeSeconds);
  const large = is64 ? fields([2, 1], [2, 16], [8, 0], [8, 0]) : Buffer.alloc(0);
  const extra = Buffer.concat([large, unixFields(record)]);
  const known = is64 ? MAX_32 : undefined;
  const head = fields(
    [4, 0x04034b50],
    [2, is64 ? NEEDS_64 : NEEDS_20],
    [2, flags(record)],
    [2, method(record)],
    [2, time],
    [2, date],
    [4, isStream ? 0 : crc32],
    [4, known ?? (isStream ? 0 : compressedSize)],
    [4, known ?? (isStream ? 0 : size)],
    [2, name.byteLength],
    [2, extra.byteLength],
  );
  return Buffer.concat([head, name, extra]);
}

/** What follows the content of a stream. */
export const descriptor = ({ is64 }: ZipRecord, { crc32, size, compressedSize }: Sums): Buffer => {
  const width = is64 ? 8 : 4;
  return fields([4, 0x08074b50], [4, crc32], [width, compressedSize], [width, size]);
};

/** An entry of the directory. */
export function centralRecord(record: ZipRecord): Buffer {
  const { name, mode, offset, crc32, size, compressedSize, mtimeSeconds, is64 } = record;
  const [time, date] = dosTime(mtimeSeconds);
  const large: Field[] = [];
  const narrow = (value: number): number => {
    if (value < MAX_32) return value;
    large.push([8, value]);
    return MAX_32;
  };
  // The order of the field is size, compressed size, offset.
  const [shownSize, shownCompressed, shownOffset] = [narrow(size), narrow(compressedSize), narrow(offset)];
  const field64 = large.length === 0 ? Buffer.alloc(0) : fields([2, 1], [2, 8 * large.length], ...large);
  const extra = Buffer.concat([field64, unixFields(record)]);
  const needs = is64 || large.length > 0 ? NEEDS_64 : NEEDS_20;
  const head = fields(
    [4, 0x02014b50],
    [2, UNIX | NEEDS_64],
    [2, needs],
    [2, flags(record)],
    [2, method(record)],
    [2, time],
    [2, date],
    [4, crc32],
    [4, shownCompressed],
    [4, shownSize],
    [2, name.byteLength],
    [2, extra.byteLength],
    [2, 0],
    [2, 0],
    [2, 0],
    [4, mode * 0x10000 + ((mode & S_IFMT) === S_IFDIR ? DOS_FOLDER : 0)],
    [4, shownOffset],
  );
  return Buffer.concat([head, name, extra]);
}

/** The end of the directory, with that of 64 bits where it is needed. */
export function endRecords(count: number, start: number, size: number): Buffer {
  const shown = Math.min(count, MAX_16);
  const end = fields(
    [4, 0x06054b50],
    [2, 0],
    [2, 0],
    [2, shown],
    [2, shown],
    [4, Math.min(size, MAX_32)],
    [4, Math.min(start, MAX_32)],
    [2, 0],
  );
  if (count < MAX_16 && start < MAX_32 && size < MAX_32) return end;
  const version: readonly Field[] = [
    [2, UNIX | NEEDS_64],
    [2, NEEDS_64],
  ];
  const end64 = fields(
    [4, 0x06064b50],
    [8, 44],
    ...version,
    [4, 0],
    [4, 0],
    [8, count],
    [8, count],
    [8, size],
    [8, start],
  );
  const locator = fields([4, 0x07064b50], [4, 0], [8, start + size], [4, 1]);
  return Buffer.concat([end64, locator, end]);
}
