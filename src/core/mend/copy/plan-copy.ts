// Finds out what is to be copied, before anything is put: which versions are not there, and which objects they need that are not.
import { versionName } from '../../dataset/records/version-name.js';
import { placeOf } from '../../format/encryption/place.js';
import { usageError } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { listsByKey } from '../../platform/lists-by-key.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { RecordPlace } from '../../dataset/records/version-record.js';
import { listOrdinals, readOrdinals } from '../../dataset/records/versions.js';
import { type ChosenDataset, chooseVersions, readRecord, type ReadVersion } from './choose-versions.js';
import { type CopyFailure, type CopyRun, failureOf } from './copy-run.js';
import { isRewritten, refuseOtherBase } from './rewritten.js';
import { type NeededObject, neededObjects } from './needed-objects.js';
import { placeThere, readTargetVersions, retiredError, stateThere, type TargetState } from './target-versions.js';

const RECORDS_AT_ONCE = 16;

/** A version that is copied, or looked at where it is there already. */
export interface PlannedVersion extends ReadVersion {
  readonly place: RecordPlace;
  readonly state: Exclude<TargetState, 'retired'>;
  /** Uploads of the versions that share its ordinal, its own among them. */
  readonly beside: ReadonlySet<string>;
}

export interface CopyPlan {
  /** In the order in which they are copied, each dataset lowest first. */
  readonly versions: readonly PlannedVersion[];
  /** Versions that a prune has retired there: they do not come back. */
  readonly retired: readonly ReadVersion['listed'][];
  readonly failures: readonly CopyFailure[];
  /** Objects that are not there, each once. */
  readonly missing: readonly NeededObject[];
}

/** Plans the copy. @throws conflict where an ordinal is another version there; usage; what the stores throw */
export async function planCopy(run: CopyRun): Promise<CopyPlan> {
  run.emit({ type: 'phase', phase: 'listing' });
  const chosen = await chooseVersions(run.from, run.choice, run);
  const failures: CopyFailure[] = [];
  const retired: ReadVersion['listed'][] = [];
  const versions: PlannedVersion[] = [];
  for (const dataset of chosen) {
    const found = await stateOf(run, dataset, failures);
    retired.push(...found.retired);
    versions.push(...found.versions);
  }
  refuseUnreadable(run, versions);
  run.emit({ type: 'phase', phase: 'reading' });
  run.emit({ type: 'plan', items: versions.length, bytes: 0 });
  const missing = new Map<string, NeededObject>();
  const planned: PlannedVersion[] = [];
  const isThere = new Set(run.there);
  for (const [at, version] of versions.entries()) {
    const failure = await failureOf(version.listed, async () => {
      const needs = await missingOf(run, version, (id) => isThere.has(id));
      for (const need of needs) missing.set(need.key, need);
      planned.push(version);
      isThere.add(version.record.uploadId);
    });
    if (failure !== undefined) failures.push(failure);
    run.emit({ type: 'progress', items: at + 1, bytes: 0 });
  }
  return { versions: planned, retired, failures, missing: [...missing.values()] };
}

/** What a version needs and is not there. @throws as `neededObjects` and `TargetLooks` */
export async function missingOf(
  run: CopyRun,
  { record, state }: PlannedVersion,
  isThere: (uploadId: string) => boolean,
): Promise<readonly NeededObject[]> {
  const { signal } = run;
  const isCommitted = state === 'there';
  // What it shows lies elsewhere there, or did: that store keeps it whole by itself.
  if (isCommitted && isRewritten(run, record)) return [];
  const needs = await neededObjects(run.source, record, {
    isThere,
    assertBase: isCommitted ? undefined : (base) => refuseOtherBase(run, record, base),
    signal,
  });
  const missing = await run.looks.missing(needs, { isCommitted, isOwned: (id) => run.owned.has(id), signal });
  for (const { trouble } of missing) if (trouble !== undefined) throw trouble;
  return missing;
}

/** Reads the records of a dataset, here and there. @throws conflict, what the stores throw */
async function stateOf(
  run: CopyRun,
  { datasetId, versions, isNamed }: ChosenDataset,
  failures: CopyFailure[],
): Promise<Pick<CopyPlan, 'versions' | 'retired'>> {
  const { to, signal } = run;
  const target = await readTargetVersions(to, { datasetId }, signal);
  run.versions.set(datasetId, target);
  for (const { uploadId, record } of target) {
    run.owned.add(uploadId);
    if (record !== undefined) run.there.add(uploadId);
  }
  const read = await readAllRecords(run, versions, failures);
  const forks = await forkedUploads(run, datasetId);
  const retired: ReadVersion['listed'][] = [];
  const planned: PlannedVersion[] = [];
  for (const version of read) {
    const { version: ordinal, uploadId } = version.record;
    const beside = forks.get(ordinal) ?? new Set([uploadId]);
    const state = stateThere(target, version, { beside, url: to.url });
    if (state !== 'retired') {
      planned.push({ ...version, place: placeThere(to, version, beside.size > 1), state, beside });
      continue;
    }
    if (isNamed) throw retiredError(version, to.url);
    retired.push(version.listed);
  }
  return { versions: planned, retired };
}

async function readAllRecords(
  { from, signal }: CopyRun,
  listed: ChosenDataset['versions'],
  failures: CopyFailure[],
): Promise<readonly ReadVersion[]> {
  const read: (ReadVersion | undefined)[] = listed.map(() => undefined);
  await forEachLimit(listed.entries(), RECORDS_AT_ONCE, async ([at, one]) => {
    const failure = await failureOf(one, async () => {
      read[at] = await readRecord(from, one, signal);
    });
    if (failure !== undefined) failures.push(failure);
  });
  return read.filter((version) => version !== undefined);
}

/** The uploads of each ordinal that several records have, retired ones among them. */
async function forkedUploads(
  { from, signal }: CopyRun,
  datasetId: string,
): Promise<ReadonlyMap<number, ReadonlySet<string>>> {
  const byOrdinal = listsByKey(await listOrdinals(from, datasetId, signal), ({ version }) => version);
  const forks = new Map<number, ReadonlySet<string>>();
  for (const [ordinal, sharing] of byOrdinal) {
    if (sharing.length < 2) continue;
    const read = await readOrdinals(from, sharing, signal);
    const ids = read.flatMap((found) =>
      'problem' in found ? [] : ['record' in found ? found.record.uploadId : found.tombstone.uploadId],
    );
    forks.set(ordinal, new Set(ids));
  }
  return forks;
}

/**
 * Refuses what nobody could read there, or would lie in the clear there (rules.md#sealed-place, rules.md#dataset-encryption).
 * @throws usage
 */
function refuseUnreadable(
  { from, to, kmsKeyId, allowUnencrypted }: CopyRun,
  versions: readonly PlannedVersion[],
): void {
  for (const { record, state } of versions) {
    const { encryption, uploadId } = record;
    if (encryption === undefined || state !== 'new') continue;
    const name = `${versionName(record)} of ${printable(record.datasetId)}`;
    const place = placeOf(from.url, uploadId);
    if (encryption.manifest && placeOf(to.url, uploadId) !== place)
      throw usageError(
        `the manifest of ${name} is encrypted, and opens at ${place} only`,
        `copy to a place that ends as ${printable(from.url)} does; for another key or place, restore it and upload what comes back`,
      );
    if (kmsKeyId === undefined && !allowUnencrypted)
      throw usageError(
        `the chunks of ${name} are encrypted with ${printable(encryption.kmsKeyId)}, and in ${printable(to.url)} no key would encrypt them`,
        'name one with --kms-key-id, or say --allow-unencrypted',
      );
  }
}
