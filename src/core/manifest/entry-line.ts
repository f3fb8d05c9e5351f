// One entry of a manifest as its line of JSON, straight from the columns: no object per file. docs/format.md has the keys.
import { type EntryTable, KIND, STATUS } from '../archive/scan/entry-table.js';
import { type RawPath, textFromRaw } from '../paths/raw-path.js';
import type { Entry, Segment } from './manifest-types.js';
import { type Provenance, provenanceOf, provenanceText } from './provenance.js';
import { formatTimestamp } from './timestamp.js';

/** What few entries have, kept beside the columns. */
export interface EntryExtra {
  readonly xattrs?: ReadonlyMap<RawPath, Uint8Array>;
  readonly holes?: readonly (readonly [number, number])[];
  readonly segments?: readonly Segment[];
  /** Of a row that keeps its earlier content: what its earlier mention said. */
  readonly before?: Pick<Entry, 'stage' | 'commit'>;
}

/** Names of user and group numbers; undefined where this machine knows none. */
export interface AccountNames {
  user(uid: number): string | undefined;
  group(gid: number): string | undefined;
}

/** What lines say that no column has. */
export interface LineSources extends AccountNames {
  readonly provenance?: Provenance | undefined;
}

// What JSON must escape, and DEL and beyond, which may be anything.
// eslint-disable-next-line no-control-regex
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** A byte string as a JSON property: `"key":"text"`, or `"keyBase64":"…"` where it is not UTF-8. */
export function rawProperty(key: string, raw: RawPath): string {
  if (PLAIN.test(raw)) return `"${key}":"${raw}"`;
  const text = textFromRaw(raw);
  return text === undefined
    ? `"${key}Base64":"${Buffer.from(raw, 'latin1').toString('base64')}"`
    : `"${key}":${JSON.stringify(text)}`;
}

/** A number of bits as four octal digits. */
export const octalMode = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0');

const TYPES = ['file', 'directory', 'symlink', 'hardlink'] as const;

/** The entry at `index`, without a line end. */
export function entryLine(table: EntryTable, index: number, sources: LineSources, extra?: EntryExtra): string {
  const c = table.columns;
  const path = table.path(index);
  const hasContent = c.kind[index] === KIND.file || c.kind[index] === KIND.hardlink;
  return (
    `{${rawProperty('path', path)},"type":"${TYPES[at(c.kind, index)] ?? 'file'}"` +
    (hasContent ? `,"size":${c.size[index]}` : '') +
    `,"mtime":"${formatTimestamp(at(c.mtimeSeconds, index), at(c.mtimeNanos, index))}"` +
    `,"mode":"${octalMode(at(c.mode, index))}"${owner(at(c.uid, index), at(c.gid, index), sources)}` +
    (hasContent ? content(table, index, extra) : `,"chunk":${c.chunk[index]}`) +
    rareParts(table, index, extra) +
    `,"ctime":"${formatTimestamp(at(c.ctimeSeconds, index), at(c.ctimeNanos, index))}","inode":"${c.inode[index]}"` +
    `${provenanceText(provenanceOf(sources.provenance, path))}}`
  );
}

const at = (column: ArrayLike<number>, index: number): number => column[index] ?? 0;

function rareParts(table: EntryTable, index: number, extra: EntryExtra | undefined): string {
  const c = table.columns;
  let line = '';
  if (c.kind[index] === KIND.symlink) line += `,${rawProperty('target', table.targets[at(c.link, index)] ?? '')}`;
  if (c.group[index] !== 0) line += `,"linkGroup":${c.group[index]}`;
  if (extra !== undefined) line += extrasText(extra);
  if (c.status[index] === STATUS.changed) line += ',"changed":true';
  return line;
}

/** `,"uid":…,"gid":…` and the names that are known. */
export function owner(uid: number, gid: number, names: AccountNames): string {
  const user = names.user(uid);
  const group = names.group(gid);
  return (
    `,"uid":${uid},"gid":${gid}` +
    (user === undefined ? '' : `,"user":${JSON.stringify(user)}`) +
    (group === undefined ? '' : `,"group":${JSON.stringify(group)}`)
  );
}

function content(table: EntryTable, index: number, extra: EntryExtra | undefined): string {
  const c = table.columns;
  const start = index * 16;
  const md5 = hasMd5(table, index) ? `,"md5":"${table.md5.toString('hex', start, start + 16)}"` : '';
  return extra?.segments === undefined ? `${md5},"chunk":${c.chunk[index]},"offset":${c.offset[index]}` : md5;
}

// All zero bits mean that no checksum was made; a real MD5 is that with probability 2^-128.
function hasMd5(table: EntryTable, index: number): boolean {
  for (let i = index * 16; i < index * 16 + 16; i++) if (table.md5[i] !== 0) return true;
  return false;
}

/** `,"segments":…,"holes":…,"xattrs":…`, whichever there are. */
export function extrasText(extra: EntryExtra): string {
  let line = '';
  if (extra.segments !== undefined) line += `,"segments":${JSON.stringify(extra.segments)}`;
  if (extra.holes !== undefined) line += `,"holes":${JSON.stringify(extra.holes)}`;
  if (extra.xattrs !== undefined) line += `,"xattrs":{${[...extra.xattrs].map(xattr).join(',')}}`;
  return line;
}

function xattr([name, value]: readonly [RawPath, Uint8Array]): string {
  const text = name.startsWith('base64:') ? undefined : textFromRaw(name);
  const key = text ?? `base64:${Buffer.from(name, 'latin1').toString('base64')}`;
  return `${JSON.stringify(key)}:"${Buffer.from(value).toString('base64')}"`;
}
