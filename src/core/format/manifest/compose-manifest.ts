// Writes a manifest from mentions in path order: a delta, or a full listing made from a view. Only the gzipped bytes are held in memory, no
// entries.
import { ArchiverError } from '../../platform/failures/errors.js';
import { type RawPath, printable } from '../../platform/paths/raw-path.js';
import { manifestHeadText } from './manifest-head-text.js';
import { type ManifestLayout, ManifestText } from './manifest-text.js';
import type { ManifestHead, Mention } from './manifest-types.js';
import { inPlace, moveSegments, type Placing } from './move-entry.js';
import { encodedManifest, type EncodedManifest } from './encoded-manifest.js';
import { lineText, rawProperty } from './line-text.js';
import { provenanceText } from './provenance.js';
import { NO_REQUIREMENTS } from './requirements.js';
import { type CountedEntry, SegmentTexts } from './segment-texts.js';
import { entriesPerSegment, isSegmented, segmentedManifest } from './segmented.js';

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

/** Writes a full listing, in segments with numbers above `after` where it is large. @throws as `composeManifest` */
export async function composeListing(
  head: ManifestHead,
  entries: AsyncIterable<readonly Mention[]>,
  isSealed: boolean,
  after = 0,
): Promise<EncodedManifest> {
  if (isSegmented(head.totals.entries, isSealed)) return await composeSegments(head, entries, { after });
  return await composeManifest(withoutSegments(head), entries);
}

/** An entry whose line is known but for the number of its chunk. */
export interface WrittenEntry extends CountedEntry {
  readonly line: (place: Placing) => string;
}

export interface SegmentsOptions {
  readonly after: number;
  /** Gives the head once all entries have passed: with chunks that are among those of the head before, to which entries refer. */
  readonly settled?: () => ManifestHead;
}

/** Writes a full listing in segments with numbers above `after`. @throws as `composeManifest` */
export async function composeSegments(
  given: ManifestHead,
  entries: AsyncIterable<readonly (Mention | WrittenEntry)[]>,
  { after, settled = () => given }: SegmentsOptions,
): Promise<EncodedManifest> {
  const { uploadId, chunks, totals } = given;
  const texts = new SegmentTexts(entriesPerSegment(totals.entries), after);
  try {
    await checked(given, entries, async (batch) => await addEntries(texts, batch));
    const head = withoutSegments(settled());
    const listed = new Set(head.chunks);
    const { segments, unlisted } = await texts.finish(uploadId, chunks);
    const left = unlisted.filter((record) => listed.has(record));
    return await segmentedManifest(head, { segments, unlisted: left }, texts.linkGroups);
  } catch (error) {
    texts.destroy();
    throw error;
  }
}

/** The head of a listing that is written anew. */
const withoutSegments = ({ segments, linkGroups: _groups, ...head }: ManifestHead): ManifestHead =>
  segments === undefined ? head : { ...head, requires: NO_REQUIREMENTS };

/** Adds entries to segments, which have no deletions. */
export async function addEntries(texts: SegmentTexts, entries: readonly (Mention | WrittenEntry)[]): Promise<void> {
  for (const entry of entries) {
    if (entry.type === 'deleted') continue;
    const line = 'line' in entry ? entry.line : (place: Placing) => mentionLine(entry, place);
    if (!texts.add(entry, line)) await texts.drained();
  }
}

async function addLines(
  text: ManifestText,
  head: ManifestHead,
  mentions: AsyncIterable<readonly Mention[]>,
): Promise<void> {
  let separator = '';
  await checked(head, mentions, async (batch) => {
    const isReady = text.add(separator + batch.map((mention) => mentionLine(mention)).join(',\n'));
    separator = ',\n';
    if (!isReady) await text.drained();
  });
  if (separator !== '') text.add('\n');
}

/** Passes mentions on. @throws internal when they are not in order, or not those that the head announces */
async function checked<M extends Mention | WrittenEntry>(
  { uploadId, listing, totals }: ManifestHead,
  mentions: AsyncIterable<readonly M[]>,
  pass: (batch: readonly M[]) => Promise<void>,
): Promise<void> {
  const what = `the manifest of ${printable(uploadId)}`;
  let previous: RawPath | undefined;
  let count = 0;
  for await (const batch of mentions) {
    for (const { path, type } of batch) {
      if (previous !== undefined && path <= previous)
        throw new ArchiverError('internal', `${what} would not be in the order of its paths`);
      if (listing === 'full' && type === 'deleted')
        throw new ArchiverError('internal', `${what} is a full listing and would hold a deletion`);
      previous = path;
    }
    count += batch.length;
    if (batch.length > 0) await pass(batch);
  }
  if (count !== totals.entries)
    throw new ArchiverError('internal', `${what} announces ${totals.entries} entries and would hold ${count}`);
}

// Writes an entry that was read, or a deletion, as a line of JSON from which `EntryParser` restores the same object.

/** The line of a mention, without a line end. `place` gives the position of a chunk in the list that the line refers to. */
export function mentionLine(mention: Mention, place = inPlace): string {
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
    chunk: chunk === undefined ? undefined : place(chunk),
    offset,
    target,
    linkGroup,
    rare: moveSegments(mention, place),
    changed,
    ctimeSeconds: ctime.seconds,
    ctimeNanos: ctime.nanos,
    inode,
    provenance: provenanceText(mention),
  });
}
