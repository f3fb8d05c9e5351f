// What was asked for is not there: a mistake in the call, and no empty success.
import { ArchiverError } from '../failures/errors.js';
import { printable } from '../paths/raw-path.js';

/** Why a path that was asked for is not there. */
export const NOT_HERE = 'not in this upload';

const NAMED = 10;

/** No entry of an upload is selected; what the selection says of it. */
export class NothingSelected extends ArchiverError {
  readonly unmatched: readonly string[];

  constructor({
    unmatched,
    conflict,
  }: {
    readonly unmatched: readonly string[];
    readonly conflict: string | undefined;
  }) {
    const named = unmatched.slice(0, NAMED).map(printable).join(', ');
    const parts = [
      ...(unmatched.length === 0 ? [] : [`${named}${unmatched.length > NAMED ? ' and others' : ''}: ${NOT_HERE}`]),
      ...(conflict === undefined ? [] : [`${conflict} together select nothing`]),
    ];
    super('not-found', parts.length === 0 ? 'no file matches' : parts.join('; '));
    this.unmatched = unmatched;
  }
}
