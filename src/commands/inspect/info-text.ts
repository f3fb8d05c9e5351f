// An upload described for people. Pure.
import type { ChainLink, ReadView } from '../../core/dataset/read-view.js';
import type { ManifestHead } from '../../core/manifest/manifest-types.js';
import type { DvcPathRecord, DvcRecord } from '../../core/manifest/provenance-types.js';
import { displayPath, printable } from '../../core/paths/raw-path.js';
import { formatBytes, formatCount, formatPercent, formatQuantity, formatRatio } from '../../ui/format.js';

type Rows = readonly (readonly [label: string, value: string])[];

const LABEL_WIDTH = 16;

const section = (title: string, rows: Rows): string =>
  `${title}\n${rows.map(([label, value]) => `  ${label.padEnd(LABEL_WIDTH)}${value}\n`).join('')}`;

const levelText = (level: number | null): string => (level === null ? 'content-aware' : `level ${level}`);

function identification(head: ManifestHead): Rows {
  return [
    ['upload', printable(head.uploadId)],
    ['created', printable(head.createdAt)],
    ['source', `${displayPath(head.source.path)} on ${printable(head.source.host)}`],
    ['dataset', printable(head.datasetId)],
    ...(head.writerId === undefined ? [] : [['writer', printable(head.writerId)] as const]),
    ...(head.project === undefined ? [] : [['project', printable(head.project)] as const]),
    ...Object.entries(head.tags ?? {}).map(([key, value]) => [`tag ${printable(key)}`, printable(value)] as const),
    ['written by', `${printable(head.tool)}, format ${head.format}`],
  ];
}

/** What the manifest lists, and where the rest is listed. */
function listing({ previous }: ManifestHead, chain: readonly ChainLink[]): Rows {
  if (previous === undefined) return [['listing', 'full']];
  return [
    ['listing', `delta of ${printable(previous.uploadId)}`],
    ...chain.map(({ uploadId, listing, entries }, index): readonly [string, string] => [
      index === 0 ? 'chain' : '',
      `${printable(uploadId)}, ${listing}: ${formatQuantity(entries, listing === 'full' ? 'path' : 'change')}`,
    ]),
  ];
}

/** Of git and DVC, where the upload recorded it. */
function provenance({ git, dvc }: ManifestHead): Rows {
  const rows: (readonly [string, string])[] = [];
  if (git !== undefined) {
    const names = [git.branch ?? 'no branch', ...(git.tag === undefined ? [] : [`tag ${git.tag}`])];
    if (git.dirty) names.push('with uncommitted changes');
    rows.push(['git commit', `${git.commit} (${names.map(printable).join(', ')})`]);
  }
  if (git?.remote !== undefined) rows.push(['git remote', printable(git.remote)]);
  if (dvc?.stage !== undefined) rows.push(...stageRows(dvc.stage));
  if (dvc !== undefined) rows.push(['DVC cache', printable(dvc.cacheDir)]);
  return rows;
}

function stageRows({ name, command, deps, outs }: NonNullable<DvcRecord['stage']>): Rows {
  const paths = (list: readonly DvcPathRecord[]): string =>
    list.length === 0 ? '-' : list.map(({ path }) => printable(path)).join(', ');
  return [
    ['DVC stage', printable(name)],
    ['command', printable(command)],
    ['dependencies', paths(deps)],
    ['outputs', paths(outs)],
  ];
}

function statistics({ totals, dedup }: ManifestHead): Rows {
  const links = totals.symlinks + totals.hardlinks;
  return [
    [
      'files',
      `${formatCount(totals.files)}${links === 0 ? '' : ` (${formatCount(totals.symlinks)} symbolic and ${formatCount(totals.hardlinks)} hard links among them)`}`,
    ],
    ['folders', formatCount(totals.directories)],
    ['size', `${formatBytes(totals.bytes)} (${formatCount(totals.bytes)} bytes)`],
    ['stored', `${formatBytes(totals.storedBytes)} in ${formatQuantity(totals.chunks, 'chunk')}`],
    ['ratio', totals.storedBytes === 0 ? '-' : formatRatio(totals.bytes / totals.storedBytes, 2)],
    ...(dedup === undefined
      ? []
      : [
          [
            'stored once',
            `${formatQuantity(dedup.files, 'file')} equal to others (${formatBytes(dedup.bytes)} saved)`,
          ] as const,
        ]),
    ...(totals.skipped === 0 ? [] : [['left out', formatQuantity(totals.skipped, 'path')] as const]),
  ];
}

function compression({ settings, codec, chunks }: ManifestHead): Rows {
  const packed = chunks.filter(({ content }) => content === undefined);
  const levels = [...new Set(packed.map(({ level }) => level))].sort((a, b) => a - b);
  return [
    ['algorithm', `${printable(settings.compression.algorithm)} (${printable(codec)})`],
    ['level', `${levelText(settings.compression.level)}${levels.length === 0 ? '' : `; used: ${levels.join(', ')}`}`],
    ['frames', settings.frameSize === 0 ? 'one a chunk' : `${formatBytes(settings.frameSize)} of data each`],
    ['chunks', `${formatBytes(settings.chunkSize)} of data at most`],
    ...(packed.length === chunks.length
      ? []
      : [['direct', `${formatQuantity(chunks.length - packed.length, 'file')} stored as they are`] as const]),
    [
      'checksums',
      settings.fileChecksums ? 'SHA-256 of chunks and frames, MD5 of files' : 'SHA-256 of chunks and frames',
    ],
  ];
}

function shardRows({ shards, settings }: ManifestHead): Rows {
  const stored = shards.map(({ storedBytes }) => storedBytes);
  const average = stored.length === 0 ? 0 : stored.reduce((sum, bytes) => sum + bytes, 0) / stored.length;
  const spread =
    average === 0
      ? '-'
      : `${formatBytes(Math.min(...stored))} to ${formatBytes(Math.max(...stored))}, largest ${formatRatio(Math.max(...stored) / average, 2)} of the average`;
  return [
    ['strategy', printable(settings.shardStrategy)],
    ['shards', `${shards.length} in use of ${settings.shardCount}`],
    ['stored', spread],
  ];
}

function location({ head, sealedBy }: ReadView, url: string): Rows {
  const written =
    head.storage['url'] ??
    [head.storage['bucket'] ?? head.storage['folder'], head.storage['prefix']].filter(Boolean).join('/');
  const kmsKeyId = head.storage['kmsKeyId'];
  const classes = [...new Set(head.chunks.map(({ storageClass }) => storageClass))];
  return [
    ['read from', printable(url)],
    ...(written === '' ? [] : [['written to', printable(written)] as const]),
    ...(head.storage['region'] === undefined ? [] : [['region', printable(head.storage['region'])] as const]),
    ['storage class', classes.length === 0 ? '-' : classes.map(printable).join(', ')],
    ...(kmsKeyId === undefined ? [] : [['chunks', `encrypted with ${printable(kmsKeyId)} (SSE-KMS)`] as const]),
    ...(sealedBy === undefined ? [] : [['manifest', `encrypted with ${printable(sealedBy)}`] as const]),
  ];
}

/** The whole description; `shardTable` is added where it was asked for. */
export function infoText(view: ReadView, url: string, shardTable: string | undefined): string {
  const { head, chain } = view;
  const origin = provenance(head);
  return [
    section('Upload', [...identification(head), ...listing(head, chain)]),
    ...(origin.length === 0 ? [] : [section('Provenance', origin)]),
    section('Files', statistics(head)),
    section('Compression', compression(head)),
    section('Shards', shardRows(head)) + (shardTable === undefined ? '' : `\n${shardTable}\n`),
    section('Location', location(view, url)),
  ].join('\n');
}

/** Rows of the table of shards. */
export function shardTableRows(head: ManifestHead): readonly Readonly<Record<string, string>>[] {
  const total = head.shards.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
  return head.shards.map(({ shard, prefix, chunks, files, bytes, storedBytes }) => ({
    shard: String(shard),
    prefix: printable(prefix),
    chunks: formatCount(chunks),
    files: formatCount(files),
    size: formatBytes(bytes),
    stored: formatBytes(storedBytes),
    share: total === 0 ? '-' : formatPercent(storedBytes / total),
    ratio: storedBytes === 0 ? '-' : formatRatio(bytes / storedBytes, 2),
  }));
}
