// An entry that was read, or a deletion, as its line of JSON: what `EntryParser` turns back into the same object. Keys and
// their order are those of entry-line.ts, which writes straight from the columns.
import { type RawPath, textFromRaw } from '../paths/raw-path.js';
import { extrasText, octalMode, rawProperty } from './entry-line.js';
import { provenanceText } from './provenance.js';
import type { Entry, Mention } from './manifest-types.js';
import { formatTimestamp } from './timestamp.js';

/** The line of a mention, without a line end. */
export function mentionLine(mention: Mention): string {
  const begin = `{${rawProperty('path', mention.path)},"type":"${mention.type}"`;
  return mention.type === 'deleted' ? `${begin}}` : begin + entryText(mention);
}

function entryText(entry: Entry): string {
  const { type, size, mtime, mode, uid, gid, user, group, ctime, inode } = entry;
  const hasContent = type === 'file' || type === 'hardlink';
  return (
    (hasContent ? `,"size":${size}` : '') +
    `,"mtime":"${formatTimestamp(mtime.seconds, mtime.nanos)}","mode":"${octalMode(mode)}","uid":${uid},"gid":${gid}` +
    (user === undefined ? '' : name('user', user)) +
    (group === undefined ? '' : name('group', group)) +
    placeText(entry) +
    (entry.target === undefined ? '' : `,${rawProperty('target', entry.target)}`) +
    (entry.linkGroup === undefined ? '' : `,"linkGroup":${entry.linkGroup}`) +
    extrasText(entry) +
    (entry.changed === undefined ? '' : `,"changed":${entry.changed}`) +
    `,"ctime":"${formatTimestamp(ctime.seconds, ctime.nanos)}",${rawProperty('inode', inode)}${provenanceText(entry)}}`
  );
}

function placeText({ md5, chunk, offset }: Entry): string {
  return (
    (md5 === undefined ? '' : `,"md5":"${md5}"`) +
    (chunk === undefined ? '' : `,"chunk":${chunk}`) +
    (offset === undefined ? '' : `,"offset":${offset}`)
  );
}

/** A name that is not UTF-8 has no place in JSON: the number alone is kept, and that is what restoring goes by. */
function name(key: 'user' | 'group', raw: RawPath): string {
  return textFromRaw(raw) === undefined ? '' : `,${rawProperty(key, raw)}`;
}
