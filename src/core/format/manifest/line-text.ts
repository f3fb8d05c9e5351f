// The only writer of an entry's line of JSON: keys and their order (docs/format.md). Its input comes from columns (entry-line.ts) and from
// entries that were read (entry-text.ts).
import { type RawPath, textFromRaw, bytesOf } from '../../platform/paths/raw-path.js';
import type { Segment } from './manifest-types.js';
import { formatTimestamp } from './timestamp.js';

/** Fields of a line; undefined ones are left out. */
export interface LineFields {
  readonly path: RawPath;
  readonly type: string;
  readonly size: number | undefined;
  readonly mtimeSeconds: number;
  readonly mtimeNanos: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  readonly user: RawPath | undefined;
  readonly group: RawPath | undefined;
  /** Hex. */
  readonly md5: string | undefined;
  /** Hex. */
  readonly sha256: string | undefined;
  /** Hex. */
  readonly xxh64: string | undefined;
  readonly chunk: number | undefined;
  readonly offset: number | undefined;
  readonly target: RawPath | undefined;
  readonly linkGroup: number | undefined;
  readonly rare: RareFields | undefined;
  readonly changed: boolean | undefined;
  readonly ctimeSeconds: number;
  readonly ctimeNanos: number;
  readonly inode: RawPath;
  /** JSON with a leading comma; may be empty. */
  readonly provenance: string;
}

/** Fields that few entries have. */
export interface RareFields {
  readonly xattrs?: ReadonlyMap<RawPath, Uint8Array>;
  readonly holes?: readonly (readonly [number, number])[];
  readonly segments?: readonly Segment[];
}

/** The line of an entry, without a line end. */
export function lineText(fields: LineFields): string {
  const { size, md5, sha256, xxh64, chunk, offset, target, linkGroup, rare, changed } = fields;
  return (
    `{${rawProperty('path', fields.path)},"type":"${fields.type}"` +
    (size === undefined ? '' : `,"size":${size}`) +
    `,"mtime":"${formatTimestamp(fields.mtimeSeconds, fields.mtimeNanos)}","mode":"${octalMode(fields.mode)}"` +
    ownerText(fields.uid, fields.gid, fields.user, fields.group) +
    (md5 === undefined ? '' : `,"md5":"${md5}"`) +
    (sha256 === undefined ? '' : `,"sha256":"${sha256}"`) +
    (xxh64 === undefined ? '' : `,"xxh64":"${xxh64}"`) +
    (chunk === undefined ? '' : `,"chunk":${chunk}`) +
    (offset === undefined ? '' : `,"offset":${offset}`) +
    (target === undefined ? '' : `,${rawProperty('target', target)}`) +
    (linkGroup === undefined ? '' : `,"linkGroup":${linkGroup}`) +
    (rare === undefined ? '' : rareText(rare)) +
    (changed === undefined ? '' : `,"changed":${changed}`) +
    `,"ctime":"${formatTimestamp(fields.ctimeSeconds, fields.ctimeNanos)}",${rawProperty('inode', fields.inode)}` +
    `${fields.provenance}}`
  );
}

// Everything but characters that JSON must escape, and DEL and beyond, which may be anything.
// eslint-disable-next-line no-control-regex
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/;

/** A byte string as a JSON property: `"key":"text"`, or `"keyBase64":"…"` when it is not UTF-8. */
export function rawProperty(key: string, raw: RawPath): string {
  if (PLAIN.test(raw)) return `"${key}":"${raw}"`;
  const text = textFromRaw(raw);
  return text === undefined
    ? `"${key}Base64":"${bytesOf(raw).toString('base64')}"`
    : `"${key}":${JSON.stringify(text)}`;
}

/** Mode bits as four octal digits. */
export const octalMode = (mode: number): string => (mode & 0o7777).toString(8).padStart(4, '0');

/** `,"uid":…,"gid":…` and the names that are known. */
export const ownerText = (uid: number, gid: number, user: RawPath | undefined, group: RawPath | undefined): string =>
  `,"uid":${uid},"gid":${gid}${nameText('user', user)}${nameText('group', group)}`;

// A name that is not UTF-8 cannot be written as JSON, and restoring uses the number.
function nameText(key: string, raw: RawPath | undefined): string {
  if (raw === undefined) return '';
  if (PLAIN.test(raw)) return `,"${key}":"${raw}"`;
  const text = textFromRaw(raw);
  return text === undefined ? '' : `,"${key}":${JSON.stringify(text)}`;
}

function rareText({ segments, holes, xattrs }: RareFields): string {
  let line = '';
  if (segments !== undefined) line += `,"segments":${JSON.stringify(segments)}`;
  if (holes !== undefined) line += `,"holes":${JSON.stringify(holes)}`;
  if (xattrs !== undefined) line += `,"xattrs":{${[...xattrs].map(xattr).join(',')}}`;
  return line;
}

function xattr([name, value]: readonly [RawPath, Uint8Array]): string {
  const text = name.startsWith('base64:') ? undefined : textFromRaw(name);
  const key = text ?? `base64:${bytesOf(name).toString('base64')}`;
  return `${JSON.stringify(key)}:"${Buffer.from(value).toString('base64')}"`;
}
