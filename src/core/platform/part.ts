/** One of several parts of a work that as many calls do. */
export interface Part {
  /** From 1. */
  readonly number: number;
  readonly of: number;
}
