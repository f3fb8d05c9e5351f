// The error for a selection without a match: a mistake in the call, and no empty success.
import { ArchiverError } from '../../platform/failures/errors.js';
import type { Failure } from '../../platform/failures/failure-list.js';
import { printable } from '../../platform/paths/raw-path.js';

/** The reason that is given for a path without a match. */
export const NOT_HERE = 'not in this upload';

const NAMED = 10;

/** Thrown when no entry of an upload is selected; the selection gives the reasons. */
export class NothingSelected extends ArchiverError {
  readonly unmatched: readonly Failure[];

  constructor({
    unmatched,
    conflict,
  }: {
    readonly unmatched: readonly Failure[];
    readonly conflict: string | undefined;
  }) {
    const reasons = [...new Set(unmatched.map(({ reason }) => reason))];
    const parts = [
      ...reasons.map((reason) => `${namesText(unmatched.filter((one) => one.reason === reason))}: ${reason}`),
      ...(conflict === undefined ? [] : [`${conflict} together select nothing`]),
    ];
    super('not-found', parts.length === 0 ? 'no file matches' : parts.join('; '));
    this.unmatched = unmatched;
  }
}

function namesText(of: readonly Failure[]): string {
  const named = of.slice(0, NAMED).map(({ path }) => printable(path));
  return `${named.join(', ')}${of.length > NAMED ? ' and others' : ''}`;
}
