// What a saved upload is called in listings.
import type { FoundState } from '../../core/resume/state-folder.js';

/** `unreadable` is damaged, foreign or newer. */
export type SavedStatus = 'running' | 'interrupted' | 'complete' | 'unreadable';

/** The word for what was found. */
export function savedStatus({ state, holder }: FoundState): SavedStatus {
  if (holder !== undefined) return 'running';
  if (state === undefined) return 'unreadable';
  return state.status === 'complete' ? 'complete' : 'interrupted';
}
