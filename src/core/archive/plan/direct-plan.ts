// Direct upload: files become objects of their own, unchanged. They are planned, packed and sent in groups, a chunk each: the chunk's tar
// stream has the other entries there (folders, links, sparse files), and its table of contents lists everything, so that a lost manifest
// can be rebuilt. The objects have chunk numbers and records like chunks.
import { parseStoreUrl } from '../../store/store-url.js';
import type { ChunkTask, Lane } from '../run/chunk-task.js';
import { DirectKeys } from './direct-keys.js';
import type { UploadRun } from '../run/upload-run.js';
import { KIND, STATUS } from '../../format/columns/entry-table.js';
import type { PendingTotals } from './pending-rows.js';
import { uploadFolder } from '../../store/ids/upload-id.js';
import { counted } from '../../platform/text/counted.js';

const MB = 1_000_000;
const MIB = 2 ** 20;

export type DirectInput = Pick<
  UploadRun,
  'layout' | 'dataset' | 'scanned' | 'encryption' | 'emit' | 'store' | 'uploadId' | 'ledger' | 'sender'
>;

/** Whether this upload is a direct one; reports why not where it was asked for. */
export function isDirect(
  { layout: { direct }, dataset, scanned, encryption, emit }: DirectInput,
  pending: PendingTotals,
): boolean {
  if (direct === undefined) return false;
  const bytes = dataset.changes === undefined ? scanned.bytes : pending.bytes;
  const { thresholdBytes = Number.POSITIVE_INFINITY } = direct;
  if (encryption.sealer !== undefined) {
    emit({ type: 'note', text: 'no direct upload: its keys would show the names that the manifest hides' });
    return false;
  }
  if (bytes <= thresholdBytes) return true;
  const sizes = `${megabytes(bytes)} MB are more than the ${megabytes(thresholdBytes)} MB of --direct-upload-threshold-mb`;
  emit({ type: 'note', text: `no direct upload: ${sizes}; files go into chunks (--force-direct-upload lifts it)` });
  return false;
}

const megabytes = (bytes: number): string => String(Math.ceil(bytes / MB));

/** Adds to the lanes the files in them that become objects; their chunk numbers follow those of the lanes. */
export function withDirectFiles(lanes: readonly Lane[], run: DirectInput, chunkBytes: number): readonly Lane[] {
  const keys = keysOf(run);
  const { kind, size, status } = run.ledger.table.columns;
  let next = run.ledger.count + lanes.flat().length;
  let large = 0;
  const isSmall = (index: number): boolean => (size[index] ?? 0) <= chunkBytes;
  const withFiles = (chunk: ChunkTask): ChunkTask => {
    const files = [...chunk.entries].filter((index) => kind[index] === KIND.file && status[index] === STATUS.pending);
    const small = chunk.part === undefined ? files.filter(isSmall) : [];
    if (chunk.part === undefined || chunk.part.number === 1) large += files.length - small.length;
    if (small.length === 0) return chunk;
    const direct = small.map((index) => ({ index, chunk: next, key: keys.keyOf(index, next++) }));
    return { ...chunk, direct };
  };
  const planned = lanes.map((lane) => lane.map(withFiles));
  if (large > 0) {
    const text = `${counted(large, 'file')} of more than ${chunkBytes / MIB} MiB not uploaded directly, but in chunks`;
    run.emit({ type: 'note', text });
  }
  return planned;
}

/** Number of objects that these lanes become: one per chunk, and the direct files. */
export const plannedObjects = (lanes: readonly Lane[]): number =>
  lanes.flat().reduce((count, { direct = [] }) => count + 1 + direct.length, 0);

function keysOf({ store, uploadId, ledger, sender, layout }: DirectInput): DirectKeys {
  const place = parseStoreUrl(store.url);
  const prefix = place.kind === 's3' && place.prefix !== '' ? `${place.prefix}/` : '';
  const own = uploadFolder(uploadId);
  const bytesBefore = Buffer.byteLength(prefix + own);
  // A further attempt of this run may pack again what the first one has sent.
  const sent = sender.keys().flatMap((key) => (key.startsWith(`${own}files/`) ? [key.slice(own.length)] : []));
  return new DirectKeys(ledger.table, { bytesBefore, taken: sent, isHashed: layout.direct?.hashedKeys });
}
