// Writes tar headers (POSIX ustar with pax extensions) straight into the frame buffer. Everything that fits goes into the ustar header; a
// pax header comes first only for the rest: long names, fractions of a second, large numbers, attributes, holes.
import { type RawPath, rawFromNumber, rawFromText, TOP } from '../../platform/paths/raw-path.js';
import { BLOCK, padded } from './tar-block.js';

const PAX_HEADER = rawFromText('PaxHeader');
const MAX_OCTAL_7 = 0o7777777;
const MAX_OCTAL_11 = 0o77777777777;

export type TarType = '0' | '1' | '2' | '5';

export interface NewMember {
  readonly path: RawPath;
  readonly type: TarType;
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly user: RawPath;
  readonly group: RawPath;
  readonly mtimeSeconds: number;
  readonly mtimeNanos: number;
  readonly target?: RawPath;
  /** Further pax records; keys are bytes too. */
  readonly pax?: ReadonlyMap<string, RawPath>;
}

/** Pax records that this member needs, in the order they are written; undefined for none. */
function paxRecords(member: NewMember): Map<string, RawPath> | undefined {
  let records: Map<string, RawPath> | undefined;
  const add = (key: string, value: RawPath): void => void (records ??= new Map()).set(key, value);
  if (member.path.length > 100) add('path', member.path);
  if (member.target !== undefined && member.target.length > 100) add('linkpath', member.target);
  if (member.size > MAX_OCTAL_11) add('size', rawFromNumber(member.size));
  if (member.mtimeNanos !== 0 || member.mtimeSeconds < 0 || member.mtimeSeconds > MAX_OCTAL_11) {
    add('mtime', rawFromText(paxTime(member.mtimeSeconds, member.mtimeNanos)));
  }
  if (member.uid > MAX_OCTAL_7) add('uid', rawFromNumber(member.uid));
  if (member.gid > MAX_OCTAL_7) add('gid', rawFromNumber(member.gid));
  if (member.pax !== undefined) for (const [key, value] of member.pax) add(key, value);
  return records;
}

function paxTime(seconds: number, nanos: number): string {
  if (nanos === 0) return String(seconds);
  if (seconds >= 0) return `${seconds}.${String(nanos).padStart(9, '0')}`;
  // A decimal counts from zero: 0.25 s before -1 s is -1.25
  const whole = seconds + 1;
  return `${whole === 0 ? '-0' : whole}.${String(1_000_000_000 - nanos).padStart(9, '0')}`;
}

function paxBody(records: ReadonlyMap<string, RawPath>): string {
  let body = '';
  for (const [key, value] of records) {
    const rest = ` ${key}=${value}\n`;
    let length = rest.length + 1;
    while (String(length).length + rest.length !== length) length = String(length).length + rest.length;
    body += length + rest;
  }
  return body;
}

/** The pax body that a member needs, '' for none; pass it to `headerBytes` and `writeHeader`. */
export function paxFor(member: NewMember): string {
  const records = paxRecords(member);
  return records === undefined ? '' : paxBody(records);
}

/** Number of bytes that `writeHeader` will take. */
export function headerBytes(pax: string): number {
  return pax === '' ? BLOCK : 2 * BLOCK + padded(pax.length);
}

/** Writes the header(s) of a member at `at` and returns the offset of its data. */
export function writeHeader(into: Buffer, at: number, member: NewMember, pax: string): number {
  if (pax === '') return block(into, at, member, member.path, member.type, member.size);
  const room = padded(pax.length);
  const data = block(into, at, { ...member, mode: 0o644, target: TOP }, PAX_HEADER, 'x', pax.length);
  into.fill(0, data, data + room);
  into.write(pax, data, 'latin1');
  return block(into, data + room, member, member.path, member.type, member.size);
}

const ZEROS = '00000000000';
const octal = (value: number, digits: number): string => {
  const text = value.toString(8);
  return text.length < digits ? ZEROS.slice(0, digits - text.length) + text : text;
};

function block(into: Buffer, at: number, member: NewMember, path: RawPath, type: string, size: number): number {
  into.fill(0, at, at + BLOCK);
  into.write(path.length > 100 ? path.slice(0, 100) : path, at, 'latin1');
  const uid = member.uid > MAX_OCTAL_7 ? 0 : member.uid;
  const gid = member.gid > MAX_OCTAL_7 ? 0 : member.gid;
  const seconds = member.mtimeSeconds;
  const mtime = seconds < 0 || seconds > MAX_OCTAL_11 ? 0 : seconds;
  // One write for the numbers: mode, uid, gid, size, mtime, eight spaces where the checksum goes, type
  into.write(
    `${octal(member.mode, 7)}\0${octal(uid, 7)}\0${octal(gid, 7)}\0${octal(size > MAX_OCTAL_11 ? 0 : size, 11)}\0${octal(mtime, 11)}\0        ${type}`,
    at + 100,
    'latin1',
  );
  const { target } = member;
  if (target !== undefined && target !== '') into.write(target.slice(0, 100), at + 157, 'latin1');
  into.write('ustar\x0000', at + 257, 'latin1');
  into.write(member.user.slice(0, 31), at + 265, 'latin1');
  into.write(member.group.slice(0, 31), at + 297, 'latin1');
  let sum = 0;
  for (let i = at; i < at + BLOCK; i++) sum += into[i] ?? 0;
  into.write(`${octal(sum, 6)}\0 `, at + 148, 'latin1');
  return at + BLOCK;
}
