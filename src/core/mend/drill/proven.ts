// What earlier drills of a dataset have proven, by the checks that lie in its store. A content of any version counts that lies in the same
// place, so that a new version takes over what it has in common with the one that was drilled.
import { placesIn } from '../../dataset/checks/content-place.js';
import { checkMs, readChecks } from '../../dataset/checks/read-checks.js';
import type { Check, Coverage } from '../../dataset/checks/check-document.js';
import type { ObjectReader } from '../../store/object-store.js';
import type { Candidate } from './candidates.js';

const DAY_MS = 86_400_000;
/** Clocks of writers differ. */
const CLOCK_MS = 60_000;

export interface Proven {
  /** When each place was proven last, in ms since 1970. */
  readonly at: ReadonlyMap<number, number>;
  /** Places that came back wrong, and have not come back right since. */
  readonly wrong: ReadonlySet<number>;
}

export interface Window {
  readonly now: Date;
  readonly days: number;
}

/** Reads the drills of a dataset: those within the days, and each that failed. @throws what the store throws */
export async function readProven(
  reader: ObjectReader,
  datasetId: string,
  { now, days }: Window,
  signal: AbortSignal,
): Promise<Proven> {
  const since = now.getTime() - days * DAY_MS;
  const { checks } = await readChecks(
    reader,
    datasetId,
    signal,
    (place) => place.kind === 'drill' && (!place.ok || checkMs(place) >= since),
  );
  return provenBy(checks, { now, days });
}

/** Adds up drills, newest first. A claim about days to come proves nothing. */
export function provenBy(checks: readonly Check[], { now, days }: Window): Proven {
  const since = now.getTime() - days * DAY_MS;
  const at = new Map<number, number>();
  const wrong = new Set<number>();
  const decided = new Set<number>();
  for (const { endedAt, proven, disproven } of checks) {
    const endedMs = Date.parse(endedAt);
    if (endedMs > now.getTime() + CLOCK_MS) continue;
    for (const place of placesIn(disproven)) {
      if (!decided.has(place)) wrong.add(place);
      decided.add(place);
    }
    for (const place of placesIn(proven)) {
      if (!decided.has(place) && endedMs >= since) at.set(place, endedMs);
      decided.add(place);
    }
  }
  return { at, wrong };
}

/** The share of the contents of a version that is proven. */
export function coverageOf(contents: readonly Candidate[], proven: ReadonlySet<number>, days: number): Coverage {
  const sum = { days, bytes: 0, ofBytes: 0, files: 0, ofFiles: contents.length };
  for (const { place, bytes } of contents) {
    sum.ofBytes += bytes;
    if (!proven.has(place)) continue;
    sum.bytes += bytes;
    sum.files++;
  }
  return sum;
}
