// Plans a version that many workers make: lists the folder once, compares it with the version before, cuts what is to be packed into parts
// of equal cost, and puts their lists and, last, the plan under a new upload id. Nothing of it is ever changed.
import { hash } from 'node:crypto';
import { openEntryTable } from '../../format/columns/entry-table.js';
import { BASE_REQUIRED, NO_REQUIREMENTS, SHARES_REQUIRED } from '../../format/manifest/requirements.js';
import { planBytes, type PlanHead, type PlannedPart } from '../../format/parts/part-documents.js';
import { listName, MAX_PARTS, planKey } from '../../format/parts/part-keys.js';
import { defined } from '../../platform/defined.js';
import { ArchiverError, usageError } from '../../platform/failures/errors.js';
import { MAX_HEAD_BYTES } from '../../format/manifest/manifest-lines.js';
import { bytesOf, displayPath, rawFromBase64 } from '../../platform/paths/raw-path.js';
import { uploadFolder, uploadUrlOf, type UploadId } from '../../store/ids/upload-id.js';
import type { OpenedStore } from '../../store/open-store.js';
import { checkShrunken, warnOfEmpty } from '../changes/doubtful-source.js';
import { resolveDataset, type SettledDataset } from '../changes/resolve-dataset.js';
import { manifestHead } from '../commit/manifest-head.js';
import type { ChangeCounts } from '../run/change-counts.js';
import { type ArchiveOptions, settingsOf } from '../run/settings.js';
import type { TierPolicy } from '../run/tier.js';
import { UploadLedger } from '../run/upload-ledger.js';
import type { UploadRun } from '../run/upload-run.js';
import type { ScanResult } from '../scan/scan.js';
import { putOnce } from '../transfer/put-once.js';
import { withRun } from '../with-run.js';
import type { PartSize } from './cut-parts.js';
import { leftOutPaths } from './left-out-paths.js';
import { type ListOptions, withLists } from './list-windows.js';
import { planChanges, putChanges } from './plan-changes.js';
import type { ListedPart, PlannedLists } from './planned-lists.js';

/** A plan as it was put. */
export interface WrittenPlan extends Pick<PlanHead, 'datasetId' | 'parts' | 'totals' | 'spanning' | 'leftOut'> {
  readonly uploadId: UploadId;
  /** URL of the planned upload. */
  readonly location: string;
  readonly requests: UploadRun['requests'];
  readonly durationMs: number;
  /** Undefined where there is no version to compare with. */
  readonly changes: ChangeCounts | undefined;
}

/** The folder is as the version of its dataset says: nothing was put. */
export interface NothingPlanned extends Pick<WrittenPlan, 'datasetId' | 'leftOut' | 'requests' | 'durationMs'> {
  readonly version: number;
  readonly changes: ChangeCounts;
}

/** Some 80 MB of entries, of which several are in memory until they are collected. */
const ROWS_AT_ONCE = 2 ** 19;

export interface PlanOptions extends ArchiveOptions {
  readonly partSize: PartSize;
  /** Entries that are held at once where there is nothing to compare with. */
  readonly maxRows?: number;
}

/** Plans a folder; opens the store while it is listed, and closes it. @throws as `archiveFolder` does */
export async function planFolder(
  open: () => Promise<OpenedStore>,
  { partSize, maxRows = ROWS_AT_ONCE, ...options }: PlanOptions,
): Promise<WrittenPlan | NothingPlanned> {
  const settings = settingsOf(options);
  const opening = open();
  try {
    return await withRun(settings, opening, {
      packsAtOnce: false,
      settle: async (found) => await resolveDataset({ ...settings, ...found }),
      maxRows,
      toEnd: async (run, settled, _started, scanOn) => await writePlan(run, settled, { partSize, maxRows, scanOn }),
      failed: async (error) => error,
    });
  } finally {
    await opening.then(
      (opened) => opened.close(),
      () => undefined,
    );
  }
}

async function writePlan(
  given: UploadRun,
  settled: SettledDataset,
  options: ListOptions,
): Promise<WrittenPlan | NothingPlanned> {
  const hasCopies = given.scanned.dvc.cacheKept.files > 0 ? true : undefined;
  const { baseline } = settled;
  // Comparing needs all of the source.
  const isListed = baseline === undefined || given.scanned.last === undefined;
  const listed = isListed ? given : withScan(given, await options.scanOn(undefined));
  const run = { ...listed, packing: { ...given.packing, dedup: given.packing.dedup ?? hasCopies } };
  const { store, uploadId, signal, emit } = run;
  refuseSealed(run);
  warnOfEmpty(run);
  const ended = () => ({
    datasetId: run.datasetId,
    requests: { ...run.requests },
    durationMs: Math.round(performance.now() - run.startedMs),
  });
  const compared = baseline && (await planChanges(run, baseline));
  const changes = compared?.comparison.counts();
  if (baseline !== undefined && changes !== undefined && compared?.isNothing === true)
    return { version: baseline.head, changes, leftOut: leftOutPaths(run.scanned.skipped), ...ended() };
  return await withLists(run, options, async (lists) => {
    const { sizes, scanned } = lists;
    const before = { version: settled.highest, totals: settled.totals };
    if (baseline === undefined) checkShrunken({ ...run, scanned }, before);
    refuseTooMany(lists.parts.length);
    refuseTooLarge(run, lists.parts);
    await run.uploadGate?.(lists.amounts);
    await run.refuseUnsupportedClasses(lists.classes);
    emit({ type: 'phase', phase: 'committing' });
    const base = baseline && compared && (await putChanges(run, sizes, baseline, compared.comparison));
    const parts: PlannedPart[] = [];
    for (const [part, { first, list, shares, ...sums }] of lists.parts.entries()) {
      const bytes = await list();
      const sha256 = hash('sha256', bytes, 'hex');
      const key = listName(part, sha256);
      const writing = { contentType: 'application/gzip', sha256, exclusive: true, signal };
      await putOnce(store, uploadFolder(uploadId) + key, bytes, writing);
      const { entries, files, bytes: content } = sums;
      const size = bytes.length;
      const of = { part, first: bytesOf(first).toString('base64'), key, size, sha256, entries, files, bytes: content };
      parts.push(shares.length === 0 ? of : { ...of, shares });
    }
    const head = headOf(run, lists, { parts, after: settled.highest, ...defined({ base }) });
    await putOnce(store, planKey(uploadId), planBytes(head), {
      contentType: 'application/gzip',
      exclusive: true,
      signal,
    });
    const { totals, spanning, leftOut } = head;
    const location = uploadUrlOf(store.url, uploadId);
    return { uploadId, parts, totals, spanning, leftOut, location, changes, ...ended() };
  });
}

/** Numbers of parts have six digits. @throws usage */
function refuseTooMany(parts: number): void {
  if (parts <= MAX_PARTS) return;
  throw usageError(
    `the plan would have ${parts} parts, and ${MAX_PARTS} is the most`,
    'plan with a larger --part-size',
  );
}

/** Bytes of a chunk's record in a listing, and of a frame's in that. */
const [RECORD_BYTES, FRAME_BYTES] = [320, 125];

/** The entry of a file lies in one segment, with the records of all of its chunks. @throws unsupported */
function refuseTooLarge({ packing: { frameBytes } }: UploadRun, parts: readonly ListedPart[]): void {
  for (const { path, of, pieceBytes } of parts.flatMap(({ shares }) => shares)) {
    const frames = frameBytes === 0 ? 1 : Math.ceil(pieceBytes / frameBytes);
    if (of * (RECORD_BYTES + frames * FRAME_BYTES) <= MAX_HEAD_BYTES) continue;
    const name = displayPath(rawFromBase64(path));
    throw new ArchiverError('unsupported', `${name} is too large for one entry: it would lie in ${of} chunks`, {
      exitCode: 2,
      hint: 'leave it out with --exclude, or divide it',
    });
  }
}

const withScan = (run: UploadRun, scanned: ScanResult): UploadRun => ({
  ...run,
  scanned,
  ledger: new UploadLedger(openEntryTable(scanned.table)),
});

/** Only the process that has a data key can seal a manifest, and parts of one are written by many. */
function refuseSealed({ encryption, datasetId }: UploadRun): void {
  if (!encryption.encryptManifest) return;
  throw new ArchiverError(
    'unsupported',
    `the manifests of dataset ${datasetId} are encrypted, which a plan cannot keep: nothing was written`,
    {
      exitCode: 2,
      hint: 'use `archiver upload`, or --no-encrypt-manifest with --kms-key-id for encrypted chunks alone',
    },
  );
}

function headOf(
  run: UploadRun,
  { spanning, linkGroups, totals, scanned: { skipped }, sizes }: PlannedLists,
  { after, ...cut }: Pick<PlanHead, 'parts' | 'base'> & { readonly after: number },
): PlanHead {
  const { layout, filter, dataset } = run;
  const { tiers } = layout;
  const {
    chunks: _chunks,
    shards: _shards,
    listing: _listing,
    ...head
  } = manifestHead(run, sizes, {
    listing: 'full',
    totals,
    shards: [],
    chunks: [],
  });
  const options = {
    ...(tiers === undefined ? {} : { tiers: tiersOf(tiers) }),
    dvc: filter.dvc ?? ('workspace' as const),
    allowMassDelete: dataset.allowMassDelete === true,
    ...(run.failFast ? { failFast: true } : {}),
    after,
  };
  const more = { options, spanning, linkGroups, ...cut, leftOut: leftOutPaths(skipped) };
  const requires = [
    ...(cut.base === undefined ? NO_REQUIREMENTS : BASE_REQUIRED),
    ...(cut.parts.some(({ shares }) => shares !== undefined) ? SHARES_REQUIRED : NO_REQUIREMENTS),
  ];
  return { ...head, ...more, requires, uploadId: run.uploadId, type: 'archiver-plan' };
}

const tiersOf = ({ max, ...days }: TierPolicy): NonNullable<PlanHead['options']['tiers']> => ({
  ...days,
  ...(max === undefined ? {} : { max }),
});
