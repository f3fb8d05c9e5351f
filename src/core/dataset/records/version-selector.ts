// Which version a person means: `HEAD`, `12`, `v12`, or a day, which stands for the newest version made by its end (UTC).
// Versions are ordered by their ordinals; clocks of writers may disagree.
import { ArchiverError, usageError } from '../../failures/errors.js';
import type { VersionRecord } from '../../manifest/manifest-types.js';
import type { ObjectReader } from '../../object-store/object-store.js';
import { printable } from '../../paths/raw-path.js';
import { nearDatasets } from './near-datasets.js';
import { ordinalsText } from '../ordinals-text.js';
import { listVersions, readVersion, type ListedVersion } from './versions.js';

export type VersionSelector =
  | { readonly kind: 'head' }
  | { readonly kind: 'ordinal'; readonly version: number }
  | { readonly kind: 'day'; readonly day: string };

const DAY_MS = 86_400_000;

/** Reads `HEAD`, `12`, `v12` or `2026-03-31`. @throws usage for anything else, and for a day that no calendar has */
export function parseVersionSelector(text: string): VersionSelector {
  if (text.toLowerCase() === 'head') return { kind: 'head' };
  const ordinal = /^v?(\d{1,15})$/.exec(text)?.[1];
  if (ordinal !== undefined && Number(ordinal) > 0) return { kind: 'ordinal', version: Number(ordinal) };
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return { kind: 'day', day: checkDay(text) };
  throw usageError(
    `invalid version selector '${printable(text)}'`,
    'write HEAD, a version such as 12 or v12, or a day such as 2026-03-31',
  );
}

function checkDay(text: string): string {
  const start = new Date(`${text}T00:00:00Z`);
  // Date takes 2026-02-30 for 2026-03-02.
  if (!Number.isNaN(start.getTime()) && start.toISOString().startsWith(text)) return text;
  throw usageError(`there is no day ${text}`, 'write a day as year, month and day: 2026-03-31');
}

/** The record of the version that is meant. @throws not-found naming what there is */
export async function resolveVersion(
  reader: ObjectReader,
  datasetId: string,
  selector: VersionSelector,
  signal?: AbortSignal,
): Promise<VersionRecord> {
  const listed = await listVersions(reader, datasetId, signal);
  const head = listed.at(-1);
  if (head === undefined) throw await noSuchDataset(reader, datasetId, signal);
  if (selector.kind === 'day') return await newestBy(reader, datasetId, listed, selector.day, signal);
  const version = selector.kind === 'head' ? head.version : selector.version;
  if (listed.some((found) => found.version === version)) return await readVersion(reader, datasetId, version, signal);
  throw new ArchiverError(
    'not-found',
    `dataset ${printable(datasetId)} has no version ${version} (it has ${ordinalsText(listed)})`,
    { hint: `archiver dataset versions ${reader.url} --dataset-id ${printable(datasetId)}` },
  );
}

/** The failure when nothing lies under a dataset's name. */
export async function noSuchDataset(
  reader: ObjectReader,
  datasetId: string,
  signal?: AbortSignal,
): Promise<ArchiverError> {
  const near = await nearDatasets(reader, datasetId, signal);
  const named = near.map(printable).join(', ');
  return new ArchiverError('not-found', `no dataset ${printable(datasetId)} found under ${reader.url}`, {
    hint: near.length === 0 ? `archiver dataset list ${reader.url}` : `did you mean ${named}?`,
  });
}

async function newestBy(
  reader: ObjectReader,
  datasetId: string,
  listed: readonly ListedVersion[],
  day: string,
  signal: AbortSignal | undefined,
): Promise<VersionRecord> {
  const end = Date.parse(`${day}T00:00:00Z`) + DAY_MS;
  let oldest: VersionRecord | undefined;
  for (const { version } of listed.toReversed()) {
    oldest = await readVersion(reader, datasetId, version, signal);
    if (Date.parse(oldest.createdAt) < end) return oldest;
  }
  throw new ArchiverError(
    'not-found',
    `dataset ${printable(datasetId)} has no version of ${day} or before (its oldest, v${oldest?.version ?? '?'}, is of ${oldest?.createdAt.slice(0, 10) ?? '?'})`,
    { hint: `archiver dataset versions ${reader.url} --dataset-id ${printable(datasetId)}` },
  );
}
