// What checks say of one version. A failure outranks every success before it, and each later one that looked at less: it stays until a
// later check has found right what it found wrong.
import type { Check, CheckedVersion } from './check-document.js';
import type { CheckKind } from '../records/check-key.js';
import { addTo } from '../../platform/lists-by-key.js';
import { placesIn } from './content-place.js';

/** A check, as it is about one version. */
export interface VersionCheck extends Omit<Check, 'versions' | 'proven' | 'disproven' | 'ok'> {
  /** Whether it found this version well. */
  readonly ok: boolean;
  readonly errorCount: number;
  readonly problems: readonly string[];
}

export interface JudgedChecks {
  /** The newest failure that no later check has outranked. */
  readonly failure: VersionCheck | undefined;
  /** The newest check of each kind that found the version well. */
  readonly sound: Partial<Record<CheckKind, VersionCheck>>;
}

const STRENGTH = { manifest: 0, presence: 1, sample: 2, content: 3 } as const;
/** From here on bytes were read. */
const READ = STRENGTH.sample;

/** A check with what it says of one version. */
interface About {
  readonly check: Check;
  readonly about: CheckedVersion;
}

/** Returns what checks, the newest first, say of a version: the same object each time that it is asked. */
export function judgeChecks(checks: readonly Check[]): (uploadId: string) => JudgedChecks {
  const saying = new Map<string, About[]>();
  for (const check of checks) for (const about of check.versions) addTo(saying, about.uploadId, { check, about });
  const said = new Map<string, JudgedChecks>();
  return (uploadId) => {
    const before = said.get(uploadId);
    if (before !== undefined) return before;
    const judged = judge(saying.get(uploadId) ?? []);
    said.set(uploadId, judged);
    return judged;
  };
}

function judge(newestFirst: readonly About[]): JudgedChecks {
  const sound: Partial<Record<CheckKind, VersionCheck>> = {};
  let failure: VersionCheck | undefined;
  const later: Check[] = [];
  for (const { check, about } of newestFirst) {
    const its = asOf(check, about);
    if (its.ok) {
      sound[check.kind] ??= its;
      later.push(check);
    } else if (failure === undefined && !isOutranked(check, later)) failure = its;
  }
  return { failure, sound };
}

function asOf(check: Check, about: CheckedVersion): VersionCheck {
  const { versions: _versions, proven: _proven, disproven: _disproven, ...its } = check;
  const { errorCount, problems = [] } = about;
  return { ...its, ok: errorCount === 0, errorCount, problems };
}

/** Whether later checks that found the version well have looked at all that the one before found wrong. */
function isOutranked(failed: Check, later: readonly Check[]): boolean {
  const all = later.filter(({ kind, part, chunksCold }) => kind !== 'drill' && part === undefined && chunksCold === 0);
  if (all.some(({ checked }) => checked === 'content')) return true;
  const looked = lookedAt(failed);
  if (looked < READ) return all.some(({ checked }) => STRENGTH[checked] >= looked);
  const wrong = placesIn(failed.disproven);
  const right = new Set(later.flatMap(({ proven }) => [...placesIn(proven)]));
  return wrong.size > 0 && [...wrong].every((place) => right.has(place));
}

/** What a failed check has tried to look at: a listing no content, even if none was left out, and a deep one content, even if it got none. */
function lookedAt({ kind, checked }: Check): number {
  if (kind === 'listing') return Math.min(STRENGTH[checked], STRENGTH.presence);
  return checked === 'presence' ? READ : STRENGTH[checked];
}
