// What checks of a store say of each dataset, for those who watch it: one listing of what lies below `datasets/` (a LIST for each 1000 keys), and
// for each dataset one GET, of its newest drill. Only where a check has failed are more read, to know whether a later one has found right what was
// wrong (`tellingChecks`). What cannot be read counts as not proven, and as wrong.
import { judgeChecks } from '../dataset/checks/judge-checks.js';
import { checkMs, newestFirst, type ReadCheck, readPlaces, tellingChecks } from '../dataset/checks/read-checks.js';
import type { CheckPlace } from '../dataset/records/check-key.js';
import { listDatasets } from '../dataset/records/versions.js';
import { provenBy } from '../mend/drill/proven.js';
import type { ObjectReader } from '../store/object-store.js';

/** Clocks of writers differ; a check of days to come proves nothing. */
const CLOCK_MS = 60_000;

export interface CheckedDataset {
  readonly datasetId: string;
  /** When a drill last brought back all that it tried. */
  readonly provenAt: Date | undefined;
  /** What the newest drill says of its version; undefined where there is none. */
  readonly drill: { readonly endedAt: Date; readonly coverage: NonNullable<ReadCheck['coverage']> } | undefined;
  /** Whether something was found wrong that no later check has found right. */
  readonly hasFailedCheck: boolean;
}

export interface CheckedDatasets {
  readonly datasets: readonly CheckedDataset[];
  /** Sentences about checks that cannot be read. */
  readonly warnings: readonly string[];
}

/** Reads them. @throws what the store throws */
export async function readCheckedDatasets(
  reader: ObjectReader,
  { now, signal }: { readonly now: Date; readonly signal: AbortSignal },
): Promise<CheckedDatasets> {
  const { versions, checks } = await listDatasets(reader, signal);
  const datasets: CheckedDataset[] = [];
  const warnings: string[] = [];
  for (const datasetId of versions.keys()) {
    const wanted = wantedOf(checks.get(datasetId) ?? []);
    const read = await readPlaces(reader, wanted, signal);
    warnings.push(...read.warnings);
    const believed = read.checks.filter(({ ok, endedAt }) => !ok || Date.parse(endedAt) <= now.getTime() + CLOCK_MS);
    datasets.push({ datasetId, ...saidBy(believed), hasFailedCheck: hasFailed(wanted, believed, now) });
  }
  return { datasets, warnings };
}

/** The places that are read: where nothing has failed the newest drill alone. */
function wantedOf(places: readonly CheckPlace[]): readonly CheckPlace[] {
  if (!places.every(({ ok }) => ok)) return tellingChecks(places);
  const drills = newestFirst(places).filter(({ kind }) => kind === 'drill');
  // Within a second keys have no order.
  return drills.filter((drill, _, [newest = drill]) => checkMs(drill) === checkMs(newest));
}

function saidBy(newestFirst: readonly ReadCheck[]): Pick<CheckedDataset, 'provenAt' | 'drill'> {
  const drills = newestFirst.filter(({ kind }) => kind === 'drill');
  const sound = drills.find(({ ok }) => ok);
  const [drill] = drills.flatMap(({ endedAt, coverage }) =>
    coverage === undefined ? [] : [{ endedAt: new Date(endedAt), coverage }],
  );
  return { provenAt: sound && new Date(sound.endedAt), drill };
}

function hasFailed(wanted: readonly CheckPlace[], checks: readonly ReadCheck[], now: Date): boolean {
  const read = new Set(checks.map(({ place }) => place.id));
  if (wanted.some(({ id, ok }) => !ok && !read.has(id))) return true;
  // A later version has the same content: whichever version of the dataset was drilled, its places say what came back.
  const drills = checks.filter(({ kind }) => kind === 'drill');
  if (provenBy(drills, { now, days: 0 }).wrong.size > 0) return true;
  const others = checks.filter(({ kind, ok, disproven = '' }) => kind !== 'drill' || ok || disproven === '');
  const judged = judgeChecks(others);
  const uploads = new Set(others.flatMap(({ versions }) => versions.map(({ uploadId }) => uploadId)));
  return [...uploads].some((uploadId) => judged(uploadId).failure !== undefined);
}
