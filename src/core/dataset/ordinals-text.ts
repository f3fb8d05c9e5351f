export interface OrdinalRun {
  readonly from: number;
  readonly to: number;
}

/** Ordinals, lowest first, as runs without a gap. */
export function ordinalRuns(ordinals: readonly number[]): readonly OrdinalRun[] {
  const runs: { from: number; to: number }[] = [];
  for (const version of ordinals) {
    const run = runs.at(-1);
    if (run !== undefined && run.to === version - 1) run.to = version;
    else runs.push({ from: version, to: version });
  }
  return runs;
}

/** Ordinals as people write them: `3, 5-9`. */
export const ordinalsText = (listed: readonly { readonly version: number }[]): string =>
  runsText(ordinalRuns(listed.map(({ version }) => version)));

/** Runs as people write them; `mark` goes before each ordinal: `v3, v5-v9`. */
export const runsText = (runs: readonly OrdinalRun[], mark = ''): string =>
  runs.map(({ from, to }) => (from === to ? `${mark}${from}` : `${mark}${from}-${mark}${to}`)).join(', ');
