// The versions of a dataset as data for programs: what their records state, and what the store and other versions tell about them.
import { defined } from '../../platform/defined.js';
import type { EventSink } from '../../events/events.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { doubtsAbout } from './doubts.js';
import { findDataset } from './find-dataset.js';
import { recordedSource } from './recorded-source.js';
import { storedDates } from './stored-dates.js';
import { knownCommits } from './version-commits.js';
import { type VersionName, versionName } from './version-name.js';
import { type BrokenRecord, type ReadRecord, readVersions } from './versions.js';

interface Listed extends VersionName {
  readonly tags: readonly string[];
  /** Time by the store's clock. ISO 8601, as `createdAt`. */
  readonly storedAt: string;
  /** Sentences that say why it may not be one of ours. */
  readonly doubts: readonly string[];
}

/** A version whose record cannot be used, and why. */
export interface UnreadableVersion extends Listed {
  readonly problem: string;
}

/** A version. Sizes are bytes of a restore; `storedBytes` are those of the chunks. */
export interface DescribedVersion
  extends Listed, Pick<VersionRecord, 'uploadId' | 'listing' | 'totals' | 'createdAt' | 'previous' | 'commit'> {
  readonly files: number;
  readonly bytes: number;
  readonly storedBytes: number;
  /** Null, like `host`, when the record of an encrypted version does not name it. */
  readonly source: string | null;
  readonly host: string | null;
  /** Account that made it; null where that is not recorded. */
  readonly uploader: string | null;
  readonly writerId?: string;
  readonly encryption?: VersionRecord['encryption'];
}

export interface DescribedVersions {
  readonly datasetId: string;
  /** Versions, newest first. */
  readonly versions: readonly (DescribedVersion | UnreadableVersion)[];
  /** Warnings as sentences. */
  readonly warnings: readonly string[];
  /** True when every record was read, with every commit that is recorded. */
  readonly isComplete: boolean;
}

export interface DescribeVersionsOptions {
  /** In the form that `findDataset` takes. */
  readonly dataset: string | undefined;
  readonly emit: EventSink;
  readonly signal: AbortSignal;
}

/** All versions of a dataset. @throws what `findDataset` and reading records throw */
export async function describeVersions(
  reader: ObjectReader,
  { dataset, emit, signal }: DescribeVersionsOptions,
): Promise<DescribedVersions> {
  const strays: string[] = [];
  const warn = (text: string): void => void strays.push(text);
  emit({ type: 'phase', phase: 'listing' });
  const { datasetId, versions: listed } = await findDataset(reader, dataset, { warn, signal });
  const read = await readVersions(reader, listed.toReversed(), signal);
  const sound = read.filter((found): found is ReadRecord => 'record' in found);
  const broken = read.filter((found): found is BrokenRecord => 'problem' in found);
  const records = sound.map(({ record }) => record);
  const { commits, problems } = await knownCommits(reader, records, signal);
  const doubts = doubtsAbout(sound.toReversed());
  const stored = storedDates(read.map((found) => found.listed));
  const versions = read.map((found) => {
    const { key, lastModified } = found.listed;
    const commit = 'record' in found ? commits.get(found.record.uploadId) : undefined;
    const storedAt = (stored.get(key) ?? lastModified).toISOString();
    return { ...recorded(found, commit), storedAt, doubts: doubts.get(key) ?? [] };
  });
  const warnings = [...strays, ...broken.map(({ problem }) => problem.message), ...problems, ...strange(sound)];
  return { datasetId, versions, warnings, isComplete: broken.length + problems.length === 0 };
}

/** Warnings about versions that look as if none of your writers had made them; dates are shown side by side instead. */
function strange(newestFirst: readonly ReadRecord[]): readonly string[] {
  const doubts = doubtsAbout(newestFirst.toReversed(), { withDates: false });
  return newestFirst.flatMap(({ listed }) => {
    const texts = doubts.get(listed.key);
    return texts === undefined ? [] : [`${versionName(listed)}: ${texts.join('; ')}`];
  });
}

function recorded(
  found: ReadRecord | BrokenRecord,
  commit: string | null | undefined,
): Omit<DescribedVersion, 'storedAt' | 'doubts'> | Omit<UnreadableVersion, 'storedAt' | 'doubts'> {
  const { version, fork, tags } = found.listed;
  if ('problem' in found) return { version, ...defined({ fork }), tags, problem: found.problem.message };
  const { uploadId, listing, totals, createdAt, source, writerId, uploader, previous, encryption } = found.record;
  return {
    version,
    ...defined({ fork }),
    uploadId,
    tags,
    listing,
    files: totals.files,
    bytes: totals.bytes,
    storedBytes: totals.storedBytes,
    totals,
    createdAt,
    source: recordedSource(found.record),
    host: source.host ?? null,
    uploader: uploader ?? null,
    previous,
    ...defined({ writerId, encryption, commit }),
  };
}
