// What an attempt has stored of files that it packs with others: a segment for each, whose one entry is the whole file with the pieces that
// this part has. The commit makes the file's entry of all of them.
import { STATUS } from '../../format/columns/entry-table.js';
import { entryLine } from '../../format/manifest/entry-line.js';
import type { ChunkRecord, SegmentPlace } from '../../format/manifest/manifest-types.js';
import type { Placing } from '../../format/manifest/move-entry.js';
import { type CountedEntry, type EncodedSegment, SegmentTexts } from '../../format/manifest/segment-texts.js';
import type { Share, StoredShare } from '../../format/parts/share-documents.js';
import { defined } from '../../platform/defined.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import { type RawPath, rawFromBase64 } from '../../platform/paths/raw-path.js';
import { bytesOfPieces, pieceOf } from '../../format/chunk/cut-file.js';
import { lineSources } from '../run/upload-provenance.js';
import type { UploadRun } from '../run/upload-run.js';
import type { Skip } from '../scan/skip.js';

interface StoredShares {
  readonly segments: readonly EncodedSegment[];
  readonly chunks: readonly ChunkRecord[];
  readonly shares: readonly StoredShare[];
}

type ShareRun = Pick<UploadRun, 'uploadId' | 'scanned' | 'ledger' | 'labels'>;

/** What is left out of a part: files that others pack, too, which the commit leaves out, and others. */
export function skipsOf({ scanned, ledger }: Pick<ShareRun, 'scanned' | 'ledger'>, shares: readonly Share[]) {
  const paths = new Set(shares.map(({ path }) => rawFromBase64(path)));
  const all: readonly Skip[] = [...scanned.skipped, ...ledger.skipped];
  return { shared: all.filter(({ path }) => paths.has(path)), others: all.filter(({ path }) => !paths.has(path)) };
}

/** Lists what was stored of the shares, in segments with numbers above `after`. @throws internal for one that was neither stored nor left out */
export async function composeShares(run: ShareRun, shares: readonly Share[], after: number): Promise<StoredShares> {
  const { shared } = skipsOf(run, shares);
  const reasons = new Map(shared.map(({ path, reason }) => [path, reason]));
  const packed = shares.flatMap((share) => (reasons.has(rawFromBase64(share.path)) ? [] : packedShare(run, share)));
  const texts = new SegmentTexts(1, after);
  const chunks: ChunkRecord[] = [];
  try {
    for (const { entry, records, line } of packed) {
      const before = chunks.length;
      chunks.push(...records);
      if (!texts.add(entry, (place) => line((piece) => place(before + piece)))) await texts.drained();
    }
    const { segments } = await texts.finish(run.uploadId, chunks);
    const stored = new Map(packed.map((one, position) => [one.share, { ...one, segment: segments[position]?.place }]));
    return { segments, chunks, shares: shares.map((share) => storedShare(share, stored.get(share), reasons)) };
  } catch (error) {
    texts.destroy();
    throw error;
  }
}

interface PackedShare {
  readonly share: Share;
  readonly bytes: number;
  readonly entry: CountedEntry;
  /** In the order of the pieces. */
  readonly records: readonly ChunkRecord[];
  /** The line of the file with these pieces; `place` takes the position of a record. */
  readonly line: (place: Placing) => string;
}

function packedShare({ scanned, ledger, labels }: ShareRun, share: Share): PackedShare {
  const { table, extras } = ledger;
  const { status, size, chunk, offset } = table.columns;
  const row = scanned.shares?.find((one) => one.share.path === share.path)?.row ?? -1;
  const rows = Array.from({ length: share.last - share.first + 1 }, (_, position) => row + position);
  if (row < 0 || rows.some((one) => status[one] !== STATUS.packedPiece))
    throw new ArchiverError('internal', 'pieces of a file were neither stored nor skipped; the part has no result');
  const bytes = size[row] ?? 0;
  const segments = rows.map((one, position) => {
    const piece = pieceOf(bytes, share, share.first + position);
    return { chunk: position, offset: offset[one] ?? 0, size: piece.size };
  });
  const last = rows.at(-1) ?? row;
  return {
    share,
    bytes: bytesOfPieces(bytes, share),
    entry: { path: table.path(row), type: 'file', size: bytes },
    records: rows.map((one) => ledger.record(chunk[one] ?? -1)),
    line: (place) => entryLine(table, last, lineSources(labels.provenance), { ...extras.get(last), segments }, place),
  };
}

function storedShare(
  share: Share,
  packed: (PackedShare & { readonly segment: SegmentPlace | undefined }) | undefined,
  reasons: ReadonlyMap<RawPath, string>,
): StoredShare {
  const { bytes = 0, records = [], segment } = packed ?? {};
  const storedBytes = records.reduce((sum, { size }) => sum + size, 0);
  const leftOut = reasons.get(rawFromBase64(share.path));
  return { ...share, bytes, chunks: records.length, storedBytes, ...defined({ segment, leftOut }) };
}
