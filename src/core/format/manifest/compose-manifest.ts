// Writes a manifest from mentions in path order: a delta, or a full listing made from a view. Only the gzipped bytes are held in memory, no
// entries.
import { ArchiverError } from '../../platform/failures/errors.js';
import { type RawPath, printable } from '../../platform/paths/raw-path.js';
import { manifestHeadText } from './manifest-head-text.js';
import { type ManifestLayout, ManifestText } from './manifest-text.js';
import type { ManifestHead, Mention } from './manifest-types.js';
import { encodedManifest, type EncodedManifest } from './manifest-writer.js';
import { lineText, rawProperty } from './line-text.js';
import { provenanceText } from './provenance.js';

/**
 * Writes head and mentions. `totals.entries` of the head counts deletions too. @throws internal when the paths are not
 * in byte order, their count is not the announced one, or a full listing is given a deletion; what `mentions` throws
 */
export async function composeManifest(
  head: ManifestHead,
  mentions: AsyncIterable<readonly Mention[]>,
  { blockEntries, isOneMember = false }: ManifestLayout = {},
): Promise<EncodedManifest> {
  const text = new ManifestText(blockEntries);
  const headText = manifestHeadText(head);
  try {
    if (isOneMember) text.add(headText);
    await addLines(text, head, mentions);
    text.add(']}\n');
    return encodedManifest(await text.finish(isOneMember ? undefined : headText));
  } catch (error) {
    text.destroy();
    throw error;
  }
}

async function addLines(
  text: ManifestText,
  { uploadId, listing, totals }: ManifestHead,
  mentions: AsyncIterable<readonly Mention[]>,
): Promise<void> {
  const what = `the manifest of ${printable(uploadId)}`;
  let previous: RawPath | undefined;
  let count = 0;
  for await (const batch of mentions) {
    const lines: string[] = [];
    for (const mention of batch) {
      if (previous !== undefined && mention.path <= previous)
        throw new ArchiverError('internal', `${what} would not be in the order of its paths`);
      if (listing === 'full' && mention.type === 'deleted')
        throw new ArchiverError('internal', `${what} is a full listing and would hold a deletion`);
      previous = mention.path;
      lines.push(mentionLine(mention));
    }
    if (lines.length === 0) continue;
    const isReady = text.add((count === 0 ? '' : ',\n') + lines.join(',\n'));
    count += lines.length;
    if (!isReady) await text.drained();
  }
  if (count > 0) text.add('\n');
  if (count !== totals.entries)
    throw new ArchiverError('internal', `${what} announces ${totals.entries} entries and would hold ${count}`);
}

// Writes an entry that was read, or a deletion, as a line of JSON from which `EntryParser` restores the same object.

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
