// An entry that was read, or a deletion, as its line of JSON: what `EntryParser` turns back into the same object.
import { lineText, rawProperty } from './line-text.js';
import { provenanceText } from './provenance.js';
import type { Mention } from './manifest-types.js';

/** The line of a mention, without a line end. */
export function mentionLine(mention: Mention): string {
  const { path, type } = mention;
  if (type === 'deleted') return `{${rawProperty('path', path)},"type":"deleted"}`;
  const { mode, uid, gid, md5, sha256, xxh64, chunk, offset, target, linkGroup, changed } = mention;
  const { mtime, ctime, inode } = mention;
  return lineText({
    path,
    type,
    size: type === 'file' || type === 'hardlink' ? mention.size : undefined,
    mtimeSeconds: mtime.seconds,
    mtimeNanos: mtime.nanos,
    mode,
    uid,
    gid,
    user: mention.user,
    group: mention.group,
    md5,
    sha256,
    xxh64,
    chunk,
    offset,
    target,
    linkGroup,
    rare: mention,
    changed,
    ctimeSeconds: ctime.seconds,
    ctimeNanos: ctime.nanos,
    inode,
    provenance: provenanceText(mention),
  });
}
