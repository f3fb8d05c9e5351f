// Where the stored bytes of a sparse file belong. Pure.

/** A run of stored bytes: `length` bytes at `position` of the stored content belong at `offset` of the file. */
export interface DataRun {
  readonly offset: number;
  readonly length: number;
  readonly position: number;
}

/** The runs between the holes, in order; empty when the file is one hole. */
export function dataRuns(size: number, holes: readonly (readonly [number, number])[]): DataRun[] {
  const runs: DataRun[] = [];
  let offset = 0;
  let position = 0;
  const add = (end: number): void => {
    if (end <= offset) return;
    runs.push({ offset, length: end - offset, position });
    position += end - offset;
  };
  for (const [start, length] of holes) {
    add(start);
    offset = start + length;
  }
  add(size);
  return runs;
}
