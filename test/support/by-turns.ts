// What takes minutes of two cores takes turns: a share of it each day, all of it with ARCHIVER_TEST_ALL=1.
const DAY_MS = 86_400_000;

/** The cases whose turn it is today, of which all have had theirs after `days` days. Says on stderr how many are left for others. */
export function byTurns<T>(cases: readonly T[], days: number): readonly T[] {
  if ((process.env['ARCHIVER_TEST_ALL'] ?? '') !== '') return cases;
  const today = Math.floor(Date.now() / DAY_MS) % days;
  const due = cases.filter((_, at) => at % days === today);
  process.stderr.write(`${due.length} of ${cases.length} cases today; ARCHIVER_TEST_ALL=1 runs all\n`);
  return due;
}
