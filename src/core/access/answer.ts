// An answer to a question about a bucket, or why there is none. A refused question does not stop the others.
import { isArchiverError } from '../platform/failures/errors.js';
import { StoreError } from '../store/store-error.js';
import { finding, type Finding } from './finding.js';

export interface Unanswered {
  /** The IAM action that the question needs. */
  readonly action: string;
  /** The reason in one sentence. */
  readonly why: string;
  /** True when a policy refused it. */
  readonly isRefused: boolean;
  /** True when the store does not support the request. */
  readonly isLacking?: boolean;
}

export type Answer<T> = { readonly value: T } | { readonly unanswered: Unanswered };

export const isAnswered = <T>(answer: Answer<T>): answer is { readonly value: T } => 'value' in answer;

/** Returns the value; undefined when there is no answer. */
export const valueOf = <T>(answer: Answer<T>): T | undefined => (isAnswered(answer) ? answer.value : undefined);

export const unanswered = (
  action: string,
  why: string,
  { isRefused = false, isLacking = false }: Partial<Pick<Unanswered, 'isRefused' | 'isLacking'>> = {},
): { readonly unanswered: Unanswered } => ({ unanswered: { action, why, isRefused, isLacking } });

/** Failures that would affect the next questions as well. */
const ENDS_ALL = new Set(['Unreached', 'WrongRegion', 'NoSuchBucket']);

/**
 * Returns the result of `ask`. Refusals by a policy, requests that the service does not support and nonsensical answers leave the question
 * unanswered. @throws cancelled, and failures that affect all other questions as well: wrong credentials, an unreachable service
 */
export async function answerOf<T>(action: string, ask: () => Promise<T>): Promise<Answer<T>> {
  try {
    return { value: await ask() };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const isForAll = error.code === 'credentials' || error.code === 'stalled';
    if (isForAll || ENDS_ALL.has(error.reason ?? '')) throw error;
    return unanswered(action, error.message, { isRefused: error.isRefused, isLacking: error.code === 'unsupported' });
  }
}

/** Like `answerOf`, but no failure of the service is thrown, because the report can do without it. @throws only cancelled */
export async function answerIfAny<T>(action: string, ask: () => Promise<T>): Promise<Answer<T>> {
  try {
    return await answerOf(action, ask);
  } catch (error) {
    if (!isArchiverError(error) || error.code === 'cancelled') throw error;
    return unanswered(action, error.message);
  }
}

/** Returns the finding for a check that could not be made. */
export const unknownFinding = (check: string, { action, why, isRefused }: Unanswered, more = ''): Finding =>
  finding(check, 'unknown', isRefused ? `needs ${action}` : `not answered (${action})`, {
    detail: `${why}.${isRefused ? ` The credentials need ${action}.` : ''}${more === '' ? '' : ` ${more}`}`,
  });
