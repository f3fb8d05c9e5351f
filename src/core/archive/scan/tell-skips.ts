import { ArchiverError } from '../../failures/errors.js';
import { type Skip, shownSkip } from './skip.js';
import type { Settings } from '../settings.js';

/** Tells of what is left out. @throws io for the first that is not left out by design, where the upload is to stop there */
export function tellSkips(skips: readonly Skip[], { emit, failFast }: Pick<Settings, 'emit' | 'failFast'>): void {
  for (const skip of skips) {
    const shown = shownSkip(skip);
    emit({ type: 'skip', ...shown });
    if (!failFast || skip.special) continue;
    throw new ArchiverError('io', `${shown.path}: ${shown.reason}; nothing was committed (--fail-fast)`, {
      hint: 'leave it out with --exclude, or go on without it by leaving out --fail-fast',
    });
  }
}
