import type { EventSink } from '../events.js';
import { scanMeter } from '../progress-meter.js';

/** Tells how much has been found, ten times a second at most. */
export function scanProgress(found: { readonly files: number; readonly bytes: number }, emit: EventSink): () => void {
  const tell = scanMeter(emit);
  return () => tell(found.files, found.bytes);
}
