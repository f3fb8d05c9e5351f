// Extended headers of tar members. Keys and values are byte strings: names that are not UTF-8 stay unchanged.
import { integrityError } from '../../platform/failures/errors.js';
import type { Timestamp } from '../manifest/manifest-types.js';
import { ACL_RECORDS, aclText } from './posix-acl.js';
import { type RawPath, rawFromBytes, rawFromLatin1, bytesOf, TOP } from '../../platform/paths/raw-path.js';

export type PaxRecords = ReadonlyMap<string, RawPath>;

const XATTR = 'SCHILY.xattr.';
const SPARSE_PAIRS = new Set(['GNU.sparse.offset', 'GNU.sparse.numbytes']);

/** Adds the records of an extended header to `records`; an empty value removes one. @throws integrity */
export function addPaxRecords(records: Map<string, RawPath>, bytes: Buffer): void {
  for (let at = 0; at < bytes.byteLength;) {
    const space = bytes.indexOf(32, at);
    const length = space < 0 ? Number.NaN : Number(bytes.toString('latin1', at, space));
    const end = at + length;
    const equals = bytes.indexOf(61, space);
    const isSound =
      Number.isSafeInteger(length) &&
      equals > space &&
      equals < end &&
      end <= bytes.byteLength &&
      bytes[end - 1] === 10;
    if (!isSound) throw integrityError('an extended header cannot be read');
    const key = rawFromBytes(bytes, space + 1, equals);
    set(records, key, rawFromBytes(bytes, equals + 1, end - 1));
    at = end;
  }
}

function set(records: Map<string, RawPath>, key: string, value: RawPath): void {
  if (SPARSE_PAIRS.has(key)) {
    // Sparse format 0.0 repeats these two keys: together they hold what format 0.1 has in one.
    const before = records.get('GNU.sparse.map');
    records.set('GNU.sparse.map', before === undefined ? value : rawFromLatin1(`${before},${value}`));
  } else if (value === '' && !key.startsWith(XATTR)) {
    records.delete(key);
  } else {
    records.set(key, value);
  }
}

/** A whole number of a record; undefined when there is no such record. @throws integrity when the value is invalid */
export function paxNumber(records: PaxRecords, key: string): number | undefined {
  const text = records.get(key);
  if (text === undefined) return undefined;
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value)) throw integrityError(`an extended header has no sound ${key}`);
  return value;
}

/** A time such as `1700000000.25` or `-1.25`, to the nanosecond. @throws integrity when the value is invalid */
export function paxTime(records: PaxRecords, key: string): Timestamp | undefined {
  const text = records.get(key);
  if (text === undefined) return undefined;
  const [, sign, whole, fraction = ''] = /^(-?)(\d{1,15})(?:\.(\d*))?$/.exec(text) ?? [];
  if (whole === undefined) throw integrityError(`an extended header has no sound ${key}`);
  const seconds = Number(whole);
  const nanos = Number(fraction.slice(0, 9).padEnd(9, '0'));
  if (sign !== '-') return { seconds, nanos };
  return nanos === 0 ? { seconds: 0 - seconds, nanos } : { seconds: -1 - seconds, nanos: 1_000_000_000 - nanos };
}

/** The records of a member with these extended attributes; lists of access are there a second time, as tars write them. */
export function attributeRecords(xattrs: ReadonlyMap<RawPath, Buffer>): Map<string, RawPath> {
  const records = new Map<string, RawPath>();
  for (const [name, value] of xattrs) {
    // Escaped as GNU tar does: a key of a record ends at its first `=`.
    records.set(`${XATTR}${name.replaceAll('%', '%25').replaceAll('=', '%3D')}`, rawFromBytes(value));
    const record = ACL_RECORDS.get(name);
    const text = record === undefined ? undefined : aclText(value);
    if (record !== undefined && text !== undefined) records.set(record, text);
  }
  return records;
}

/** Extended attributes among the records; undefined when there are none. */
export function paxAttributes(records: PaxRecords): ReadonlyMap<RawPath, Buffer> | undefined {
  let found: Map<RawPath, Buffer> | undefined;
  for (const key of records.keys()) {
    if (!key.startsWith(XATTR)) continue;
    const name = rawFromLatin1(key.slice(XATTR.length).replaceAll('%3D', '=').replaceAll('%25', '%'));
    (found ??= new Map()).set(name, bytesOf(records.get(key) ?? TOP));
  }
  return found;
}
