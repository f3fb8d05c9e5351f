// How far a plan is, as the store says: which parts have a result, and whether there is a version.
import { partOfResult } from '../format/parts/part-keys.js';
import type { ReadPlan } from '../archive/parts/read-plan.js';
import type { ObjectReader } from '../store/object-store.js';
import { manifestKeyOf, uploadFolder } from '../store/ids/upload-id.js';

export interface PlanState {
  readonly partCount: number;
  /** Parts without a result, ascending. */
  readonly missing: readonly number[];
  readonly isCommitted: boolean;
}

/** Lists the plan's folder. @throws what the store throws */
export async function planState(
  reader: ObjectReader,
  { uploadId, head }: ReadPlan,
  signal: AbortSignal,
): Promise<PlanState> {
  const done = new Set<number>();
  let isCommitted = false;
  for await (const { objects } of reader.list({ prefix: uploadFolder(uploadId), signal }))
    for (const { key } of objects) {
      const part = partOfResult(key);
      if (part !== undefined) done.add(part);
      if (key === manifestKeyOf(uploadId)) isCommitted = true;
    }
  const missing = head.parts.flatMap(({ part }) => (done.has(part) ? [] : [part]));
  return { partCount: head.parts.length, missing, isCommitted };
}
