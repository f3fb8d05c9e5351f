/** 0 is never dropped; larger numbers are dropped first, and among equals the rightmost. */
export interface Droppable {
  readonly priority?: number;
}

/**
 * Drops the least important items until the rest fits into `room`; the rest keeps its order. Columns of a table, hints of the key line and
 * sections of a page all shrink by this rule.
 */
export function fitByPriority<T extends Droppable>(
  items: readonly T[],
  room: number,
  sizeOf: (item: T) => number,
  gap = 0,
): T[] {
  const kept = [...items];
  const rank = (item: T): number => item.priority ?? 1;
  const used = (): number => kept.reduce((sum, item) => sum + sizeOf(item) + gap, -gap);
  while (used() > room) {
    const worst = kept.reduce((found, item, at) => (rank(item) >= rank(kept[found] ?? item) ? at : found), 0);
    const victim = kept[worst];
    if (victim === undefined || rank(victim) === 0) break;
    kept.splice(worst, 1);
  }
  return kept;
}
