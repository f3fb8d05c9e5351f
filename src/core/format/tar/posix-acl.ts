// POSIX access control lists, between the bytes of the kernel (an extended attribute) and the text of tars (`SCHILY.acl.*`). What is written
// names accounts by their numbers: GNU tar drops the whole list, and leaves its mask to the group, where it does not know a single name.
import { type RawPath, rawFromLatin1 } from '../../platform/paths/raw-path.js';

/** Attributes of the kernel, each with the record that has the same list as text. */
export const ACL_RECORDS: ReadonlyMap<string, string> = new Map([
  ['system.posix_acl_access', 'SCHILY.acl.access'],
  ['system.posix_acl_default', 'SCHILY.acl.default'],
]);

/** Numbers of accounts by their names; undefined where a name is not known. */
export interface AccountIds {
  readonly user: (name: RawPath) => number | undefined;
  readonly group: (name: RawPath) => number | undefined;
}

interface AclEntry {
  readonly tag: number;
  /** 4 reads, 2 writes, 1 executes. */
  readonly permissions: number;
  readonly id: number;
}

const VERSION = 2;
const NO_ID = 0xffff_ffff;
const TAG = { userObject: 1, user: 2, groupObject: 4, group: 8, mask: 16, other: 32 } as const;
const WORDS: ReadonlyMap<number, string> = new Map([
  [TAG.userObject, 'user'],
  [TAG.user, 'user'],
  [TAG.groupObject, 'group'],
  [TAG.group, 'group'],
  [TAG.mask, 'mask'],
  [TAG.other, 'other'],
]);
const ONCE = [TAG.userObject, TAG.groupObject, TAG.other];

/** Entries of a list in the bytes of the kernel; undefined when it is none. */
function readEntries(bytes: Uint8Array): AclEntry[] | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength % 8 !== 4 || view.getUint32(0, true) !== VERSION) return undefined;
  const entries: AclEntry[] = [];
  for (let at = 4; at < bytes.byteLength; at += 8) {
    const tag = view.getUint16(at, true);
    const permissions = view.getUint16(at + 2, true);
    if (!WORDS.has(tag) || permissions > 7) return undefined;
    entries.push({ tag, permissions, id: view.getUint32(at + 4, true) });
  }
  return entries;
}

const isNamed = ({ tag }: AclEntry): boolean => tag === TAG.user || tag === TAG.group;
const permissionsText = (bits: number): string =>
  `${bits & 4 ? 'r' : '-'}${bits & 2 ? 'w' : '-'}${bits & 1 ? 'x' : '-'}`;

/** The text of a list in the bytes of the kernel, a line an entry as GNU tar has it; undefined when the bytes are no such list. */
export function aclText(bytes: Uint8Array): RawPath | undefined {
  const lines = readEntries(bytes)?.map(
    (entry) => `${WORDS.get(entry.tag)}:${isNamed(entry) ? entry.id : ''}:${permissionsText(entry.permissions)}\n`,
  );
  return lines && rawFromLatin1(lines.join(''));
}

/** The permission bits (0 to 0o777) that the kernel gives a file with this list; undefined when the bytes are no such list. */
export function aclMode(bytes: Uint8Array): number | undefined {
  const of = new Map(readEntries(bytes)?.map(({ tag, permissions }) => [tag, permissions]));
  const [user, group, other] = ONCE.map((tag) => of.get(tag));
  if (user === undefined || group === undefined || other === undefined) return undefined;
  return (user << 6) | ((of.get(TAG.mask) ?? group) << 3) | other;
}

/** True for a list that says no more than a mode does: the kernel keeps none of these. */
export const isPlainMode = (bytes: Uint8Array): boolean => readEntries(bytes)?.length === ONCE.length;

/**
 * The bytes of the kernel for a list as GNU tar, star or bsdtar write it: entries on lines or between commas, accounts as numbers, as names
 * with a number in a fourth field, or as names alone, which `accounts` knows. Undefined when it is no list, or a name is not known.
 */
export function aclFromText(text: RawPath, accounts: AccountIds): Buffer | undefined {
  const entries: AclEntry[] = [];
  for (const part of text.split(/[,\n]/)) {
    const clean = part.replace(/#.*$/, '').trim();
    if (clean === '') continue;
    const entry = entryFromText(clean, accounts);
    if (entry === undefined) return undefined;
    entries.push(entry);
  }
  return isWhole(entries) ? bytesOfEntries(entries) : undefined;
}

function entryFromText(text: string, accounts: AccountIds): AclEntry | undefined {
  const match = /^(user|group|mask|other|[ugmo]):(?:([^:]*):)?([r-][w-][x-])(?::(\d+))?$/.exec(text);
  if (match === null) return undefined;
  const [, word = '', name = '', letters = '', number] = match;
  const permissions = ['r', 'w', 'x'].reduce((bits, letter) => (bits << 1) | (letters.includes(letter) ? 1 : 0), 0);
  const isUser = word.startsWith('u');
  if (name === '' || !/^[ug]/.test(word)) {
    const tag = { u: TAG.userObject, g: TAG.groupObject, m: TAG.mask, o: TAG.other }[word[0] as 'u' | 'g' | 'm' | 'o'];
    return name === '' ? { tag, permissions, id: NO_ID } : undefined;
  }
  const known = rawFromLatin1(name);
  const digits = number ?? (/^\d+$/.test(name) ? name : undefined);
  const id = digits === undefined ? (isUser ? accounts.user(known) : accounts.group(known)) : Number(digits);
  if (id === undefined || id >= NO_ID) return undefined;
  return { tag: isUser ? TAG.user : TAG.group, permissions, id };
}

/** Whether the kernel takes it: the three classes of a mode once each, nobody twice, and a mask where somebody is named. */
function isWhole(entries: readonly AclEntry[]): boolean {
  const count = (tag: number): number => entries.filter((entry) => entry.tag === tag).length;
  const keys = new Set(entries.map(({ tag, id }) => `${tag} ${id}`));
  const masks = count(TAG.mask);
  return (
    ONCE.every((tag) => count(tag) === 1) &&
    keys.size === entries.length &&
    (masks === 1 || (masks === 0 && !entries.some(isNamed)))
  );
}

function bytesOfEntries(entries: readonly AclEntry[]): Buffer {
  const bytes = Buffer.alloc(4 + 8 * entries.length);
  bytes.writeUInt32LE(VERSION, 0);
  // The kernel refuses any other order.
  entries
    .toSorted((a, b) => a.tag - b.tag || a.id - b.id)
    .forEach(({ tag, permissions, id }, index) => {
      bytes.writeUInt16LE(tag, 4 + 8 * index);
      bytes.writeUInt16LE(permissions, 6 + 8 * index);
      bytes.writeUInt32LE(id, 8 + 8 * index);
    });
  return bytes;
}
