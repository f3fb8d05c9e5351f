// Plans a version that many workers make: lists the folder once, compares it with the version before, cuts what is to be packed into parts
// of equal cost, and puts their lists and, last, the plan under a new upload id. Nothing of it is ever changed.
import { hash } from 'node:crypto';
import { GzipText } from '../../format/manifest/gzip-text.js';
import { entryLine, type LineSources } from '../../format/manifest/entry-line.js';
import type { Totals } from '../../format/manifest/manifest-types.js';
import { BASE_REQUIRED, NO_REQUIREMENTS } from '../../format/manifest/requirements.js';
import { type EntryTable, KIND } from '../../format/columns/entry-table.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import { bytesOf, TOP } from '../../platform/paths/raw-path.js';
import { uploadFolder, uploadUrlOf, type UploadId } from '../../store/ids/upload-id.js';
import type { OpenedStore } from '../../store/open-store.js';
import { checkShrunken, warnOfEmpty } from '../changes/doubtful-source.js';
import { resolveDataset, type SettledDataset } from '../changes/resolve-dataset.js';
import { manifestHead } from '../commit/manifest-head.js';
import { pendingTotals } from '../plan/pending-rows.js';
import { planUpload } from '../plan/plan-upload.js';
import { plannedAmounts } from '../plan/planned-amounts.js';
import { type ArchiveOptions, settingsOf } from '../run/settings.js';
import type { TierPolicy } from '../run/tier.js';
import type { UploadRun } from '../run/upload-run.js';
import { lineSources } from '../run/upload-provenance.js';
import type { ChangeCounts } from '../run/change-counts.js';
import { defined } from '../../platform/defined.js';
import { putOnce } from '../transfer/put-once.js';
import { withRun } from '../with-run.js';
import { cutParts, isToPack, numberGroups, type PartRange, type PartSize } from './cut-parts.js';
import { planChanges, putChanges } from './plan-changes.js';
import { leftOutPaths } from './left-out-paths.js';
import { planBytes, type PlanHead, type PlannedPart } from '../../format/parts/part-documents.js';
import { listName, planKey } from '../../format/parts/part-keys.js';

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
export interface NothingPlanned extends Pick<WrittenPlan, 'datasetId' | 'requests' | 'durationMs'> {
  readonly version: number;
  readonly changes: ChangeCounts;
}

/** Plans a folder; opens the store while it is listed, and closes it. @throws as `archiveFolder` does */
export async function planFolder(
  open: () => Promise<OpenedStore>,
  options: ArchiveOptions & { readonly partSize: PartSize },
): Promise<WrittenPlan | NothingPlanned> {
  const settings = settingsOf(options);
  const opening = open();
  try {
    return await withRun(settings, opening, {
      packsAtOnce: false,
      settle: async (found) => await resolveDataset({ ...settings, ...found }),
      toEnd: async (run, settled) => await writePlan(run, settled, options.partSize),
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
  partSize: PartSize,
): Promise<WrittenPlan | NothingPlanned> {
  const hasCopies = given.scanned.dvc.cacheKept.files > 0 ? true : undefined;
  const run = { ...given, packing: { ...given.packing, dedup: given.packing.dedup ?? hasCopies } };
  const { store, uploadId, ledger, signal, emit } = run;
  refuseSealed(run);
  warnOfEmpty(run);
  const { baseline } = settled;
  const ended = () => ({
    datasetId: run.datasetId,
    requests: { ...run.requests },
    durationMs: Math.round(performance.now() - run.startedMs),
  });
  if (baseline === undefined) checkShrunken(run, { version: settled.highest, totals: settled.totals });
  const compared = baseline && (await planChanges(run, baseline));
  const changes = compared?.comparison.counts();
  if (baseline !== undefined && changes !== undefined && compared?.isNothing === true)
    return { version: baseline.head, changes, ...ended() };
  const { table } = ledger;
  const plan = planUpload(run, pendingTotals(table));
  await run.uploadGate?.(plannedAmounts(run, plan));
  await run.refuseUnsupportedClasses(plan.lanes.flat().map(({ storageClass }) => storageClass));
  const ranges = cutParts(table, partSize);
  const { all: linkGroups, ...spanning } = numberGroups(table, ranges);
  emit({ type: 'phase', phase: 'committing' });
  const base = baseline && compared && (await putChanges(run, plan, baseline, compared.comparison));
  const parts: PlannedPart[] = [];
  for (const [part, range] of ranges.entries()) {
    const bytes = await listOf(table, range, lineSources(run.labels.provenance));
    const sha256 = hash('sha256', bytes, 'hex');
    const key = listName(part, sha256);
    const writing = { contentType: 'application/gzip', sha256, exclusive: true, signal };
    await putOnce(store, uploadFolder(uploadId) + key, bytes, writing);
    const { entries, files } = range;
    const first = bytesOf(entries === 0 ? TOP : table.path(range.start)).toString('base64');
    parts.push({ part, first, key, size: bytes.length, sha256, entries, files, bytes: range.bytes });
  }
  const head = headOf(run, plan, { spanning, linkGroups, parts, after: settled.highest, ...defined({ base }) });
  await putOnce(store, planKey(uploadId), planBytes(head), {
    contentType: 'application/gzip',
    exclusive: true,
    signal,
  });
  const { totals, leftOut } = head;
  const location = uploadUrlOf(store.url, uploadId);
  return { uploadId, parts, totals, spanning, leftOut, location, changes, ...ended() };
}

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

async function listOf(table: EntryTable, { start, end }: PartRange, sources: LineSources): Promise<Buffer> {
  const text = new GzipText();
  for (let index = start; index < end; index++) {
    if (!isToPack(table, index)) continue;
    if (!text.add(`${entryLine(table, index, sources)}\n`)) await text.drained();
  }
  return await text.finish();
}

function headOf(
  run: UploadRun,
  plan: Parameters<typeof manifestHead>[1],
  { after, ...cut }: Pick<PlanHead, 'spanning' | 'linkGroups' | 'parts' | 'base'> & { readonly after: number },
): PlanHead {
  const { layout, filter, dataset, scanned, ledger } = run;
  const totals = totalsOf(ledger.table, scanned.skipped.length);
  const { tiers } = layout;
  const {
    chunks: _chunks,
    shards: _shards,
    listing: _listing,
    ...head
  } = manifestHead(run, plan, {
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
  const more = { options, ...cut, leftOut: leftOutPaths(scanned.skipped) };
  const requires = cut.base === undefined ? NO_REQUIREMENTS : BASE_REQUIRED;
  return { ...head, ...more, requires, uploadId: run.uploadId, type: 'archiver-plan' };
}

const tiersOf = ({ max, ...days }: TierPolicy): NonNullable<PlanHead['options']['tiers']> => ({
  ...days,
  ...(max === undefined ? {} : { max }),
});

function totalsOf(table: EntryTable, skipped: number): Totals {
  const { kind, size } = table.columns;
  const kinds = [0, 0, 0, 0];
  let bytes = 0;
  for (let index = 0; index < table.count; index++) {
    if (!isToPack(table, index)) continue;
    kinds[kind[index] ?? 0] = (kinds[kind[index] ?? 0] ?? 0) + 1;
    if (kind[index] === KIND.file || kind[index] === KIND.hardlink) bytes += size[index] ?? 0;
  }
  const [regular = 0, directories = 0, symlinks = 0, hardlinks = 0] = kinds;
  const files = regular + symlinks + hardlinks;
  return {
    entries: files + directories,
    files,
    directories,
    symlinks,
    hardlinks,
    bytes,
    storedBytes: 0,
    chunks: 0,
    skipped,
  };
}
