// Remembers what a scan looked like that showed nothing but what a version holds. A scan that looks the same shows it again.
import * as s from '../../platform/documents/schema.js';
import { type DatasetDocuments, type DocumentsPlace, openDatasetDocuments } from './dataset-documents.js';

const BODY = s.schema(() =>
  s.object({
    /** Digest of the version's manifest as it is stored. */
    manifestSha256: s.sha256,
    /** Digest of what a comparison looks at in the scan. */
    scanSha256: s.sha256,
    /** Number of paths, folders aside, that the version has and the scan has not. */
    gone: s.count,
  }),
);
export type CachedScan = s.Read<typeof BODY>;
export type ScanCache = DatasetDocuments<CachedScan>;

const KIND = { type: 'archiver-remembered-scan', format: 1, noun: 'remembered scan', body: BODY };

/** Keeps them in a folder. */
export const openScanCache = (place: DocumentsPlace): ScanCache => openDatasetDocuments(place, KIND, 'scan');
