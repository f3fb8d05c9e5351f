// The promises that a key should keep, row by row: the result of testing them, and the consequences.

/** In the order of the table; those about others are tested when a writer is named. */
export const PROMISE_NAMES = [
  'stores',
  'lists',
  'reads-nothing',
  'creates-once',
  'overwrites-nothing',
  'deletes-nothing',
  'versions-kept',
  'versions-not-deleted',
  'locked',
  'others-not-listed',
  'others-not-read',
  'others-not-written',
  'others-not-deleted',
] as const;
export type PromiseName = (typeof PROMISE_NAMES)[number];

/** `unknown`: it was not asked, or not answered. */
export const PROMISE_STATES = ['holds', 'broken', 'unknown'] as const;
export type PromiseState = (typeof PROMISE_STATES)[number];

export interface KeyPromise {
  readonly name: PromiseName;
  readonly state: PromiseState;
  /** A clause on what the store did, or why nothing is known. */
  readonly detail: string;
  /** The consequence, and what to switch on; empty when there is none. */
  readonly consequence: string;
}
