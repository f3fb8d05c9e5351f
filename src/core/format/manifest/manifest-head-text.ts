// Writes the head of a manifest: everything before the lines of `files`. docs/format.md has the keys.
import type { AccountNames } from './entry-line.js';
import { octalMode, ownerText, rawProperty } from './line-text.js';
import type { ManifestHead, SegmentPlace, SourceRecord } from './manifest-types.js';
import { formatTimestamp } from './timestamp.js';

/** A head, also that of a plan, which has further keys. */
type WrittenHead = Omit<ManifestHead, 'type'> & { readonly type: string };

/** Text up to and including `"files":[` and its line end. `names` are used when the source does not name its owner itself. */
export function manifestHeadText(head: WrittenHead, names?: AccountNames): string {
  const { source, segments, chunks, ...rest } = head;
  const [before, after] = split(rest);
  const listed = segments === undefined ? '' : `"segments":${listText(segments.map(segmentText))},\n`;
  const stored = `"chunks":${listText(chunks.map((chunk) => JSON.stringify(chunk)))}`;
  return `${before}"source":${sourceText(source, names)},${after}${listed}${stored},\n"files":[\n`;
}

/** Items one on a line. */
const listText = (items: readonly string[]): string => (items.length === 0 ? '[]' : `[\n${items.join(',\n')}\n]`);

/** A segment as heads name it. */
export function segmentText({ key, size, sha256, counts, first, index }: SegmentPlace): string {
  const place = index === undefined ? '' : `,"index":${JSON.stringify(index)}`;
  return `${JSON.stringify({ key, size, sha256, counts }).slice(0, -1)},${rawProperty('first', first)}${place}}`;
}

/** Keys that a reader looks at first; the others follow in any order. */
const FIRST = [
  'format',
  'type',
  'requires',
  'tool',
  'codec',
  'uploadId',
  'createdAt',
  'listing',
  'previous',
  'chain',
  'view',
  'replaces',
] as const;

// Splits `{"a":1,"b":2}` into the text before and after the place of `source`.
function split(rest: Omit<WrittenHead, 'source' | 'segments' | 'chunks'>): [string, string] {
  const { settings, totals, shards, linkGroups, storage, ...identity } = rest;
  const { project, tags, ...named } = identity;
  // JSON leaves out undefined values.
  const first = { ...Object.fromEntries(FIRST.map((key) => [key, named[key]])), ...named };
  const begin = `${JSON.stringify(first).slice(0, -1)},\n`;
  const optional = [
    project === undefined ? '' : `"project":${JSON.stringify(project)},`,
    tags === undefined ? '' : `"tags":${JSON.stringify(tags)},`,
  ].join('');
  const end = `\n"storage":${JSON.stringify(storage)},${optional}\n"settings":${JSON.stringify(settings)},\n"totals":${JSON.stringify(totals)},\n"shards":${JSON.stringify(shards)},\n`;
  return [begin, linkGroups === undefined ? end : `${end}"linkGroups":${linkGroups},\n`];
}

function sourceText(source: SourceRecord, names: AccountNames | undefined): string {
  const { path, host, mode, mtime, uid, gid, user = names?.user(uid), group = names?.group(gid) } = source;
  const time = formatTimestamp(mtime.seconds, mtime.nanos);
  const read = source.archive === undefined ? '' : `,"archive":${JSON.stringify(source.archive)}`;
  return `{${rawProperty('path', path)},"host":${JSON.stringify(host)},"mode":"${octalMode(mode)}","mtime":"${time}"${ownerText(uid, gid, user, group)}${read}}`;
}
