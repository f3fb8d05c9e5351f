// `archiver dataset versions`: one LIST, and one GET a version.
import type { Context } from '../../cli/context.js';
import { checkDatasetId } from '../../core/dataset/dataset-id.js';
import { noSuchDataset } from '../../core/dataset/version-selector.js';
import { listVersions, readVersions, type BrokenRecord, type ReadRecord } from '../../core/dataset/versions.js';
import { printable } from '../../core/paths/raw-path.js';
import { formatBytes, formatCount } from '../../ui/format.js';
import { openForReading } from '../kit/store.js';
import { datasetBase } from '../kit/dataset-target.js';
import { printTable } from './print-table.js';
import { recordedSource } from '../../core/dataset/recorded-source.js';
import { minuteText } from '../kit/lines.js';
import type { DatasetVersionsValues } from './versions.js';

/** Runs the command; returns its exit status. */
export async function runDatasetVersions(
  values: DatasetVersionsValues,
  url: string,
  context: Context,
): Promise<number> {
  const base = datasetBase(url, values.writerId);
  const datasetId = checkDatasetId(values.datasetId);
  const opened = await openForReading(base, values, context);
  try {
    const listed = await listVersions(opened.store, datasetId, context.signal);
    if (listed.length === 0) throw await noSuchDataset(opened.store, datasetId, context.signal);
    const read = await readVersions(opened.store, datasetId, listed.toReversed(), context.signal);
    const broken = read.filter((found): found is BrokenRecord => 'problem' in found);
    for (const { problem } of broken) context.warn(problem.message);
    const table = context.json ? '' : await tableText(read, context);
    const document = { datasetId, location: base, versions: read.map(versionDocument), requests: opened.requests };
    context.result(document, () => table);
    return broken.length > 0 ? 3 : 0;
  } finally {
    opened.close();
  }
}

function versionDocument(found: ReadRecord | BrokenRecord): Record<string, unknown> {
  if ('problem' in found) return { version: found.listed.version, problem: found.problem.message };
  const { version, uploadId, listing, totals, createdAt, source, writerId, previous, encryption } = found.record;
  return {
    version,
    uploadId,
    listing,
    files: totals.files,
    bytes: totals.bytes,
    storedBytes: totals.storedBytes,
    totals,
    createdAt,
    source: recordedSource(found.record),
    host: source.host ?? null,
    previous,
    ...(writerId === undefined ? {} : { writerId }),
    ...(encryption === undefined ? {} : { encryption }),
  };
}

async function tableText(read: readonly (ReadRecord | BrokenRecord)[], context: Context): Promise<string> {
  const rows = read.map((found) => {
    const version = `v${found.listed.version}`;
    if ('problem' in found) return { version, upload: 'unreadable' };
    const { uploadId, listing, totals, createdAt, source } = found.record;
    return {
      version,
      upload: printable(uploadId),
      listing,
      files: formatCount(totals.files),
      size: formatBytes(totals.bytes),
      created: minuteText(createdAt),
      source: source.host === undefined ? undefined : `${recordedSource(found.record)} on ${printable(source.host)}`,
    };
  });
  const columns = [
    { key: 'version', title: 'VERSION', align: 'right' as const },
    { key: 'upload', title: 'UPLOAD' },
    { key: 'listing', title: 'LISTING', dropOrder: 2 },
    { key: 'files', title: 'FILES', align: 'right' as const },
    { key: 'size', title: 'SIZE', align: 'right' as const },
    { key: 'created', title: 'CREATED (UTC)', dropOrder: 1 },
    { key: 'source', title: 'SOURCE', isCuttable: true, dropOrder: 3 },
  ];
  return await printTable(rows, columns, context);
}
