import type { EventSink } from '../events.js';

const EVERY_MS = 100;

/** Tells how much has been found, ten times a second at most. */
export function scanProgress(found: { readonly files: number; readonly bytes: number }, emit: EventSink): () => void {
  let next = 0;
  return () => {
    const now = performance.now();
    if (now < next) return;
    next = now + EVERY_MS;
    emit({ type: 'scan', items: found.files, bytes: found.bytes });
  };
}
