// What a key is to keep to, row by row: what was tried, and what follows from it.

/** In the order of the table; those of others are asked where a writer is named. */
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
  /** A clause: what the store did, or why nothing is known. */
  readonly detail: string;
  /** What follows, and what to switch on; empty where nothing does. */
  readonly consequence: string;
}
