import { defined } from '../../platform/defined.js';
import { type VersionName, versionNumber } from './version-name.js';

export interface OrdinalRun {
  readonly from: number;
  readonly to: number;
  /** Letters of a version that shares its ordinal with another one; it is in a run by itself. */
  readonly fork?: string;
}

/** Versions, lowest first, as runs without a gap. */
export function ordinalRuns(versions: readonly VersionName[]): readonly OrdinalRun[] {
  const runs: { from: number; to: number; fork?: string }[] = [];
  for (const { version, fork } of versions) {
    const run = runs.at(-1);
    if (run !== undefined && run.fork === undefined && fork === undefined && run.to === version - 1) run.to = version;
    else runs.push({ from: version, to: version, ...defined({ fork }) });
  }
  return runs;
}

/** Ordinals as people write them: `3, 5-9`. */
export const ordinalsText = (listed: readonly VersionName[]): string => runsText(ordinalRuns(listed));

/** Runs as people write them; `mark` goes before each ordinal: `v3, v5-v9`. */
export const runsText = (runs: readonly OrdinalRun[], mark = ''): string =>
  runs
    .map(({ from, to, fork }) => {
      const last = mark + versionNumber({ version: to, fork });
      return from === to ? last : `${mark}${from}-${last}`;
    })
    .join(', ');
