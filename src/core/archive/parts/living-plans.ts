// The plans of a store that are no versions yet. Ids begin with their time: a LIST of folders finds the uploads of the last days. Whether one
// is a plan is asked once, and only how far plans are is asked again.
import { isArchiverError, undefinedOn } from '../../platform/failures/errors.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import { planKey } from '../../format/parts/part-keys.js';
import { splitUploadKey, type UploadId, uploadStartMs } from '../../store/ids/upload-id.js';
import type { ObjectStore } from '../../store/object-store.js';
import { parseStoreUrl } from '../../store/store-url.js';
import { idAt, knownAttempt, type KnownAttempts } from './attempts.js';
import { planStatus, type PlanStatus } from './plan-status.js';
import { versionOf } from './plan-version.js';
import { type ReadPlan, readPlan } from './read-plan.js';

/** A plan that nobody writes to is abandoned after a week; a day more for clocks that differ. */
const SINCE_MS = 8 * 86_400_000;
/** The newest uploads, which are asked what they are. */
const MOST_ASKED = 1000;
const REQUESTS_AT_ONCE = 16;
const PLANS_AT_ONCE = 4;
/** The lists of a plan are put within that, and the plan itself last. */
const PLANNED_MS = 3_600_000;

/** A plan and how far it is, or why that cannot be told. */
export type SeenPlan =
  | { readonly uploadId: UploadId; readonly problem: null; readonly plan: ReadPlan; readonly status: PlanStatus }
  | { readonly uploadId: UploadId; readonly problem: string };

export interface SeenPlans {
  /** Plans, newest first. */
  readonly plans: readonly SeenPlan[];
  /** Uploads of these days that were not asked what they are, as there are too many. */
  readonly unasked: number;
}

export interface LookOptions {
  readonly now: () => Date;
  /** Gets what is known so far: once folders are listed, and after each plan. */
  readonly onPart: (part: SeenPlans) => void;
  readonly signal: AbortSignal;
}

/** `over`: it was a plan, and is a version or will never be one. */
type Kind = 'plan' | 'other' | 'over';
const PLANS: readonly (Kind | undefined)[] = ['plan', 'over'];

/** Looks for the plans of one store, and remembers what cannot change. */
export class LivingPlans {
  private readonly kinds = new Map<UploadId, Kind>();
  private readonly plans = new Map<UploadId, ReadPlan>();
  private readonly attempts: KnownAttempts = new Map();
  /** Since when an upload may be a plan, in ms since 1970. */
  private readonly seenMs = new Map<UploadId, number>();
  private last: ReadonlyMap<UploadId, SeenPlan> = new Map();

  constructor(private readonly store: ObjectStore) {}

  /** The plans that exist now and are no versions. @throws what the store throws; access-denied where it may not be listed */
  async look({ now, onPart, signal }: LookOptions): Promise<SeenPlans> {
    const ids = await this.listed(now(), signal);
    const unasked = Math.max(0, ids.length - MOST_ASKED);
    const seen = new Map([...this.last].filter(([uploadId]) => this.kinds.get(uploadId) === 'plan'));
    const found = (): SeenPlans => ({
      plans: [...seen.values()].sort((a, b) => (a.uploadId < b.uploadId ? 1 : -1)),
      unasked,
    });
    onPart(found());
    const asked = ids.slice(unasked);
    await this.askWhat(asked, now, signal);
    if (unasked > 0) await this.askWhose(asked, ids, signal);
    const plans = ids.filter((uploadId) => this.kinds.get(uploadId) === 'plan').toReversed();
    await forEachLimit(plans, PLANS_AT_ONCE, async (uploadId) => {
      const one = await this.see(uploadId, now, signal);
      if (one === undefined) seen.delete(uploadId);
      else seen.set(uploadId, one);
      onPart(found());
    });
    this.last = seen;
    return found();
  }

  /** Lists the uploads of these days, the oldest first, and forgets what is known of others. */
  private async listed(now: Date, signal: AbortSignal): Promise<readonly UploadId[]> {
    const startAfter = `uploads/${idAt(now.getTime() - SINCE_MS)}`;
    const ids: UploadId[] = [];
    for await (const { prefixes } of this.store.list({ prefix: 'uploads/', delimiter: '/', startAfter, signal }))
      ids.push(...prefixes.flatMap((prefix) => splitUploadKey(prefix)?.uploadId ?? []));
    const isFirst = this.seenMs.size === 0;
    const listed = new Set(ids);
    for (const known of [this.kinds, this.plans, this.attempts, this.seenMs])
      for (const uploadId of known.keys()) if (!listed.has(uploadId)) known.delete(uploadId);
    // An id is made before the source is listed, which may take hours: a folder that appears is as young as it looks.
    for (const uploadId of ids)
      if (!this.seenMs.has(uploadId)) this.seenMs.set(uploadId, isFirst ? uploadStartMs(uploadId) : now.getTime());
    return ids;
  }

  /** Asks which uploads are plans. One that is none may become one while it is young. */
  private async askWhat(ids: readonly UploadId[], now: () => Date, signal: AbortSignal): Promise<void> {
    const isAttempt = (uploadId: UploadId): boolean => this.attempts.get(uploadId) !== undefined;
    const unknown = ids.filter((uploadId) => !this.kinds.has(uploadId) && !isAttempt(uploadId));
    await forEachLimit(unknown, REQUESTS_AT_ONCE, async (uploadId) => {
      const isPlan = (await this.store.head(planKey(uploadId), signal)) !== undefined;
      const isYoung = now().getTime() - (this.seenMs.get(uploadId) ?? 0) < PLANNED_MS;
      if (isPlan) this.kinds.set(uploadId, 'plan');
      else if (!isYoung) this.kinds.set(uploadId, 'other');
    });
  }

  /** Asks newer uploads whether they are attempts: the plan of many parts is older than those. */
  private async askWhose(ids: readonly UploadId[], all: readonly UploadId[], signal: AbortSignal): Promise<void> {
    const listed = new Set(all);
    const others = ids.filter((uploadId) => !PLANS.includes(this.kinds.get(uploadId)));
    await forEachLimit(others, REQUESTS_AT_ONCE, async (uploadId) => {
      const reading = knownAttempt(this.store, uploadId, signal, this.attempts);
      // One that is damaged does not say whose it is.
      const attempt = await reading.catch(undefinedOn('integrity', 'unsupported'));
      if (attempt !== undefined && listed.has(attempt.plan) && !this.kinds.has(attempt.plan))
        this.kinds.set(attempt.plan, 'plan');
    });
  }

  /** Looks at one plan; undefined, for good, for one that is over. */
  private async see(uploadId: UploadId, now: () => Date, signal: AbortSignal): Promise<SeenPlan | undefined> {
    try {
      const plan = this.plans.get(uploadId) ?? (await this.read(uploadId, signal));
      if (plan === undefined) return undefined;
      // Asking a folder for the time would write a file there.
      const time = parseStoreUrl(this.store.url).kind === 'file' ? now() : undefined;
      const status = await planStatus(this.store, plan, signal, { known: this.attempts, time });
      return status.isCommitted ? this.end(uploadId) : { uploadId, problem: null, plan, status };
    } catch (error) {
      if (isArchiverError(error, 'conflict')) return this.end(uploadId);
      if (!isArchiverError(error, 'integrity', 'unsupported')) throw error;
      return { uploadId, problem: error.message };
    }
  }

  /** Reads a plan; undefined if it is over. Its version is asked for first: of one that is over nothing else is read. */
  private async read(uploadId: UploadId, signal: AbortSignal): Promise<ReadPlan | undefined> {
    const plan = await readPlan(this.store, uploadId, signal).catch(undefinedOn('not-found'));
    if (plan === undefined || (await versionOf(this.store, plan, signal)) !== undefined) return this.end(uploadId);
    this.plans.set(uploadId, plan);
    return plan;
  }

  private end(uploadId: UploadId): undefined {
    this.kinds.set(uploadId, 'over');
    this.plans.delete(uploadId);
  }
}
