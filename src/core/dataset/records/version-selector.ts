// Selects the version that a person means: `latest` (or `HEAD`), `12`, `v12`, a tag, or a day or minute, which selects the newest version
// made by its end, in the time zone of this computer. Versions are ordered by their ordinals; the clocks of writers may disagree.
import { ArchiverError, type ErrorCode, isArchiverError, usageError } from '../../platform/failures/errors.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable } from '../../platform/paths/raw-path.js';
import { findDataset, type FindDatasetOptions, type FoundDataset } from './find-dataset.js';
import { defined } from '../../platform/defined.js';
import { isMomentLike, localDay, typedMoment } from '../../platform/text/typed-moment.js';
import { ordinalsText } from './ordinals-text.js';
import { checkTag, isTag } from './tag-key.js';
import { versionName, versionNumber } from './version-name.js';
import { listOrdinals, type ListedVersion, readVersion, readVersions } from './versions.js';

export type VersionSelector =
  | { readonly kind: 'head' }
  /** `fork`: the letters of one of the versions that share the ordinal; `a` is the first. */
  | { readonly kind: 'ordinal'; readonly version: number; readonly fork?: string | undefined }
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'by'; readonly text: string; /** The first moment after it. */ readonly endMs: number };

/** Errors for a record that exists and cannot be used. */
const DAMAGED: readonly ErrorCode[] = ['integrity', 'unsupported'];

const ORDINAL = /^v?(\d{1,15})(?:\.([a-z]{1,4}))?$/;
const FORMS =
  'write latest, a version such as 12 or v12, a tag of a version, or a day or minute such as 2026-03-31, 2026-03-31T10:00 or, of another zone, 2026-03-31T10:00Z';

/**
 * Parses `latest`, `12`, `v12`, `v12.b`, `2026-03-31` or `2026-03-31T10:00`; any other word is a tag. @throws usage for what cannot be one,
 * and for dates that do not exist
 */
export function parseVersionSelector(text: string): VersionSelector {
  if (['latest', 'head'].includes(text.toLowerCase())) return { kind: 'head' };
  const [, ordinal, fork] = ORDINAL.exec(text) ?? [];
  if (ordinal !== undefined && Number(ordinal) > 0)
    return { kind: 'ordinal', version: Number(ordinal), ...defined({ fork }) };
  if (isMomentLike(text)) return { kind: 'by', text, endMs: endOf(text) };
  if (ordinal === undefined && isTag(text)) return { kind: 'tag', tag: text };
  throw usageError(`invalid version selector '${printable(text)}'`, FORMS);
}

/** Returns a tag that no version can be mistaken for. @throws usage for `v3`, `latest` or a day, and for what can be no tag */
export function checkNewTag(tag: string): string {
  const isVersion = /^(?:latest|head)$/i.test(tag) || ORDINAL.test(tag) || isMomentLike(tag);
  if (!isVersion) return checkTag(tag);
  throw usageError(`'${tag}' cannot be a tag: --version ${tag} means something else`, 'choose another word');
}

function endOf(text: string): number {
  const moment = typedMoment(text);
  if (moment !== undefined) return moment.endMs;
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
  const listed = listedBy({ datasetId, versions }, selector, options);
  if (listed !== undefined) return { record: await readOr(reader, { datasetId, versions }, listed, options), listed };
  // It may have been retired, which a listing of versions does not show.
  if (selector.kind === 'ordinal') {
    const all = await listOrdinals(reader, datasetId, options.signal);
    const there = oneOf({ datasetId, versions: all }, selector);
    if (there !== undefined) return { record: await readVersion(reader, there, options.signal), listed: there };
  }
  throw missingVersion(reader, { datasetId, versions }, selector);
}

/** The error for a version that is not among those of its dataset. */
export function missingVersion(
  reader: ObjectReader,
  { datasetId, versions }: FoundDataset,
  selector: WithoutTime,
): ArchiverError {
  const asked = selector.kind === 'ordinal' ? versionNumber(selector) : 'latest';
  return new ArchiverError(
    'not-found',
    `dataset ${printable(datasetId)} has no version ${asked} (it has ${ordinalsText(versions)})`,
    { hint: `archiver dataset versions ${reader.url} --dataset-id ${printable(datasetId)}` },
  );
}

type WithoutTime = Exclude<VersionSelector, { readonly kind: 'by' }>;

function listedBy(found: FoundDataset, selector: WithoutTime, options: FindDatasetOptions): ListedVersion | undefined {
  switch (selector.kind) {
    case 'head':
      return newestOf(found.versions, options);
    case 'ordinal':
      return oneOf(found, selector);
    case 'tag':
      return taggedOf(found, selector.tag, options);
    default:
      return selector satisfies never;
  }
}

/** The version with this tag; of several the newest, with a warning. @throws usage that names the tags there are */
function taggedOf({ datasetId, versions }: FoundDataset, tag: string, { warn }: FindDatasetOptions): ListedVersion {
  const tagged = versions.filter(({ tags }) => tags.includes(tag));
  const newest = tagged.at(-1);
  if (newest === undefined) {
    const all = [...new Set(versions.flatMap(({ tags }) => tags))].sort();
    const there = all.length === 0 ? 'none of its versions has a tag' : `its tags are ${all.join(', ')}`;
    throw usageError(`dataset ${printable(datasetId)} has no version tagged '${printable(tag)}' (${there})`, FORMS);
  }
  if (tagged.length > 1) warn?.(`${namesOf(tagged)} are tagged ${tag}; ${versionName(newest)} is taken, the newest`);
  return newest;
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
    `dataset ${printable(datasetId)} has no version of ${text} or before (its oldest, ${oldest === undefined ? '?' : versionName(oldest)}, is of ${oldest === undefined ? '?' : localDay(new Date(oldest.createdAt))})`,
    { hint: `archiver dataset versions ${reader.url} --dataset-id ${printable(datasetId)}` },
  );
}
