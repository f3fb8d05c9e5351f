import { ArchiverError } from '../../platform/failures/errors.js';
import { type Skip, shownSkip } from './skip.js';
import type { EventSink } from '../../events/events.js';

/** Reports what is left out. @throws io, with `failFast`, for the first that is not left out by design */
export function reportSkips(
  skips: readonly Skip[],
  { emit, failFast }: { readonly emit: EventSink; readonly failFast: boolean },
): void {
  for (const skip of skips) {
    const shown = shownSkip(skip);
    emit({ type: 'skip', ...shown });
    if (!failFast || skip.special) continue;
    throw new ArchiverError('io', `${shown.path}: ${shown.reason}; nothing was committed (--fail-fast)`, {
      hint: 'leave it out with --exclude, or continue without it by leaving out --fail-fast',
    });
  }
}
