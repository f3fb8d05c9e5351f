import type { Listing } from '../../../core/restore/listing/listing.js';
import { displayPath, printable, type RawPath } from '../../../core/platform/paths/raw-path.js';
import { formatBytes, formatQuantity } from '../../../ui/format.js';
import { formatTimestamp } from '../../../ui/format-time.js';
import type { ArchiveCommand } from '../archive-command.js';

const LABEL_WIDTH = 10;

export const stat: ArchiveCommand = {
  name: 'stat',
  usage: 'stat PATH...',
  summary: 'size, hash, chunk, mode, time, stage and commit',
  args: ['path'],
  minArgs: 1,
  maxArgs: Number.POSITIVE_INFINITY,
  async run({ session, args, out, streams }) {
    const paths = await session.paths(args, streams);
    await session.reading(streams, async (lazy, how) => {
      for (const path of paths) if (lazy.listing.isFolder(path)) await lazy.readSums(path, how);
    });
    const { listing } = session;
    let gap = '';
    for (const path of paths) {
      const facts = factsOf(listing, path).filter(([, value]) => value !== undefined);
      await out.write(`${gap}${facts.map(([label, value]) => `${label.padEnd(LABEL_WIDTH)}${value}\n`).join('')}`);
      gap = '\n';
    }
  },
};

type Fact = readonly [label: string, value: string | undefined];

function factsOf(listing: Listing, path: RawPath): readonly Fact[] {
  const index = listing.find(path);
  return [
    ['path', `/${displayPath(path)}`],
    ['type', index === undefined ? 'directory' : listing.type(index)],
    ...(listing.isFolder(path) ? [['holds', held(listing, path)] as const] : []),
    ...(index === undefined ? [] : [...entryFacts(listing, index), ...contentFacts(listing, index)]),
  ];
}

function held(listing: Listing, path: RawPath): string | undefined {
  const sum = listing.sumBelow(path);
  return sum && `${formatQuantity(sum.files, 'file')}, ${formatBytes(sum.bytes)}`;
}

function entryFacts(listing: Listing, index: number): readonly Fact[] {
  const { seconds } = listing.mtime(index);
  const target = listing.extra(index)?.target;
  return [
    ['target', target === undefined ? undefined : displayPath(target)],
    ['modified', formatTimestamp(new Date(seconds * 1000))],
    ['mode', listing.mode(index).toString(8).padStart(4, '0')],
  ];
}

/** Facts about the content of files; unknown values are shown as a dash. */
function contentFacts(listing: Listing, index: number): readonly Fact[] {
  const type = listing.type(index);
  if (type !== 'file' && type !== 'hardlink') return [];
  const size = listing.sizeBytes(index);
  const chunks = listing.chunks(index).map((chunk) => printable(listing.head.chunks[chunk]?.key ?? '-'));
  const more = chunks.length > 1 ? ` and ${formatQuantity(chunks.length - 1, 'more chunk')}` : '';
  const cold = listing.isCold(index) ? ', cold: ask for a restore first' : '';
  return [
    ['size', `${formatBytes(size)}${size < 1024 ? '' : ` (${size} bytes)`}`],
    ['md5', listing.md5(index) ?? '-'],
    ['chunk', `${chunks[0] ?? '-'}${more}`],
    ['class', `${printable(listing.storageClass(index) ?? '-')}${cold}`],
    ['stage', printable(listing.stage(index) ?? '-')],
    ['commit', listing.commit(index) ?? '-'],
  ];
}
