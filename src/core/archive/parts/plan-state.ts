// How far a plan is, as the store says: which parts have a result, and whether there is a version.
import { partOfResult, resultsPrefix } from '../../format/parts/part-keys.js';
import type { ObjectStore } from '../../store/object-store.js';
import { FolderLooks, wholeParts } from './check-attempt.js';
import { versionOf } from './plan-version.js';
import { listResults, type ReadPlan, readResults } from './read-plan.js';

export interface PlanState {
  /** Parts without a result, ascending. */
  readonly missing: readonly number[];
  /** True if there is a version that names the plan. */
  readonly isCommitted: boolean;
}

/** Lists results and reads none. @throws conflict where the version was retired; what the store throws */
export async function planState(store: ObjectStore, plan: ReadPlan, signal: AbortSignal): Promise<PlanState> {
  const done = new Set(
    (await listResults(store, resultsPrefix(plan.uploadId), signal)).map(({ key }) => partOfResult(key)),
  );
  const missing = plan.head.parts.flatMap(({ part }) => (done.has(part) ? [] : [part]));
  return { missing, isCommitted: (await versionOf(store, plan, signal)) !== undefined };
}

/**
 * Looks as the commit does: a part is missing, too, whose results are not whole, of which `warn` is told. @throws conflict where the
 * version was retired; what the store throws
 */
export async function checkedState(
  store: ObjectStore,
  plan: ReadPlan,
  { signal, warn }: { readonly signal: AbortSignal; readonly warn: (text: string) => void },
): Promise<PlanState> {
  if ((await versionOf(store, plan, signal)) !== undefined) return { missing: [], isCommitted: true };
  const listed = await listResults(store, resultsPrefix(plan.uploadId), signal);
  const results = await readResults(store, plan, listed, { signal, warn });
  const looking = { reader: store, looks: new FolderLooks(store, signal), signal };
  return { missing: (await wholeParts(looking, plan, results, warn)).missing, isCommitted: false };
}
