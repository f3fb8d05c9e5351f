import { defineCommand } from '../cli/command.js';
import type { Clock, Pricing, Results, Verbosity } from '../cli/context.js';
import { flag } from '../cli/flag.js';
import type { ChunkEncryption } from '../core/dataset/inventory/chunk-encryption.js';
import type { ChainLink, ReadView, ReadViewOptions } from '../core/dataset/chain/read-view.js';
import { defined } from '../core/platform/defined.js';
import type { Deduplicated, ManifestHead, ShardRecord } from '../core/format/manifest/manifest-types.js';
import type { DvcPathRecord, DvcRecord } from '../core/format/manifest/provenance-schema.js';
import type { ObjectReader } from '../core/store/object-store.js';
import { displayPath, printable } from '../core/platform/paths/raw-path.js';
import { formatBytes, formatCount, formatPercent, formatQuantity, formatRatio } from '../ui/format.js';
import { formatTimestamp } from '../ui/format-time.js';
import { formatUsd } from '../ui/format-usd.js';
import { encryptionDocument, encryptionTexts } from './kit/encryption-rows.js';
import { uploadArg, uploadTargetFlags, uploadTargetRules } from './kit/flags.js';
import { priceSourceText } from './kit/price-lines.js';
import { type StoreContext, withStore } from './kit/store.js';
import type { StoredCost } from './kit/stored-cost.js';
import { column, numbers, tableText, type TableContext } from './kit/table.js';
import { findUpload, uploadUrl } from './kit/upload-target.js';
import { type ReadingContext, whileReading } from './kit/while-reading.js';

export const command = defineCommand({
  path: 'info',
  summary: 'describe an upload: what is in it, how it is stored, where',
  description:
    'Reads the beginning of the manifest: identification, what was recorded of git and DVC, file statistics, ' +
    'compression, shard distribution and storage location. Where the manifest is a delta, those that it builds on are read too, and all numbers are those of ' +
    'the whole; where equal files are stored once, these are counted among all that is listed, which takes reading all of it. With which keys chunks lie encrypted in a bucket is asked of the store: of a hundred chunks where there are more, or with --every-chunk of all. --verbose adds a line for each shard, in which a file that is cut over several chunks counts where its last piece lies; --json prints the manifest without its list of files.',
  args: [uploadArg],
  flags: {
    everyChunk: flag.on({ describe: 'ask the store about the encryption of every chunk, not of a hundred' }),
    cost: flag.on({ describe: 'say what storing it costs a month' }),
    ...uploadTargetFlags('us-west-2'),
  },
  rules: [...uploadTargetRules],
  examples: [
    'archiver info s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver info --bucket acme-archive --upload-id 20251114-093012-1a2b3c4d --verbose',
    'archiver info file:///mnt/backup/uploads/20251114-093012-1a2b3c4d --json',
  ],
  exits: { 0: 'described', 1: 'the manifest is missing, damaged or cannot be read' },
  async run(
    values,
    [url],
    context: Results<'info'> & Verbosity & StoreContext & TableContext & ReadingContext & Clock & Pricing,
  ) {
    const { baseUrl, uploadId, manifestSha256: sha256, session } = await findUpload(url, values, context);
    const { readView } = await import('../core/dataset/chain/read-view.js');
    const { readChunkEncryption } = await import('../core/dataset/inventory/chunk-encryption.js');
    const location = uploadUrl({ baseUrl, uploadId });
    const { judgedChecks } = await import('./kit/judged-checks.js');
    const { storedCost, storedCostDocument } = await import('./kit/stored-cost.js');
    const { view, cost, encryption, judged, requests } = await whileReading(context, location, (emit) =>
      withStore({ baseUrl, values, context, session, onEvent: emit }, async (opened) => {
        const { store, requests } = opened;
        const wanted = { uploadId, sha256, emit, signal: context.signal };
        const read = await readView(store, { ...wanted, headOnly: true });
        const dedup = read.head.settings.dedup === true ? await equalFiles(store, wanted) : undefined;
        const view = { ...read, head: { ...read.head, ...defined({ dedup }) } };
        const cost = values.cost ? storedCost(view.head.chunks, opened, context) : undefined;
        const isFolder = store.url.startsWith('file:');
        const look = { head: view.head, isEvery: values.everyChunk, signal: context.signal };
        const encryption = isFolder ? undefined : await readChunkEncryption(store, look);
        const checks = await judgedChecks(store, view.head.datasetId, context);
        return { view, cost, encryption, judged: checks.of(uploadId), requests };
      }),
    );
    const { checksDocument } = await import('./kit/checks-document.js');
    const { checkRows } = await import('../screens/check-texts.js');
    const table = context.verbose ? `\n${await shardTable(view.head, context)}` : '';
    const priced = cost === undefined ? {} : { cost: storedCostDocument(cost) };
    const document = context.json
      ? {
          uploadId,
          location,
          ...infoDocument(view, encryption),
          versionChecks: checksDocument(judged),
          ...priced,
          requests,
        }
      : undefined;
    const rows = checkRows(judged, context.now());
    const checks = rows.length === 0 ? '' : `\n${section('Checks', rows)}`;
    context.result(document, () => infoText(view, encryption, location, table) + checks + costText(cost));
  },
});

/**
 * Returns the manifest as it was written, except for `dedup`; of a delta it has the numbers of the whole view, and its own ones under
 * `delta`.
 */
function infoDocument({ head, document, chain, sealedBy }: ReadView, found: ChunkEncryption | undefined) {
  const ofChunks = found === undefined ? {} : encryptionDocument(found);
  const encryption = { encryption: { manifestKeyId: sealedBy ?? null, ...ofChunks } };
  const saved = defined({ dedup: head.dedup });
  if (head.listing === 'full') return { manifest: { ...document, ...saved }, ...encryption };
  const { totals, shards, chunks, dedup } = document;
  return {
    manifest: { ...document, ...saved, totals: head.totals, shards: head.shards, chunks: head.chunks },
    delta: { totals, shards, chunks, ...defined({ dedup }) },
    manifests: chain,
    ...encryption,
  };
}

/** Counts the equal files in the whole listing: a manifest has only the sum of what its own upload stored. */
async function equalFiles(store: ObjectReader, options: Omit<ReadViewOptions, 'onEntry'>): Promise<Deduplicated> {
  const { readView } = await import('../core/dataset/chain/read-view.js');
  const { EqualFiles } = await import('../core/dataset/chain/equal-files.js');
  const equal = new EqualFiles();
  await readView(store, { ...options, onEntry: (entry) => equal.add(entry) });
  return equal.totals;
}

function shardTable({ shards, chunks }: ManifestHead, context: TableContext): Promise<string> {
  const total = shards.reduce((sum, { storedBytes }) => sum + storedBytes, 0);
  const share = (bytes: number): string => (total === 0 ? '-' : formatPercent(bytes / total));
  const packedIn = (wanted: number): number => packedBytes(chunks.filter(({ shard }) => shard === wanted));
  const columns = [
    numbers<ShardRecord>('SHARD', ({ shard }) => shard),
    column<ShardRecord>('PREFIX', ({ prefix }) => printable(prefix), { dropOrder: 2 }),
    numbers<ShardRecord>('CHUNKS', ({ chunks }) => formatCount(chunks)),
    numbers<ShardRecord>('FILES', ({ files }) => formatCount(files)),
    numbers<ShardRecord>('PACKED', ({ shard }) => formatBytes(packedIn(shard))),
    numbers<ShardRecord>('STORED', ({ storedBytes }) => formatBytes(storedBytes)),
    numbers<ShardRecord>('SHARE', ({ storedBytes }) => share(storedBytes), { dropOrder: 1 }),
  ];
  return tableText(shards, columns, context);
}

/** Bytes in the chunks before compression. There is no other way to know how much of a cut file a shard holds. */
const packedBytes = (chunks: ManifestHead['chunks']): number => chunks.reduce((sum, { rawSize }) => sum + rawSize, 0);

const ratioText = (bytes: number, storedBytes: number): string =>
  storedBytes === 0 ? '-' : formatRatio(bytes / storedBytes, 2);

/** Returns the whole description; `table` follows the rows about shards. */
function infoText(view: ReadView, encryption: ChunkEncryption | undefined, url: string, table: string): string {
  const { head, chain } = view;
  const origin = provenance(head);
  return [
    section('Upload', [...identification(head), ...listing(head, chain)]),
    ...(origin.length === 0 ? [] : [section('Provenance', origin)]),
    section('Files', statistics(head)),
    section('Compression', compression(head)),
    section('Shards', shardRows(head)) + table,
    section('Location', location(view, encryption, url)),
  ].join('\n');
}

/** Returns the section about costs; empty unless it was asked for. */
function costText(cost: StoredCost | undefined): string {
  if (cost === undefined) return '';
  const { monthlyUsd } = cost;
  const year = monthlyUsd === null ? null : monthlyUsd * 12;
  const rows: Rows = [
    ['storage', `${formatUsd(monthlyUsd)} a month, ${formatUsd(year)} a year`],
    ['prices', priceSourceText(cost)],
  ];
  return `\n${section('Cost', rows)}`;
}

type Rows = readonly (readonly [label: string, value: string])[];

const LABEL_WIDTH = 16;

const section = (title: string, rows: Rows): string =>
  `${title}\n${rows.map(([label, value]) => `  ${label.padEnd(LABEL_WIDTH)}${value}\n`).join('')}`;

const levelText = (level: number | null): string => (level === null ? 'content-aware' : `level ${level}`);

function identification(head: ManifestHead): Rows {
  return [
    ['upload', printable(head.uploadId)],
    ['created', formatTimestamp(new Date(head.createdAt))],
    ['source', `${displayPath(head.source.path)} on ${printable(head.source.host)}`],
    ...(head.uploader === undefined ? [] : [['uploaded by', printable(head.uploader)] as const]),
    ['dataset', printable(head.datasetId)],
    ...(head.writerId === undefined ? [] : [['writer', printable(head.writerId)] as const]),
    ...(head.project === undefined ? [] : [['project', printable(head.project)] as const]),
    ...Object.entries(head.tags ?? {}).map(([key, value]) => [`tag ${printable(key)}`, printable(value)] as const),
    ['written by', `${printable(head.tool)}, format ${head.format}`],
  ];
}

/** Says whether the manifest is a full listing or a delta, and lists the manifests that a delta builds on. */
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

/** Rows about git and DVC, if the upload recorded them. */
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

function statistics({ totals, dedup, chunks }: ManifestHead): Rows {
  const links = totals.symlinks + totals.hardlinks;
  return [
    [
      'files',
      `${formatCount(totals.files)}${links === 0 ? '' : ` (${formatQuantity(totals.symlinks, 'symbolic link')} and ${formatQuantity(totals.hardlinks, 'hard link')} among them)`}`,
    ],
    ['folders', formatCount(totals.directories)],
    ['size', `${formatBytes(totals.bytes)} (${formatCount(totals.bytes)} bytes)`],
    ['stored', `${formatBytes(totals.storedBytes)} in ${formatQuantity(totals.chunks, 'chunk')}`],
    ['ratio', ratioText(totals.bytes, totals.storedBytes)],
    ['packed', `${formatBytes(packedBytes(chunks))} (contents once, without holes, with tar headers)`],
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
    ['frames', settings.frameSize === 0 ? 'one a chunk' : `${formatBytes(settings.frameSize)} of data each, at most`],
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

/** The lock that the upload set; `fleet lock-extend` may have extended it since. */
const lockText = ({ mode, until }: NonNullable<ManifestHead['objectLock']>): string =>
  `${mode}, at least until ${formatTimestamp(new Date(until))}`;

function location({ head, sealedBy }: ReadView, encryption: ChunkEncryption | undefined, url: string): Rows {
  const written =
    head.storage['url'] ??
    [head.storage['bucket'] ?? head.storage['folder'], head.storage['prefix']].filter(Boolean).join('/');
  const keys = encryption === undefined ? [] : encryptionTexts(encryption);
  const classes = [...new Set(head.chunks.map(({ storageClass }) => storageClass))];
  return [
    ['read from', printable(url)],
    ...(written === '' ? [] : [['written to', printable(written)] as const]),
    ...(head.storage['region'] === undefined ? [] : [['region', printable(head.storage['region'])] as const]),
    ['storage class', classes.length === 0 ? '-' : classes.map(printable).join(', ')],
    ...keys.map((text, index) => [index === 0 ? 'chunks' : '', text] as const),
    ...(sealedBy === undefined ? [] : [['manifest', `encrypted with ${printable(sealedBy)}`] as const]),
    ...(head.objectLock === undefined ? [] : [['locked', lockText(head.objectLock)] as const]),
  ];
}
