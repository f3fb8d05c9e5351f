// Facts about a file or folder, as labels and values.
import { displayPath } from '../../core/platform/paths/raw-path.js';
import type { FileHistory, HeldBy } from '../../core/dataset/chain/file-history.js';
import type { OpenedListing } from '../../stores/browse/browse-state.js';
import type { FolderFacts } from '../../stores/browse/folder-facts.js';
import type { FolderRow } from '../../stores/browse/tree.js';
import type { Fact } from '../../ui/facts.js';
import { formatBytes, formatCount, formatPercent, formatQuantity } from '../../ui/format.js';
import { formatTimestamp } from '../../ui/format-time.js';
import { listsByKey } from '../../core/platform/lists-by-key.js';
import { octalMode } from '../../core/format/manifest/line-text.js';
import { versionName } from '../../core/dataset/records/version-name.js';

export interface FactsSource {
  /** Undefined until it was read. */
  readonly history: FileHistory | undefined;
  readonly names: (text: string) => string;
}

const exactBytes = (bytes: number): string => `${formatBytes(bytes)} (${formatCount(bytes)} bytes)`;

const timeText = (seconds: number | undefined): string => formatTimestamp(new Date((seconds ?? NaN) * 1000));

/** All facts about a file. */
export function fileFacts(opened: OpenedListing, index: number, { history, names }: FactsSource): readonly Fact[] {
  const { listing } = opened;
  const type = listing.type(index);
  const chunks = listing.chunks(index).map((chunk) => listing.head.chunks[chunk]?.key ?? '');
  const more = chunks.length > 1 ? ` and ${formatCount(chunks.length - 1)} more` : '';
  const target = listing.extra(index)?.target;
  const isCold = listing.isCold(index);
  const storage = listing.storageClass(index);
  const facts: readonly (Fact | undefined)[] = [
    type === 'file' ? undefined : { label: 'type', value: type },
    { label: 'size', value: exactBytes(listing.sizeBytes(index)) },
    { label: 'modified', value: timeText(listing.mtime(index).seconds) },
    { label: 'mode', value: `${octalMode(listing.mode(index))}, owner ${listing.uid(index)}:${listing.gid(index)}` },
    optional('points to', target && names(displayPath(target))),
    optional('md5', listing.md5(index)),
    optional('stage', listing.stage(index), names),
    optional('commit', listing.commit(index)?.slice(0, 12), names),
    storage === undefined
      ? undefined
      : { label: 'class', value: names(storage) + (isCold ? ' (cold)' : ''), tone: isCold ? 'warn' : 'plain' },
    optional('chunk', chunks[0] && `${chunks[0]}${more}`, names),
    ...versionFacts(opened, history),
  ];
  return facts.filter((fact) => fact !== undefined);
}

const optional = (label: string, value: string | undefined, show = (text: string): string => text): Fact | undefined =>
  value === undefined ? undefined : { label, value: show(value) };

function versionFacts({ version }: OpenedListing, history: FileHistory | undefined): readonly Fact[] {
  if (history === undefined)
    return version === undefined ? [] : [{ label: 'versions', value: 'not read yet', tone: 'dim' }];
  if (history.kind === 'none') return [{ label: 'versions', value: history.reason, tone: 'dim' }];
  const listed = (wanted: readonly HeldBy[]): string => wanted.map(versionName).join(' ');
  const same = history.versions.filter(({ content }) => content === 'same');
  const none = history.versions.filter(({ content }) => content === 'none');
  const others = history.versions.filter(({ content }) => content === 'other');
  const sizes = listsByKey(others, ({ sizeBytes }) => sizeBytes);
  return [
    { label: 'versions', value: listed(same) },
    ...Array.from(sizes, ([bytes, held]) => ({
      label: '',
      value: `${listed(held)}  ${formatBytes(bytes)}, another content`,
    })),
    ...(none.length === 0 ? [] : [{ label: '', value: `not in ${listed(none)}`, tone: 'dim' as const }]),
  ];
}

/** All facts about a folder. */
export function folderFacts(
  { listing, lazy }: OpenedListing,
  { path, below }: FolderRow,
  { facts, share }: { readonly facts: FolderFacts; readonly share: number | undefined },
): readonly Fact[] {
  const sum = listing.sumBelow(path);
  const read = share === undefined ? '' : `; ${formatPercent(share)} of all is`;
  if (sum === undefined) return [{ label: 'size', value: `not read yet${read}`, tone: 'dim' }];
  const { files, bytes } = sum;
  const isRead = listing.isRead(path);
  const streamed = isRead ? undefined : lazy?.sums.of(path);
  const isKnown = isRead || streamed !== undefined;
  // Of what is not read, `below` has a part.
  const cold = isRead ? facts.coldFiles(below) : (streamed?.coldFiles ?? 0);
  const newest = isRead ? facts.newest(below) : streamed?.newest;
  return [
    { label: 'size', value: exactBytes(bytes) },
    { label: 'files', value: formatCount(files) },
    { label: 'newest', value: isKnown ? timeText(newest) : 'not read yet' },
    ...(cold === 0
      ? []
      : [{ label: 'cold', value: `${formatQuantity(cold, 'file')} to ask back`, tone: 'warn' as const }]),
  ];
}
