// Many uploads that are versions, each with its record and its manifest by docs/format.md, and without chunks.
import { gzipSync } from 'node:zlib';
import { asUploadId } from './as-upload-id.js';
import { type Json, makeArchive, manifestText } from './make-archive.js';
import { recordBytes, recordDocument, recordKey } from './make-dataset.js';
import type { UploadId } from '../../src/core/store/ids/upload-id.js';

const { manifest: MADE } = makeArchive({ files: [{ path: 'readme.txt', content: 'read me' }] });

export const uploadIdOf = (number: number): UploadId =>
  asUploadId(`20260101-000000-${number.toString(16).padStart(8, '0')}`);
export const manifestKeyOf = (number: number): string => `uploads/${uploadIdOf(number)}/manifest.json.gz`;
/** They take turns in the datasets; the first one has number 0. */
const datasetOf = (number: number, datasets: number): string => `data-${String(number % datasets).padStart(8, '0')}`;
export const recordKeyOf = (number: number, datasets = 4): string =>
  recordKey(Math.floor(number / datasets) + 1, datasetOf(number, datasets));

export interface UploadsSpec {
  readonly datasets?: number;
  /** Changes what the manifest of an upload says. */
  readonly bend?: (number: number) => Json;
}

/** Keys and bytes; the one with the highest number is the newest, by a minute. */
export function storedUploads(count: number, { datasets = 4, bend }: UploadsSpec = {}): Map<string, Buffer> {
  const objects = new Map<string, Buffer>();
  for (let number = 0; number < count; number++) {
    const uploadId = uploadIdOf(number);
    const createdAt = new Date(Date.UTC(2026, 0, 1) + number * 60_000).toISOString();
    const datasetId = datasetOf(number, datasets);
    const totals = {
      ...(MADE['totals'] as Json),
      files: 10 + number,
      bytes: 4_000_000_000 + number,
      storedBytes: 1_000_000_000 + number,
    };
    const manifest = {
      ...MADE,
      uploadId,
      datasetId,
      createdAt,
      totals,
      storage: { bucket: 'b', storageClass: 'GLACIER_IR' },
      ...bend?.(number),
    };
    const manifestBytes = gzipSync(manifestText(manifest), { level: 1 });
    objects.set(manifestKeyOf(number), manifestBytes);
    const version = Math.floor(number / datasets) + 1;
    const document = recordDocument({ version, uploadId, manifest, manifestBytes, datasetId, createdAt });
    objects.set(
      recordKeyOf(number, datasets),
      recordBytes({ ...document, source: { path: `/data/run-${number}`, host: 'lab' } }),
    );
  }
  return objects;
}
