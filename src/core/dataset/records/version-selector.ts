// Which version a person means: `latest` (or `HEAD`), `12`, `v12`, or a day or minute, which means the newest version made by
// its end (UTC).
// Versions are ordered by their ordinals; the clocks of writers may disagree.
import { ArchiverError, type ErrorCode, isArchiverError, usageError } from '../../failures/errors.js';
import type { VersionRecord } from '../../manifest/manifest-types.js';
import type { ObjectReader } from '../../object-store/object-store.js';
import { printable } from '../../paths/raw-path.js';
import { findDataset, type FindDatasetOptions, type FoundDataset } from './find-dataset.js';
import { ordinalsText } from '../ordinals-text.js';
import { type ListedVersion, readVersion, readVersions } from './versions.js';

export type VersionSelector =
  | { readonly kind: 'head' }
  | { readonly kind: 'ordinal'; readonly version: number }
  | { readonly kind: 'by'; readonly text: string; /** The first moment after it. */ readonly endMs: number };

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Of a record that is there and cannot be used. */
const DAMAGED: readonly ErrorCode[] = ['integrity', 'unsupported'];

/** Reads `latest`, `12`, `v12`, `2026-03-31` or `2026-03-31T10:00`. @throws usage for anything else, and for what no calendar has */
export function parseVersionSelector(text: string): VersionSelector {
  if (['latest', 'head'].includes(text.toLowerCase())) return { kind: 'head' };
  const ordinal = /^v?(\d{1,15})$/.exec(text)?.[1];
  if (ordinal !== undefined && Number(ordinal) > 0) return { kind: 'ordinal', version: Number(ordinal) };
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
 * The record of the selected version. `dataset`: as `findDataset` takes it.
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

/** The same with what was listed of it; undefined for the newest version of a day. */
export async function resolveListed(
  reader: ObjectReader,
  dataset: string | undefined,
  selector: VersionSelector,
  options: FindDatasetOptions = {},
): Promise<{ readonly record: VersionRecord; readonly listed: ListedVersion | undefined }> {
  const { datasetId, versions } = await findDataset(reader, dataset, options);
  if (selector.kind === 'by')
    return { record: await newestBy(reader, { datasetId, versions }, selector, options), listed: undefined };
  const version = selector.kind === 'head' ? versions.at(-1)?.version : selector.version;
  const listed = versions.find((one) => one.version === version);
  if (listed !== undefined) return { record: await readOr(reader, { datasetId, versions }, listed, options), listed };
  throw new ArchiverError(
    'not-found',
    `dataset ${printable(datasetId)} has no version ${version} (it has ${ordinalsText(versions)})`,
    { hint: `archiver dataset versions ${reader.url} --dataset-id ${printable(datasetId)}` },
  );
}

/** The record; where it is damaged, the error names the newest version that can be read. @throws what reading throws */
async function readOr(
  reader: ObjectReader,
  { datasetId, versions }: FoundDataset,
  { version }: ListedVersion,
  { signal }: FindDatasetOptions,
): Promise<VersionRecord> {
  try {
    return await readVersion(reader, datasetId, version, signal);
  } catch (error) {
    if (!isArchiverError(error, ...DAMAGED)) throw error;
    for (const other of versions.filter((one) => one.version !== version).toReversed()) {
      const [found] = await readVersions(reader, datasetId, [other], signal);
      if (found === undefined || 'problem' in found) continue;
      const hint = `the newest version that can be read is v${other.version}: name it instead`;
      throw new ArchiverError(error.code, error.message, { cause: error, hint });
    }
    throw error;
  }
}

/** Damaged records are named, and left out: which moment they are of is not known. */
async function newestBy(
  reader: ObjectReader,
  { datasetId, versions }: FoundDataset,
  { text, endMs }: Extract<VersionSelector, { kind: 'by' }>,
  { warn, signal }: FindDatasetOptions,
): Promise<VersionRecord> {
  let oldest: VersionRecord | undefined;
  let damaged: ArchiverError | undefined;
  for (const { version } of versions.toReversed()) {
    try {
      oldest = await readVersion(reader, datasetId, version, signal);
      if (Date.parse(oldest.createdAt) < endMs) return oldest;
    } catch (error) {
      if (!isArchiverError(error, ...DAMAGED)) throw error;
      warn?.(error.message);
      damaged ??= error;
    }
  }
  if (oldest === undefined && damaged !== undefined) throw damaged;
  throw new ArchiverError(
    'not-found',
    `dataset ${printable(datasetId)} has no version of ${text} or before (its oldest, v${oldest?.version ?? '?'}, is of ${oldest?.createdAt.slice(0, 10) ?? '?'})`,
    { hint: `archiver dataset versions ${reader.url} --dataset-id ${printable(datasetId)}` },
  );
}
