// Reads a line of `files` as archiver itself writes it (entry-line.ts) with one regular expression. V8 compiles that at its second use, so that the
// first ten thousand lines take no longer than the last: entry-json-parse.ts, which reads any line, needs four times as long for a listing of 65,000.
// What it takes it reads as that does; it leaves what is unusual (escapes, attributes, segments, other keys) and what is wrong.
import type { RawPath } from '../../platform/paths/raw-path.js';
import type { Entry, EntryType } from './manifest-types.js';
import { parseTimestamp } from './timestamp.js';

/** What was read of an entry so far. */
export type Draft = { -readonly [K in keyof Entry]?: Entry[K] } & { foreignType?: RawPath; isDeleted?: boolean };

export const TYPES: ReadonlySet<string> = new Set<EntryType>(['file', 'directory', 'symlink', 'hardlink']);
export const MAX_ID = 0xff_ff_ff_ff;

const TEXT = '"([^"\\\\]*)"';
/** Always a safe integer. */
const COUNT = String.raw`(\d{1,15})`;
const TIME = String.raw`"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z)"`;
const hex = (digits: number): string => `"([0-9a-f]{${digits}})"`;
const always = (key: string, value: string): string => `"${key}":${value}`;
const perhaps = (key: string, value: string): string => `(?:,"${key}":${value})?`;

const PLAIN = new RegExp(
  `^\\{${[
    [always('path', TEXT), always('type', `"(${[...TYPES].join('|')})"`)].join(','),
    perhaps('size', COUNT),
    `,${[always('mtime', TIME), always('mode', '"([0-7]{4})"'), always('uid', COUNT), always('gid', COUNT)].join(',')}`,
    perhaps('user', TEXT),
    perhaps('group', TEXT),
    perhaps('md5', hex(32)),
    perhaps('sha256', hex(64)),
    perhaps('xxh64', hex(16)),
    perhaps('chunk', COUNT),
    perhaps('offset', COUNT),
    perhaps('target', TEXT),
    perhaps('linkGroup', COUNT),
    `,${always('ctime', TIME)},${always('inode', TEXT)}`,
  ].join('')}\\}$`,
);

type Found = readonly (RawPath | undefined)[];

/**
 * Returns what the line says, with the position of its chunk as it is there; undefined for one that is not plain. Without `isDescriptive` what
 * restoring does not need is left out.
 */
export function readPlain(line: RawPath, isDescriptive: boolean): Draft | undefined {
  const found: Found | null = PLAIN.exec(line) as Found | null;
  if (found === null) return undefined;
  const mtime = parseTimestamp(found[4] ?? '');
  const ctime = isDescriptive ? parseTimestamp(found[17] ?? '') : mtime;
  const [uid, gid] = [Number(found[6]), Number(found[7])];
  if (mtime === undefined || ctime === undefined || uid > MAX_ID || gid > MAX_ID) return undefined;
  const draft: Draft = {
    path: found[1] as RawPath,
    type: found[2] as EntryType,
    mtime,
    mode: Number.parseInt(found[5] ?? '', 8),
    uid,
    gid,
    ctime,
  };
  addContent(draft, found);
  if (isDescriptive) addDescription(draft, found);
  return draft;
}

function addContent(draft: Draft, found: Found): void {
  const [size, md5, xxh64, chunk, offset] = [found[3], found[10], found[12], found[13], found[14]];
  if (size !== undefined) draft.size = Number(size);
  if (md5 !== undefined) draft.md5 = md5;
  if (xxh64 !== undefined) draft.xxh64 = xxh64;
  if (chunk !== undefined) draft.chunk = Number(chunk);
  if (offset !== undefined) draft.offset = Number(offset);
  const [target, linkGroup] = [found[15], found[16]];
  if (target !== undefined) draft.target = target;
  if (linkGroup !== undefined) draft.linkGroup = Number(linkGroup);
}

function addDescription(draft: Draft, found: Found): void {
  const [user, group, sha256] = [found[8], found[9], found[11]];
  if (user !== undefined) draft.user = user;
  if (group !== undefined) draft.group = group;
  if (sha256 !== undefined) draft.sha256 = sha256;
  draft.inode = found[18] as RawPath;
}
