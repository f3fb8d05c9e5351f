// `archiver dataset list`: one LIST, and one GET for the newest version of each dataset.
import type { Context } from '../../cli/context.js';
import type { VersionRecord } from '../../core/manifest/manifest-types.js';
import type { ObjectReader } from '../../core/object-store/object-store.js';
import { printable } from '../../core/paths/raw-path.js';
import { listAllVersions, readVersions, type ListedVersion } from '../../core/dataset/versions.js';
import { formatBytes, formatCount } from '../../ui/format.js';
import { openForReading } from '../inspect/upload-target.js';
import type { DatasetListValues } from './list.js';
import { datasetBase } from './dataset-base.js';
import { minuteText, sourceText } from './record-text.js';
import { printTable } from './print-table.js';

interface ListedDataset {
  readonly datasetId: string;
  readonly versions: number;
  readonly headVersion: number;
  readonly headUploadId: string | null;
  readonly files: number | null;
  readonly bytes: number | null;
  readonly storedBytes: number | null;
  /** When the newest version was made. */
  readonly updated: string | null;
  readonly source: string | null;
  readonly host: string | null;
  readonly problem?: string;
}

const AT_ONCE = 16;

/** Runs the command; returns its exit status. */
export async function runDatasetList(values: DatasetListValues, url: string, context: Context): Promise<number> {
  const base = datasetBase(url, values.writerId);
  const opened = await openForReading(base, values, context);
  try {
    const datasets = await describeAll(opened.store, context.signal);
    for (const { problem } of datasets) if (problem !== undefined) context.warn(problem);
    const table = context.json ? '' : await tableText(datasets, base, context);
    context.result({ datasets, location: base, requests: opened.requests }, () => table);
    return datasets.some(({ problem }) => problem !== undefined) ? 3 : 0;
  } finally {
    opened.close();
  }
}

async function describeAll(reader: ObjectReader, signal: AbortSignal): Promise<readonly ListedDataset[]> {
  const found = [...(await listAllVersions(reader, signal))];
  const described: (ListedDataset | undefined)[] = [];
  for (let start = 0; start < found.length; start += AT_ONCE) {
    const batch = found.slice(start, start + AT_ONCE);
    described.push(...(await Promise.all(batch.map(([id, versions]) => describe(reader, id, versions, signal)))));
  }
  return described.filter((dataset) => dataset !== undefined);
}

async function describe(
  reader: ObjectReader,
  datasetId: string,
  versions: readonly ListedVersion[],
  signal: AbortSignal,
): Promise<ListedDataset | undefined> {
  const [head] = await readVersions(reader, datasetId, versions.slice(-1), signal);
  // Pruned away since the listing, which prune does to a newest version never: the dataset was wiped.
  if (head === undefined) return undefined;
  const common = { datasetId, versions: versions.length, headVersion: head.listed.version };
  if ('problem' in head) return { ...common, ...UNKNOWN, problem: head.problem.message };
  return { ...common, ...known(head.record) };
}

const UNKNOWN = {
  headUploadId: null,
  files: null,
  bytes: null,
  storedBytes: null,
  updated: null,
  source: null,
  host: null,
} as const;

const known = (record: VersionRecord) => ({
  headUploadId: record.uploadId,
  files: record.totals.files,
  bytes: record.totals.bytes,
  storedBytes: record.totals.storedBytes,
  updated: record.createdAt,
  source: sourceText(record),
  host: record.source.host ?? null,
});

async function tableText(datasets: readonly ListedDataset[], base: string, context: Context): Promise<string> {
  if (datasets.length === 0) return `no datasets under ${printable(base)}\n`;
  const rows = datasets.map((dataset) => ({
    dataset: printable(dataset.datasetId),
    versions: formatCount(dataset.versions),
    head: `v${dataset.headVersion}`,
    files: dataset.files === null ? undefined : formatCount(dataset.files),
    size: dataset.bytes === null ? undefined : formatBytes(dataset.bytes),
    updated: dataset.updated === null ? undefined : minuteText(dataset.updated),
    source: dataset.source === null ? undefined : printable(`${dataset.source} on ${dataset.host ?? '?'}`),
  }));
  const columns = [
    { key: 'dataset', title: 'DATASET' },
    { key: 'versions', title: 'VERSIONS', align: 'right' as const },
    { key: 'head', title: 'HEAD', align: 'right' as const, dropOrder: 2 },
    { key: 'files', title: 'FILES', align: 'right' as const },
    { key: 'size', title: 'SIZE', align: 'right' as const },
    { key: 'updated', title: 'UPDATED (UTC)', dropOrder: 1 },
    { key: 'source', title: 'SOURCE', isCuttable: true, dropOrder: 3 },
  ];
  return await printTable(rows, columns, context);
}
