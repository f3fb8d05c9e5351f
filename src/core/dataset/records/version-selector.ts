// Selects the version that a person means: `latest` (or `HEAD`), `12`, `v12`, or a day or minute, which selects the newest version made by
// its end (UTC). Versions are ordered by their ordinals; the clocks of writers may disagree.
import { ArchiverError, type ErrorCode, isArchiverError, usageError } from '../../platform/failures/errors.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { findDataset, type FindDatasetOptions, type FoundDataset } from './find-dataset.js';
import { defined } from '../../platform/defined.js';
import { ordinalsText } from './ordinals-text.js';
import { versionName, versionNumber } from './version-name.js';
import { type ListedVersion, readVersion, readVersions } from './versions.js';

export type VersionSelector =
  | { readonly kind: 'head' }
  /** `fork`: the letters of one of the versions that share the ordinal; `a` is the first. */
  | { readonly kind: 'ordinal'; readonly version: number; readonly fork?: string | undefined }
  | { readonly kind: 'by'; readonly text: string; /** The first moment after it. */ readonly endMs: number };

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Errors for a record that exists and cannot be used. */
const DAMAGED: readonly ErrorCode[] = ['integrity', 'unsupported'];

/**
 * Parses `latest`, `12`, `v12`, `v12.b`, `2026-03-31` or `2026-03-31T10:00`. @throws usage for anything else, and for dates that do not
 * exist
 */
export function parseVersionSelector(text: string): VersionSelector {
  if (['latest', 'head'].includes(text.toLowerCase())) return { kind: 'head' };
  const [, ordinal, fork] = /^v?(\d{1,15})(?:\.([a-z]{1,4}))?$/.exec(text) ?? [];
  if (ordinal !== undefined && Number(ordinal) > 0)
    return { kind: 'ordinal', version: Number(ordinal), ...defined({ fork }) };
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return { kind: 'by', text, endMs: startOf(text, 'T00:00') + DAY_MS };
  if (/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(text)) return { kind: 'by', text, endMs: startOf(text) + MINUTE_MS };
  throw usageError(
    `invalid version selector '${printable(text)}'`,
    'write latest, a version such as 12 or v12, or a day or minute (UTC) such as 2026-03-31 or 2026-03-31T10:00',
  );
}

function startOf(text: string, time = ''): number {
  const start = new Date(`${text}${time}:00Z`);
  // Date turns 2026-02-30 into 2026-03-02.
  if (!Number.isNaN(start.getTime()) && start.toISOString().startsWith(text)) return start.getTime();
  throw usageError(`there is no day ${text}`, 'write a day as year, month and day: 2026-03-31');
}

/**
 * The record of the selected version. `dataset` is in the form that `findDataset` takes.
 * @throws not-found naming what exists; what `findDataset` throws
 */
export async function resolveVersion(
  reader: ObjectReader,
  dataset: string | undefined,
  selector: VersionSelector,
  options?: FindDatasetOptions,
): Promise<VersionRecord> {
  return (await resolveListed(reader, dataset, selector, options)).record;
}

interface Resolved {
  readonly record: VersionRecord;
  readonly listed: ListedVersion;
}

/** The record of the selected version with its listing; parameters as for `resolveVersion`. */
export async function resolveListed(
  reader: ObjectReader,
  dataset: string | undefined,
  selector: VersionSelector,
  options: FindDatasetOptions = {},
): Promise<Resolved> {
  const { datasetId, versions } = await findDataset(reader, dataset, options);
  if (selector.kind === 'by') return await newestBy(reader, { datasetId, versions }, selector, options);
  const listed = selector.kind === 'head' ? newestOf(versions, options) : oneOf({ datasetId, versions }, selector);
  if (listed !== undefined) return { record: await readOr(reader, { datasetId, versions }, listed, options), listed };
  const asked = selector.kind === 'head' ? 'latest' : versionNumber(selector);
  throw new ArchiverError(
    'not-found',
    `dataset ${printable(datasetId)} has no version ${asked} (it has ${ordinalsText(versions)})`,
    { hint: `archiver dataset versions ${reader.url} --dataset-id ${printable(datasetId)}` },
  );
}

/** The newest of these versions; warns when others were made beside it. */
function newestOf(versions: readonly ListedVersion[], { warn }: FindDatasetOptions): ListedVersion | undefined {
  const newest = versions.at(-1);
  const beside = versions.filter((one) => one !== newest && one.version === newest?.version);
  if (newest !== undefined && beside.length > 0)
    warn?.(
      `${namesOf([...beside, newest])} were made at the same time; ${versionName(newest)} is taken for the newest`,
    );
  return newest;
}

/**
 * The version of this name among these; undefined when there is none. @throws usage when several share its ordinal and it does not say
 * which is meant
 */
export function oneOf(
  { datasetId, versions }: FoundDataset,
  { version, fork }: Extract<VersionSelector, { kind: 'ordinal' }>,
): ListedVersion | undefined {
  const sharing = versions.filter((one) => one.version === version);
  if (fork !== undefined) return sharing.find((one) => (one.fork ?? FIRST) === fork);
  if (sharing.length < 2) return sharing[0];
  const [first, ...others] = sharing;
  const names = [`v${version}.${first?.fork ?? FIRST}`, ...others.map(versionName)];
  throw usageError(
    `version ${version} of dataset ${printable(datasetId)} is a fork: ${names.join(', ')} were made at the same time`,
    `say which is meant: --version ${names[0]}; archiver dataset versions shows them`,
  );
}

/** Letter of the first version that shares an ordinal, when it has to be told from the others. */
const FIRST = 'a';
const namesOf = (versions: readonly ListedVersion[]): string => versions.map(versionName).join(', ');

/** The record; when it is damaged, the error names the newest version that can be read. @throws what reading throws */
async function readOr(
  reader: ObjectReader,
  { versions }: FoundDataset,
  listed: ListedVersion,
  { signal }: FindDatasetOptions,
): Promise<VersionRecord> {
  try {
    return await readVersion(reader, listed, signal);
  } catch (error) {
    if (!isArchiverError(error, ...DAMAGED)) throw error;
    for (const other of versions.filter((one) => one !== listed).toReversed()) {
      const [found] = await readVersions(reader, [other], signal);
      if (found === undefined || 'problem' in found) continue;
      const hint = `the newest version that can be read is ${versionName(other)}: name it instead`;
      throw new ArchiverError(error.code, error.message, { cause: error, hint });
    }
    throw error;
  }
}

/** The newest version made by the end of the day or minute. Damaged records are reported and left out: their time is not known. */
async function newestBy(
  reader: ObjectReader,
  { datasetId, versions }: FoundDataset,
  { text, endMs }: Extract<VersionSelector, { kind: 'by' }>,
  { warn, signal }: FindDatasetOptions,
): Promise<Resolved> {
  let oldest: VersionRecord | undefined;
  let damaged: ArchiverError | undefined;
  for (const listed of versions.toReversed()) {
    try {
      oldest = await readVersion(reader, listed, signal);
      if (Date.parse(oldest.createdAt) < endMs) return { record: oldest, listed };
    } catch (error) {
      if (!isArchiverError(error, ...DAMAGED)) throw error;
      warn?.(error.message);
      damaged ??= error;
    }
  }
  if (oldest === undefined && damaged !== undefined) throw damaged;
  throw new ArchiverError(
    'not-found',
    `dataset ${printable(datasetId)} has no version of ${text} or before (its oldest, ${oldest === undefined ? '?' : versionName(oldest)}, is of ${oldest?.createdAt.slice(0, 10) ?? '?'})`,
    { hint: `archiver dataset versions ${reader.url} --dataset-id ${printable(datasetId)}` },
  );
}
