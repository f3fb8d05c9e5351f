// The range that a request asks for (RFC 9110, section 14). Of several ranges in one request none is taken, and the whole is sent, as the
// RFC allows: a client that wants several asks several times.
import type { ContentRange } from '../restore/listing/read-file.js';

const BYTES = /^bytes=\s*(?:(\d{1,16})-(\d{1,16})?|-(\d{1,16}))\s*$/i;

/** The range; undefined for the whole, `unsatisfiable` for one that begins behind the end. */
export function byteRange(header: string | undefined, sizeBytes: number): ContentRange | 'unsatisfiable' | undefined {
  const [isRange, first, last, suffix] = BYTES.exec(header ?? '') ?? [];
  if (isRange === undefined) return undefined;
  if (suffix !== undefined) {
    if (Number(suffix) === 0) return 'unsatisfiable';
    // The end of what is empty cannot be said as a range.
    return sizeBytes === 0 ? undefined : { start: Math.max(0, sizeBytes - Number(suffix)), end: sizeBytes };
  }
  const start = Number(first);
  if (last !== undefined && Number(last) < start) return undefined;
  if (start >= sizeBytes) return 'unsatisfiable';
  return { start, end: last === undefined ? sizeBytes : Math.min(Number(last) + 1, sizeBytes) };
}
