// The datasets under a base URL, each with its newest version.
import type { EventSink } from '../../events/events.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import type { ObjectReader } from '../../store/object-store.js';
import { ignoreEvents, progressMeter } from '../../events/progress-meter.js';
import { recordedSource } from './recorded-source.js';
import { strayTexts } from './strays.js';
import { listDatasets, type ListedVersion, readVersions } from './versions.js';

/** Summary of a dataset. Sizes are bytes; null when the record cannot be read. */
export interface DatasetSummary {
  readonly datasetId: string;
  readonly versionCount: number;
  readonly headVersion: number;
  readonly headUploadId: UploadId | null;
  readonly files: number | null;
  readonly bytes: number | null;
  readonly storedBytes: number | null;
  /** Time at which the newest version was made. */
  readonly updatedAt: string | null;
  readonly source: string | null;
  readonly host: string | null;
  /** The reason why the newest version cannot be read. */
  readonly problem?: string;
}

const AT_ONCE = 16;

export interface DescribeOptions {
  /** Gets sentences about objects beside the datasets. */
  readonly warn: (text: string) => void;
  readonly signal: AbortSignal;
  readonly emit?: EventSink;
}

/** All datasets, sorted by ID. @throws what listing and reading records throws */
export async function describeDatasets(
  reader: ObjectReader,
  { warn, signal, emit = ignoreEvents }: DescribeOptions,
): Promise<readonly DatasetSummary[]> {
  emit({ type: 'phase', phase: 'listing' });
  const { versions, strays } = await listDatasets(reader, signal);
  for (const text of strayTexts(strays)) warn(text);
  const found = [...versions];
  emit({ type: 'plan', items: found.length, bytes: 0 });
  const meter = progressMeter(emit);
  const described: (DatasetSummary | undefined)[] = [];
  for (let start = 0; start < found.length; start += AT_ONCE) {
    const batch = found.slice(start, start + AT_ONCE);
    described.push(...(await Promise.all(batch.map(([id, versions]) => describe(reader, id, versions, signal)))));
    meter.add(batch.length, 0);
  }
  meter.finish();
  return described.filter((dataset) => dataset !== undefined);
}

async function describe(
  reader: ObjectReader,
  datasetId: string,
  versions: readonly ListedVersion[],
  signal: AbortSignal,
): Promise<DatasetSummary | undefined> {
  const [head] = await readVersions(reader, versions.slice(-1), signal);
  // Gone since the listing. A prune never removes the newest version, so the whole dataset was deleted.
  if (head === undefined) return undefined;
  const common = { datasetId, versionCount: versions.length, headVersion: head.listed.version };
  if ('problem' in head) return { ...common, ...UNKNOWN, problem: head.problem.message };
  return { ...common, ...known(head.record) };
}

const UNKNOWN = {
  headUploadId: null,
  files: null,
  bytes: null,
  storedBytes: null,
  updatedAt: null,
  source: null,
  host: null,
} as const;

const known = (record: VersionRecord) => ({
  headUploadId: record.uploadId,
  files: record.totals.files,
  bytes: record.totals.bytes,
  storedBytes: record.totals.storedBytes,
  updatedAt: record.createdAt,
  source: recordedSource(record),
  host: record.source.host ?? null,
});
