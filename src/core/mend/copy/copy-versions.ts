// Copies the versions of a plan one after the other, each dataset lowest first: what one needs of another is there before it. A version that
// cannot be copied is named, and the others are copied all the same; what is there of it is found by the next run.
import { metered, progressMeter, type ProgressMeter } from '../../events/progress-meter.js';
import { MANIFEST_NAME } from '../../store/ids/upload-id.js';
import { ByteBudget } from '../../platform/limits/byte-budget.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { assertWholeThere, commitCopy } from './commit-copy.js';
import { type CopyFailure, type CopyRun, failureOf } from './copy-run.js';
import { type NeededObject, neededObjects } from './needed-objects.js';
import { type CopyPlan, missingOf, type PlannedVersion } from './plan-copy.js';
import { isRewritten, recordThere } from './rewritten.js';
import { readVerified, sendObject } from './send-object.js';

/** Bytes of objects in memory at once, unless --memory-limit says otherwise; one that is larger is there alone. */
const HELD_BYTES = 512 * 2 ** 20;

export interface CopyResult {
  /** Versions that were made. */
  readonly made: readonly PlannedVersion[];
  /** Versions that were there already, and are whole as far as listings show. */
  readonly there: readonly PlannedVersion[];
  readonly failures: readonly CopyFailure[];
  readonly sentObjects: number;
  readonly sentBytes: number;
  readonly addedTags: number;
}

interface Totals {
  sentObjects: number;
  sentBytes: number;
  addedTags: number;
}

/** What every version of a run uses. */
interface Sending {
  readonly run: CopyRun;
  readonly budget: ByteBudget;
  readonly meter: ProgressMeter;
  readonly totals: Totals;
}

/** Copies them. @throws what the stores throw, but for what is wrong with single versions */
export async function copyVersions(run: CopyRun, plan: CopyPlan): Promise<CopyResult> {
  const { emit, signal, memoryLimitBytes } = run;
  run.looks.refresh();
  emit({ type: 'phase', phase: 'copying' });
  const bytes = plan.missing.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  emit({ type: 'plan', items: plan.missing.length, bytes });
  const totals: Totals = { sentObjects: 0, sentBytes: 0, addedTags: 0 };
  const heldBytes = memoryLimitBytes === undefined ? HELD_BYTES : Math.min(HELD_BYTES, memoryLimitBytes / 2);
  const sending: Sending = { run, budget: new ByteBudget(heldBytes), meter: progressMeter(emit), totals };
  const [made, there]: [PlannedVersion[], PlannedVersion[]] = [[], []];
  const failures: CopyFailure[] = [...plan.failures];
  const copyAll = async (): Promise<void> => {
    for (const version of plan.versions) {
      throwIfCancelled(signal);
      const failure = await failureOf(version.listed, async () => {
        await copyVersion(sending, version);
        (version.state === 'new' ? made : there).push(version);
        await copyTags(sending, version);
      });
      if (failure !== undefined) failures.push(failure);
    }
  };
  await metered(sending.meter, copyAll());
  return { made, there, failures, ...totals };
}

async function copyVersion(sending: Sending, version: PlannedVersion): Promise<void> {
  const { run } = sending;
  const isThere = (uploadId: string): boolean => run.there.has(uploadId);
  const missing = await missingOf(run, version, isThere);
  if (run.isDeep) await compareThere(sending, version, new Set(missing.map(({ key }) => key)));
  const isListing = ({ kind }: NeededObject): boolean => kind === 'listing';
  const isManifest = ({ key }: NeededObject): boolean => key.endsWith(`/${MANIFEST_NAME}`);
  const content = missing.filter((need) => !isListing(need));
  const segments = missing.filter((need) => isListing(need) && !isManifest(need));
  await sendAll(sending, content, run.requestsAtOnce);
  await sendAll(sending, segments, run.requestsAtOnce);
  await sendAll(sending, missing.filter(isManifest), 1);
  if (version.state === 'new') await commitCopy(run, version);
  else if (missing.length > 0 || isRewritten(run, version.record))
    await assertWholeThere(run, recordThere(run, version.record) ?? version.record, true);
}

async function sendAll(
  { run, budget, meter, totals }: Sending,
  needs: readonly NeededObject[],
  atOnce: number,
): Promise<void> {
  const { from, to, looks, signal, storageClass, kmsKeyId, retention } = run;
  await forEachLimit(needs, atOnce, async (need) => {
    throwIfCancelled(signal);
    const fence = (await looks.fenceAt(need.key, signal))?.etag;
    const options = { storageClass, kmsKeyId, retention, fence, signal };
    await holding(budget, need, () => sendObject(from, to, need, options));
    totals.sentObjects++;
    totals.sentBytes += need.sizeBytes;
    meter.add(1, need.sizeBytes);
  });
}

/** Runs `work` while its object counts as held in memory. */
async function holding(budget: ByteBudget, { sizeBytes }: NeededObject, work: () => Promise<unknown>): Promise<void> {
  await budget.acquire(sizeBytes);
  try {
    await work();
  } finally {
    budget.release(sizeBytes);
  }
}

/** Reads what is there of a version, but for what is about to be put, and compares it. @throws integrity */
async function compareThere(
  { run, budget }: Sending,
  { record }: PlannedVersion,
  missing: ReadonlySet<string>,
): Promise<void> {
  const { source, target, signal, requestsAtOnce } = run;
  if (isRewritten(run, record)) return;
  const needs = await neededObjects(source, record, {
    isThere: (id) => id !== record.uploadId && run.there.has(id),
    signal,
  });
  const present = needs.filter(({ key }) => !missing.has(key));
  await forEachLimit(present, requestsAtOnce, async (need) => {
    await holding(budget, need, () => readVerified(target.reader, need, signal));
  });
}

/** Adds the tags that the version has where it comes from and not there. */
async function copyTags({ run, totals }: Sending, { listed, place, record }: PlannedVersion): Promise<void> {
  const there = run.versions.get(record.datasetId)?.find(({ uploadId }) => uploadId === record.uploadId)?.place;
  for (const tag of listed.tags) {
    if (there?.tags.includes(tag) === true) continue;
    const { datasetId, version, uploadId } = there ?? place;
    if (await run.addTag({ datasetId, version, ...(uploadId === undefined ? {} : { uploadId }), tag }))
      totals.addedTags++;
  }
}
