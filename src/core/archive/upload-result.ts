// What an upload has to say when it is done.
import type { ChangeCounts } from './changes/change-counts.js';
import { deduplicatedTotals } from './dedup/dedup-totals.js';
import { plannedObjects } from './plan/direct-plan.js';
import type { Totals, VersionRecord } from '../manifest/manifest-types.js';
import { shownSkip, type Skip } from './scan/scan.js';
import type { UploadResult } from './upload.js';
import type { UploadJob, UploadPlan } from './upload-job.js';

const directFiles = ({ ledger }: UploadJob): number =>
  ledger.chunks().filter(({ content }) => content === 'file').length;

function shared(job: UploadJob, skipped: readonly Skip[]) {
  return {
    uploadId: job.uploadId,
    location: job.location,
    manifestKey: `uploads/${job.uploadId}/manifest.json.gz`,
    datasetId: job.datasetId,
    skipped: skipped.map(shownSkip),
    partial: skipped.some((skip) => !skip.special),
    durationMs: Math.round(performance.now() - job.started),
    requests: { ...job.opened.requests },
    ...(job.options.dedup === true ? { deduplicated: deduplicatedTotals(job.ledger.table) } : {}),
    ...(job.options.direct === undefined ? {} : { directFiles: directFiles(job) }),
  };
}

/** Nothing was written. */
export function dryRunResult(job: UploadJob, plan: UploadPlan, changes?: Readonly<ChangeCounts>): UploadResult {
  const { files, bytes } = job.scanned;
  const chunks = plannedObjects(plan.lanes);
  const counts = { version: null, files, bytes, storedBytes: 0, chunks, shards: plan.shards };
  const part = changes === undefined ? {} : { changes: { ...changes, noChanges: false } };
  return { ...shared(job, job.scanned.skipped), ...counts, ...part };
}

/** A full listing was committed. */
export function fullResult(job: UploadJob, plan: UploadPlan, version: number): UploadResult {
  const { ledger, scanned, options } = job;
  const { files, bytes, storedBytes, chunks } = ledger.totals(scanned.skipped.length);
  const counts = { version, files, bytes, storedBytes, chunks, shards: plan.shards };
  const isFirst = options.changes !== undefined;
  const changes = { added: files, modified: 0, deleted: 0, unchanged: 0, noChanges: false };
  return { ...shared(job, [...scanned.skipped, ...ledger.skipped]), ...counts, ...(isFirst ? { changes } : {}) };
}

/** A full listing was committed whose `totals` are these, not those of the books. */
export function listedResult(job: UploadJob, plan: UploadPlan, version: number, totals: Totals): UploadResult {
  const { files, bytes, storedBytes, chunks } = totals;
  const counts = { version, files, bytes, storedBytes, chunks, shards: plan.shards };
  const changes = { added: files, modified: 0, deleted: 0, unchanged: 0, noChanges: false };
  const isFirst = job.options.changes !== undefined;
  return {
    ...shared(job, [...job.scanned.skipped, ...job.ledger.skipped]),
    ...counts,
    ...(isFirst ? { changes } : {}),
  };
}

/** An earlier run had committed it as this version. */
export function committedResult(job: UploadJob, { uploadId, version, totals }: VersionRecord): UploadResult {
  const { files, bytes, storedBytes, chunks } = totals;
  const place = { ...job, uploadId, location: `${job.opened.store.url}/uploads/${uploadId}` };
  return { ...shared(place, job.scanned.skipped), version, files, bytes, storedBytes, chunks, shards: 0 };
}

export interface ChangesOutcome {
  readonly uploadId: string;
  readonly version: number;
  /** Of the effective view. */
  readonly files: number;
  readonly bytes: number;
  readonly counts: Readonly<ChangeCounts>;
  readonly noChanges: boolean;
}

/** Changes were committed, or there were none: then everything is that of the version before, and nothing was stored. */
export function changesResult(job: UploadJob, plan: UploadPlan | undefined, outcome: ChangesOutcome): UploadResult {
  const { ledger, scanned, opened } = job;
  const { counts, noChanges, version, files, bytes, uploadId } = outcome;
  const sent = noChanges ? [] : ledger.chunks().filter(({ entries }) => entries > 0);
  const storedBytes = sent.reduce((sum, { size }) => sum + size, 0);
  const place = { ...job, uploadId, location: `${opened.store.url}/uploads/${uploadId}` };
  return {
    ...shared(place, [...scanned.skipped, ...ledger.skipped]),
    version,
    files,
    bytes,
    storedBytes,
    chunks: sent.length,
    shards: plan?.shards ?? 0,
    changes: { ...counts, noChanges },
  };
}
