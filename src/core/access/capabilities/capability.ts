// The capabilities of a store, row by row: what was found, and the consequences.
import type { Unanswered } from '../answer.js';

/** In the order of the table. */
export const CAPABILITY_NAMES = [
  'create-once',
  'versions',
  'object-lock',
  'lifecycle',
  'storage-classes',
  'encryption',
  'unfinished-uploads',
  'multipart-copy',
  'largest-part',
  'clock',
] as const;
export type CapabilityName = (typeof CAPABILITY_NAMES)[number];

/** `unknown`: it was not asked, or not answered. */
export const CAPABILITY_STATES = ['yes', 'no', 'unknown'] as const;
export type CapabilityState = (typeof CAPABILITY_STATES)[number];

/** The finding about one capability. */
export interface Seen {
  readonly state: CapabilityState;
  /** A clause on what the store answered, or why nothing is known. */
  readonly detail: string;
}

export interface Capability extends Seen {
  readonly name: CapabilityName;
  /** Sentences for the store's user, with the section of the docs that has details. */
  readonly consequence: string;
}

export const yes = (detail: string): Seen => ({ state: 'yes', detail });
export const no = (detail: string): Seen => ({ state: 'no', detail });
export const notKnown = (detail: string): Seen => ({ state: 'unknown', detail });

/** Returns the result when the credentials may not ask, or when the store's answer says nothing. */
export const notAnswered = ({ action, why, isRefused }: Unanswered): Seen =>
  notKnown(isRefused ? `not asked: the credentials need ${action}` : `not answered: ${why}`);
