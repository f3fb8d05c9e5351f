// Lines of listings by chance: of values that archiver writes, and of some that it refuses.
import type { Entry } from '../../src/core/format/manifest/manifest-types.js';
import { formatTimestamp } from '../../src/core/format/manifest/timestamp.js';

const MD5 = 'd3e6f10a716c34d80e276931dc79169c';
export const TIME = '2026-04-21T14:49:31.000000001Z';

/** Values of each key: those that archiver writes, and those that it refuses. Empty: the key is left out. */
const VALUES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['path', ['"a/b.txt"', '"ü"', '"\\u00fc"', '"a\\"b"', '"{\\\\}"', '"}"'], ['', '7', '"a']],
  ['type', ['"file"', '"directory"', '"symlink"', '"hardlink"'], ['"deleted"', '"socket"', '']],
  ['size', ['9229', '0', '', '999999999999999', '0012'], ['9007199254740993', '-1', '1.5', '"9"']],
  [
    'mtime',
    [`"${TIME}"`, '"+012345-01-01T00:00:00.000000000Z"'],
    ['"2026-02-30T14:49:31.000000001Z"', '"2026-04-21"', ''],
  ],
  ['mode', ['"0644"', '"4755"'], ['"0888"', '"644"', '420', '']],
  ['uid', ['0', '4294967295'], ['4294967296', '-1', '']],
  ['gid', ['7', '4294967295'], ['4294967296', '']],
  ['user', ['"root"', '', '"a b"', '"\\t"'], ['1']],
  ['group', ['"staff"', ''], ['null']],
  ['md5', [`"${MD5}"`, ''], ['"D3"', `"${MD5}0"`]],
  ['sha256', ['', `"${MD5}${MD5}"`], ['"0"']],
  ['xxh64', ['"ee3931b967a23601"', ''], ['"ee"']],
  ['chunk', ['3', '', '40'], ['1e3']],
  ['offset', ['4837376', ''], ['-0']],
  ['target', ['', '"b"', '"\\\\"'], ['[]']],
  ['linkGroup', ['', '5'], ['true']],
  ['holes', ['', '', '', '[[4096,8192]]'], ['[[1]]']],
  ['changed', ['', '', '', 'true'], ['0']],
  ['ctime', ['"2026-11-27T09:20:11.879941974Z"', ''], ['"2026-11-27T24:20:11.879941974Z"', '1']],
  ['inode', ['"3932494"', '""', ''], ['3932494']],
  ['stage', ['', '', '', '"train"'], ['"\\u0000"']],
  ['later', ['', '', '', '{"than":["this"]}'], ['tru']],
];

/** A line in which so many of a hundred values are wrong. */
export function lineOf(random: (below: number) => number, wrongOfHundred: number): string {
  const members = VALUES.flatMap(([key, good, bad]) => {
    const from = random(100) < wrongOfHundred ? bad : good;
    const value = from[random(3) > 0 ? 0 : random(from.length)] ?? '';
    return value === '' ? [] : [`"${key}":${value}`];
  });
  return `{${members.join(',')}}`;
}

/** The line of an entry, with its end. */
export function listedLine({ path, type, size, mtime, mode, ctime, ...others }: Entry): string {
  const { uid, gid, user, group, md5, sha256, xxh64, chunk, offset, target, linkGroup, segments, inode } = others;
  const timeText = ({ seconds, nanos }: Entry['mtime']): string => formatTimestamp(seconds, nanos);
  const sized = type === 'file' || type === 'hardlink' ? { size } : {};
  const owned = { mtime: timeText(mtime), mode: mode.toString(8).padStart(4, '0'), uid, gid, user, group };
  const placed = { md5, sha256, xxh64, chunk, offset, target, linkGroup, segments };
  return `${JSON.stringify({ path, type, ...sized, ...owned, ...placed, ctime: timeText(ctime), inode })},\n`;
}
