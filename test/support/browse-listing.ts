// Listings to browse, made by docs/format.md: a small project with stages, commits and cold chunks, and arbitrary files.
import { loadListing } from '../../src/core/restore/listing/load-listing.js';
import type { Listing } from '../../src/core/restore/listing/listing.js';
import type { OpenedListing } from '../../src/stores/browse/browse-state.js';
import { type FileSpec, type Json, makeArchive, UPLOAD_ID } from './make-archive.js';
import { memoryReader } from './memory-reader.js';

/** The listing of these files. */
export async function listingOf(
  files: readonly FileSpec[],
  bend: (manifest: Json & { files: Json[]; chunks: Json[] }) => void = () => undefined,
): Promise<Listing> {
  const { objects } = makeArchive({ files, bend });
  return await loadListing(memoryReader(objects), { uploadId: UPLOAD_ID });
}

const MIB = 2 ** 20;
const OLD = '9f3c2e1'.padEnd(40, '0');
const NEW = '41aa07d'.padEnd(40, '0');

type Row = readonly [path: string, sizeBytes: number, chunk: number, stage: string | undefined, commit: string];

const ROWS: readonly Row[] = [
  ['README.md', 3072, 0, undefined, OLD],
  ['config/params.yaml', 4200, 0, 'prepare', OLD],
  ['data/features/part-000.parquet', 512 * MIB, 1, 'featurize', OLD],
  ['data/features/part-001.parquet', 498 * MIB, 1, 'featurize', OLD],
  ['data/features/part-002.parquet', 505 * MIB, 1, 'featurize', OLD],
  ['data/features/schema.json', 2355, 0, 'featurize', OLD],
  [`data/features/very-long-experiment-name-${'of-'.repeat(30)}0032/metrics-final.json`, 18_432, 0, 'featurize', OLD],
  ['models/run-12/model.bin', 1843 * MIB, 2, 'train', NEW],
  ['models/run-12/report.html', 225_280, 0, 'train', NEW],
  ['models/run-13/model.bin', 1843 * MIB, 3, 'train', NEW],
  ['names/データ-😀.txt', 12, 0, undefined, NEW],
  ['names/evil\u001b[31m\u202e.txt', 12, 0, undefined, NEW],
  ['notebooks/eda.ipynb', 1_153_434, 0, undefined, NEW],
  ...Array.from({ length: 20 }, (_, n): Row => [`results/seed-${1012 + n}/trace.csv`, 88 * MIB, 1, 'evaluate', NEW]),
];
const CLASSES = ['STANDARD', 'GLACIER_IR', 'DEEP_ARCHIVE', 'GLACIER'];

/** A project of 33 files with two large ones in cold storage. */
export const projectListing = (): Promise<Listing> =>
  listingOf(
    ROWS.map(([path, , chunk, stage, commit]) => ({
      path,
      content: 'x',
      chunk,
      extra: { ...(stage === undefined ? {} : { stage }), commit },
    })),
    ({ files, chunks, ...manifest }) => {
      for (const [index, entry] of files.entries()) entry['size'] = ROWS[index]?.[1] ?? 0;
      for (const [index, chunk] of chunks.entries()) {
        const [frame] = chunk['frames'] as Json[];
        const storedSize = index === 0 ? 2 * MIB : 4096 * MIB;
        chunk['storageClass'] = CLASSES[index];
        chunk['size'] = storedSize + Number(chunk['tocSize']);
        chunk['rawSize'] = 2 * storedSize;
        chunk['frames'] = [{ ...frame, size: storedSize, rawSize: 2 * storedSize }];
      }
      const totals = manifest['totals'] as Json;
      totals['bytes'] = ROWS.reduce((sum, [, size]) => sum + size, 0);
    },
  );

/** A listing as the browser opens it. */
export const openedListing = (listing: Listing, version?: OpenedListing['version']): OpenedListing => ({
  listing,
  baseUrl: 's3://acme-archive/lab',
  uploadId: UPLOAD_ID,
  version,
});
