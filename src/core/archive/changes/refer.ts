// Files that are new or changed but whose content an earlier version holds: touched, moved or restored ones, and copies where the dataset
// deduplicates. They refer to it instead of being packed (docs/decisions/028, 059). Paths, times and sizes only say which files to read;
// digests alone say which are equal.
import { digestFiles } from '../dedup/dedup-digests.js';
import { isMostlyData, isPendingFile } from '../dedup/dedup-groups.js';
import { DIGEST_BYTES } from '../dedup/dedup-hash.js';
import { recordsContent } from '../run/settings.js';
import type { UploadRun } from '../run/upload-run.js';
import { currentXattrs } from '../scan/current-xattrs.js';
import { type EntryTable, KIND, MD5_BYTES, STATUS } from '../../format/columns/entry-table.js';
import { placeRow } from '../scan/reopen-rows.js';
import { counted } from '../../platform/text/counted.js';
import type { Comparison } from './compare.js';
import type { Content, KnownContents, MadeDigests, Proof } from './known-contents.js';

const EMPTY_MD5 = 'd41d8cd98f00b204e9800998ecf8427e';

type ReferInput = Pick<UploadRun, 'ledger' | 'packing' | 'scanned' | 'source' | 'emit' | 'signal'>;

/** Sets pending rows whose content is known to `kept`; returns the comparison with what remains to be done. @throws internal, cancelled */
export async function referToKnown(run: ReferInput, known: KnownContents, compared: Comparison): Promise<Comparison> {
  const { table } = run.ledger;
  known.finish();
  const referrer = new Referrer(run, known);
  const wanted = candidates(run, known);
  if (wanted.count > 0) {
    const text = `comparing the content of ${counted(wanted.count, 'file')} that may be stored already`;
    run.emit({ type: 'note', text });
  }
  // The content stored with this MD5 may have been recorded with another digest than was expected: such files are read once more.
  const others = new RowsToRead();
  await readAll(run, wanted, (row, made) => {
    const found = known.find(row, table.columns.size[row] ?? 0, made);
    if (isProof(found)) others.add(row, found);
    else if (found !== undefined) referrer.refer(row, found);
  });
  await readAll(run, others, (row, made) => {
    const found = known.find(row, table.columns.size[row] ?? 0, made);
    if (found !== undefined && !isProof(found)) referrer.refer(row, found);
  });
  referrer.referLinks();
  if (referrer.rows > 0 && !hasContent(table)) referrer.mentionRest(known.anyPlace);
  const { counts, pending, kept } = compared;
  const referred = { files: referrer.files, bytes: referrer.bytes };
  return {
    ...compared,
    counts: () => ({ ...counts(), referred }),
    pending: pending - referrer.rows,
    kept: kept + referrer.rows,
  };
}

/**
 * Chooses the files to read: those as large as what their path had before, those with size and time, or size and name, of what is gone, and,
 * with SHA-256 recorded, those of a known size.
 */
function candidates({ ledger, packing }: ReferInput, known: KnownContents): RowsToRead {
  const { table } = ledger;
  const { size, mtimeSeconds, mtimeNanos } = table.columns;
  const wanted = new RowsToRead();
  const isSizeEnough = recordsContent(packing);
  for (let row = 0; row < table.count; row++) {
    if (!isPendingFile(table, row)) continue;
    const bytes = size[row] ?? 0;
    const mtime = { seconds: mtimeSeconds[row] ?? 0, nanos: mtimeNanos[row] ?? 0 };
    const proof = known.proofFor(row, {
      path: isMostlyData(table, row) ? table.path(row) : undefined,
      size: bytes,
      mtime,
    });
    if (proof !== undefined) wanted.add(row, proof);
    else if (isSizeEnough && known.hasSize(bytes) && isMostlyData(table, row)) wanted.add(row, 'sha256');
  }
  return wanted;
}

/** Reads the files, and calls `onMade` with the digests of each that looks as scanned before and after. */
async function readAll(
  { ledger, packing, scanned, source: root, signal }: ReferInput,
  wanted: RowsToRead,
  onMade: (row: number, made: MadeDigests) => void,
): Promise<void> {
  const { md5 } = ledger.table;
  for (const { rows, seeds } of wanted.lists()) {
    const options = { root, workers: packing.workers, limitBytes: Number.POSITIVE_INFINITY, withMd5: true, signal };
    const { digests, made } = await digestFiles(rows, { table: scanned.table, seeds, ...options });
    rows.forEach((row, position) => {
      if (made[position] !== 1) return;
      onMade(row, {
        md5: md5.subarray(row * MD5_BYTES, (row + 1) * MD5_BYTES),
        proof: seeds === undefined ? 'sha256' : { seed: seeds[position] ?? 0n },
        digest: digests.subarray(position * DIGEST_BYTES, (position + 1) * DIGEST_BYTES),
      });
    });
  }
}

const isProof = (found: Content | Proof | undefined): found is Proof =>
  found === 'sha256' || (found !== undefined && 'seed' in found);

const isPending = ({ columns: { kind, status } }: EntryTable, row: number): boolean =>
  status[row] === STATUS.pending && kind[row] !== KIND.dropped;

/** Whether any file with content is still to be packed. */
function hasContent(table: EntryTable): boolean {
  for (let row = 0; row < table.count; row++)
    if (isPending(table, row) && isFile(table, row) && (table.columns.size[row] ?? 0) > 0) return true;
  return false;
}

const isFile = ({ columns: { kind } }: EntryTable, row: number): boolean =>
  kind[row] === KIND.file || kind[row] === KIND.hardlink;

class Referrer {
  /** Number of rows that need not be packed, of files among them (each name counts), and their bytes. */
  rows = 0;
  files = 0;
  bytes = 0;
  private readonly table: EntryTable;
  private readonly xattrsOf: ReturnType<typeof currentXattrs>;
  /** Content of files with several names, by the row of the first name. */
  private readonly linked = new Map<number, Content>();

  constructor(
    private readonly run: ReferInput,
    private readonly known: KnownContents,
  ) {
    this.table = run.ledger.table;
    this.xattrsOf = currentXattrs(run.source);
  }

  /** Makes the file at `row` refer to this content. */
  refer(row: number, content: Content): void {
    const { group, size } = this.table.columns;
    if (group[row] !== 0) this.linked.set(row, content);
    this.bytes += size[row] ?? 0;
    this.keep(row, content);
  }

  /** Makes the other names of those files refer to it, too. */
  referLinks(): void {
    const { kind, link } = this.table.columns;
    for (let row = 0; row < this.table.count && this.linked.size > 0; row++) {
      const isName = kind[row] === KIND.hardlink && isPending(this.table, row);
      const content = isName ? this.linked.get(link[row] ?? 0) : undefined;
      if (content !== undefined) this.keep(row, content);
    }
  }

  /** Mentions folders, symbolic links and empty files without a chunk of their own; `place` stands for the content of empty files. */
  mentionRest(place: Pick<Content, 'chunk' | 'offset'>): void {
    const empty = { ...place, md5: EMPTY_MD5 };
    for (let row = 0; row < this.table.count; row++)
      if (isPending(this.table, row)) this.keep(row, isFile(this.table, row) ? empty : {});
  }

  private keep(row: number, { chunk, offset, segments, holes, md5, sha256, xxh64 }: Content): void {
    const { table } = this;
    const xattrs = this.xattrsOf(table.path(row), undefined);
    const place = { chunk, offset, segments, holes, md5, sha256, xxh64, xattrs, before: this.known.saidOf(row, md5) };
    placeRow(table, this.run.ledger.extras, row, place);
    table.columns.status[row] = STATUS.kept;
    this.rows++;
    if (isFile(table, row)) this.files++;
  }
}

// Rows whose content is to be read, each with the digest to make. Kept in columns, however many there are.

/** Rows for which one kind of digest is made. */
interface RowList {
  readonly rows: Uint32Array;
  /** Seed of the XXH64 that is made of each; undefined if their SHA-256 is made. */
  readonly seeds: BigUint64Array | undefined;
}

class RowsToRead {
  private readonly bySha256 = new Rows();
  private readonly bySeed = new Rows();

  add(row: number, proof: Proof): void {
    if (proof === 'sha256') this.bySha256.add(row, 0n);
    else this.bySeed.add(row, proof.seed);
  }

  get count(): number {
    return this.bySha256.count + this.bySeed.count;
  }

  /** Returns the lists that are not empty. */
  lists(): readonly RowList[] {
    const { bySha256, bySeed } = this;
    const lists = [
      { rows: bySha256.all(), seeds: undefined },
      { rows: bySeed.all(), seeds: bySeed.allSeeds() },
    ];
    return lists.filter(({ rows }) => rows.length > 0);
  }
}

class Rows {
  count = 0;
  private rows = new Uint32Array(256);
  private seeds = new BigUint64Array(256);

  add(row: number, seed: bigint): void {
    if (this.count === this.rows.length) {
      const [rows, seeds] = [this.rows, this.seeds];
      this.rows = new Uint32Array(this.count * 2);
      this.seeds = new BigUint64Array(this.count * 2);
      this.rows.set(rows);
      this.seeds.set(seeds);
    }
    this.rows[this.count] = row;
    this.seeds[this.count++] = seed;
  }

  all(): Uint32Array {
    return this.rows.subarray(0, this.count);
  }

  allSeeds(): BigUint64Array {
    return this.seeds.subarray(0, this.count);
  }
}
