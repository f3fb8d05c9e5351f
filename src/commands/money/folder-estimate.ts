// The estimate of a folder, as text and as JSON.
import type { FolderEstimate } from '../../core/archive/estimate/estimate-folder.js';
import { describeCompression } from '../../core/archive/run/compression-level.js';
import { shownSkip } from '../../core/archive/scan/skip.js';
import type { ClassEstimate } from '../../core/cost/class-estimate.js';
import { type Usd, roundedUsd } from '../../core/cost/money.js';
import { originOf, type PriceList } from '../../core/cost/price-table.js';
import { firstYear, type Recommendation } from '../../core/cost/recommend.js';
import type { SendingRate } from '../../core/money/ledger/sending-rate.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import {
  formatBytes,
  formatCount,
  formatDuration,
  formatPercent,
  formatQuantity,
  formatSaving,
} from '../../ui/format.js';
import { fineUsd, formatUsd } from '../../ui/format-usd.js';
import { classEstimateDocument, readyText } from './class-estimate.js';
import { amountText, fact, minuteText } from '../kit/lines.js';
import { priceSourceText } from '../kit/price-lines.js';
import { type Column, column, numbers } from '../kit/table.js';

/** Optional sections, chosen by flags. */
export interface Sections {
  readonly showParallel: boolean;
  readonly showRecommendations: boolean;
  readonly showUploadOptimization: boolean;
}

/** A rate, and the ledger that it is from: `local`, or the URL of the one that machines share. */
export interface MeasuredRate extends SendingRate {
  readonly ledger: string;
}

export interface EstimatedFolder {
  /** Path of the folder as it was typed. */
  readonly path: string;
  readonly folder: FolderEstimate;
  readonly prices: PriceList;
  /** The classes that are shown; the others are compared with the first. */
  readonly classes: readonly [ClassEstimate, ...ClassEstimate[]];
  readonly recommendations: readonly Recommendation[];
  /** Cost of the requests for one object per file, in the first class. */
  readonly filesUsd: Usd;
  /** Transfer rate; undefined when it is not known. */
  readonly bytesPerSecond: number | undefined;
  /** The measurement that the rate comes from, unless the rate was typed. */
  readonly measured: MeasuredRate | undefined;
}

/** Requests to one prefix that S3 answers each second (S3 user guide, "Optimizing performance"). */
const PUTS_A_SECOND = 3500;

export const CLASS_COLUMNS: readonly Column<ClassEstimate>[] = [
  column('CLASS', ({ storageClass }) => storageClass),
  numbers('MONTH', ({ monthlyUsd }) => fineUsd(monthlyUsd)),
  numbers('YEAR', ({ yearlyUsd }) => fineUsd(yearlyUsd), { dropOrder: 2 }),
  numbers('UPLOAD', ({ uploadUsd }) => fineUsd(uploadUsd), { dropOrder: 1 }),
  numbers('MIN. DAYS', ({ minimumDays }) => minimumDays ?? undefined, { dropOrder: 3 }),
  column('ONE FULL RESTORE', ({ restores }) => restores.map(restoreCell).join(', '), { dropOrder: 4 }),
];

const restoreCell = ({ tier, wait, estimate: { costUsd } }: ClassEstimate['restores'][number]): string =>
  tier === null ? `${fineUsd(costUsd)} at once` : `${tier} ${fineUsd(costUsd)} (${wait?.text ?? ''})`;

const ratioOf = ({ bytes, storedBytes, sample }: FolderEstimate): number | null =>
  sample.rawBytes === 0 || storedBytes === 0 ? null : bytes / storedBytes;
const transferMs = ({ folder, bytesPerSecond }: EstimatedFolder): number | null =>
  bytesPerSecond === undefined ? null : Math.ceil((folder.storedBytes / bytesPerSecond) * 1000);

/** Returns the JSON document of an estimate. */
export function folderEstimateDocument(estimated: EstimatedFolder, sections: Sections) {
  const { path, folder, prices, classes, recommendations, filesUsd, bytesPerSecond, measured } = estimated;
  const {
    files,
    bytes,
    packedBytes,
    shards,
    chunkBytes,
    chunks,
    sample,
    skipped,
    requestsAtOnce,
    storedBytes,
    manifestBytes,
  } = folder;
  return {
    source: path,
    files,
    bytes,
    packedBytes,
    storedBytes,
    manifestBytes,
    compressionRatio: ratioOf(folder),
    sampledBytes: sample.rawBytes,
    sampledShare: sample.share,
    chunks: chunks.length,
    chunkBytes,
    shardCount: shards,
    skipped: skipped.map(shownSkip),
    bandwidth: bytesPerSecond === undefined ? null : Math.round(bytesPerSecond),
    bandwidthFrom: measured === undefined ? null : measuredDocument(measured),
    transferMs: transferMs(estimated),
    classEstimates: classes.map(classEstimateDocument),
    ...(sections.showParallel ? { requestsAtOnce } : {}),
    ...(sections.showRecommendations
      ? {
          recommendations: recommendations.map(({ restore, ...one }) => ({
            ...one,
            savedUsd: roundedUsd(one.savedUsd),
            restoreUsd: roundedUsd(restore?.leastUsd ?? null),
          })),
        }
      : {}),
    ...(sections.showUploadOptimization ? { oneObjectAFileUsd: roundedUsd(filesUsd) } : {}),
    ...originOf(prices),
  };
}

/** Lines about the content of the folder, and what an upload of it would store. */
export function folderLines({ path, folder }: EstimatedFolder): readonly string[] {
  const { files, bytes, packedBytes, storedBytes, manifestBytes, chunks, shards, sample } = folder;
  const ratio = ratioOf(folder);
  const part = `${formatPercent(sample.share)} of it, ${formatBytes(sample.rawBytes)},`;
  const sampled = sample.share < 1 ? part : 'all of it';
  const how =
    ratio === null
      ? 'nothing could be sampled: as if it could not be compressed'
      : `${formatSaving(ratio)}: ${sampled} was compressed`;
  return [
    `${path}: ${amountText(files, 'file', bytes)}, ${formatBytes(packedBytes)} packed`,
    fact('stored', `about ${formatBytes(storedBytes)}, ${how}`),
    fact(
      'objects',
      `${formatQuantity(chunks.length, 'chunk')} over ${shards} shards, and a manifest of about ${formatBytes(manifestBytes)}`,
    ),
    ...(sample.unread === 0
      ? []
      : [fact('unread', `${formatQuantity(sample.unread, 'file')} of the sample could not be read`)]),
  ];
}

/** All lines below the table of classes. */
export function sectionLines(estimated: EstimatedFolder, sections: Sections): readonly string[] {
  return [
    fact('transfer', transferText(estimated)),
    ...(sections.showParallel ? parallelLines(estimated) : []),
    ...(sections.showUploadOptimization ? optimizationLines(estimated) : []),
    ...(sections.showRecommendations ? recommendationLines(estimated) : []),
    fact('prices', priceSourceText(estimated.prices)),
  ];
}

function transferText(estimated: EstimatedFolder): string {
  const { bytesPerSecond, measured } = estimated;
  const ms = transferMs(estimated);
  if (bytesPerSecond === undefined || ms === null)
    return 'not known: no upload of 8 MiB or more to such a store is recorded; --bandwidth says how many MB a second there are';
  const time = `${formatDuration(ms)} at ${Number((bytesPerSecond / 1e6).toPrecision(4))} MB/s`;
  return measured === undefined ? time : `${time}, ${measuredText(measured)}`;
}

const measuredDocument = ({ region, uploads: uploadCount, from, until, ledger }: MeasuredRate) => {
  return { region, uploadCount, firstRunAt: from, lastRunAt: until, ledger };
};

function measuredText({ region, uploads, from, until, ledger }: MeasuredRate): string {
  const to = region === null ? '' : ` to ${printable(region)}`;
  const days = [...new Set([from, until].map((time) => minuteText(time).slice(0, 10)))].join(' to ');
  const by = ledger === 'local' ? '' : ` (of other computers, by ${printable(ledger)})`;
  return `as ${formatQuantity(uploads, 'upload')}${to} went, ${days}${by}`;
}

function parallelLines({ folder: { shards, requestsAtOnce, chunks } }: EstimatedFolder): readonly string[] {
  const each = formatQuantity(Math.ceil(chunks.length / Math.max(1, shards)), 'chunk');
  const most = formatCount(shards * PUTS_A_SECOND);
  return [
    fact('parallel', `up to ${requestsAtOnce} requests at a time, ${each} a shard; each shard is a prefix of its own`),
    fact('', `S3 answers ${formatCount(PUTS_A_SECOND)} PUTs a second for a prefix, ${most} for these ${shards}`),
  ];
}

function optimizationLines({ folder, classes: [first], filesUsd }: EstimatedFolder): readonly string[] {
  const { chunkBytes, files } = folder;
  const plain =
    filesUsd === null ? '' : `; ${formatQuantity(files, 'PUT')} of a file each would cost ${fineUsd(filesUsd)}`;
  return [
    fact(
      'packing',
      `chunks of ${formatBytes(chunkBytes)}: requests ${fineUsd(first.uploadUsd)} in ${first.storageClass}${plain}`,
    ),
    fact('', describeCompression(undefined)),
  ];
}

function recommendationLines({ recommendations, classes: [base] }: EstimatedFolder): readonly string[] {
  if (firstYear(base) === null) return [fact('advice', `none: what ${base.storageClass} costs is not known`)];
  if (recommendations.length === 0)
    return [fact('advice', `no class saves a cent against ${base.storageClass} in the first year`)];
  return recommendations.flatMap((one) => {
    const { storageClass, isReadAtOnce, savedUsd, paysOffDays, restore, restoresAYear } = one;
    const kind = isReadAtOnce ? 'read at once' : 'for what is hardly ever read';
    const ready = restore === undefined || isReadAtOnce ? '' : `, ${readyText(restore.wait)}`;
    const often =
      restoresAYear === null ? '' : `; pays with up to ${formatQuantity(restoresAYear, 'full restore')} a year`;
    return [
      fact(
        'advice',
        `${storageClass}, ${kind}: ${formatUsd(savedUsd)} less than ${base.storageClass} in the first year`,
      ),
      fact(
        '',
        `pays when kept for ${formatQuantity(paysOffDays, 'day')} or more; a full restore costs ${formatUsd(restore?.leastUsd ?? null)} or more${ready}${often}`,
      ),
    ];
  });
}
