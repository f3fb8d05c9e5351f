// Files that are new or changed and whose content an earlier version holds: moved, copied, touched, restored from elsewhere.
// They refer to it instead of being packed (docs/decisions/028). Sizes say which to hash, SHA-256 alone says which are equal.
import { digestsOf } from '../../manifest/entry-line.js';
import { digestFiles } from '../dedup/dedup-digests.js';
import { isComparable } from '../dedup/dedup-groups.js';
import { DIGEST_BYTES } from '../dedup/dedup-hash.js';
import type { UploadRun } from '../upload-run.js';
import { currentXattrs } from '../scan/current-xattrs.js';
import { type EntryTable, KIND, STATUS } from '../scan/entry-table.js';
import { placeRow } from '../scan/reopen-rows.js';
import type { Comparison } from './compare.js';
import type { KnownContents, Place } from './known-contents.js';

const EMPTY_MD5 = 'd41d8cd98f00b204e9800998ecf8427e';

type ReferInput = Pick<UploadRun, 'ledger' | 'packing' | 'scanned' | 'source' | 'emit' | 'signal'>;

/** Makes pending rows whose content is known `kept`; returns what then is to be done. @throws internal, cancelled */
export async function referToKnown(run: ReferInput, known: KnownContents, compared: Comparison): Promise<Comparison> {
  const { ledger, packing, scanned, source: root, emit, signal } = run;
  known.finish();
  const { size } = ledger.table.columns;
  const rows = comparableRows(ledger.table).filter((row) => known.hasSize(size[row] ?? 0));
  const referrer = new Referrer(run);
  if (rows.length > 0) {
    emit({ type: 'note', text: `comparing the content of ${rows.length} files that may be stored already` });
    const options = { root, workers: packing.workers, limitBytes: Number.POSITIVE_INFINITY, withMd5: true, signal };
    const { digests, made } = await digestFiles(rows, { table: scanned.table, ...options });
    rows.forEach((row, position) => {
      const digest = digests.subarray(position * DIGEST_BYTES, (position + 1) * DIGEST_BYTES);
      const place = made[position] === 1 ? known.find(size[row] ?? 0, digest) : undefined;
      if (place !== undefined) referrer.refer(row, { ...place, sha256: digest.toString('hex') });
    });
  }
  referrer.referLinks();
  if (referrer.rows > 0 && !hasContent(ledger.table)) referrer.mentionRest(known.anyPlace);
  const { counts, pending, kept } = compared;
  const referred = { files: referrer.files, bytes: referrer.bytes };
  return {
    ...compared,
    counts: () => ({ ...counts(), referred }),
    pending: pending - referrer.rows,
    kept: kept + referrer.rows,
  };
}

function comparableRows(table: EntryTable): Uint32Array {
  const rows = new Uint32Array(table.count);
  let count = 0;
  for (let row = 0; row < table.count; row++) if (isComparable(table, row)) rows[count++] = row;
  return rows.subarray(0, count);
}

const isPending = ({ columns: { kind, status } }: EntryTable, row: number): boolean =>
  status[row] === STATUS.pending && kind[row] !== KIND.dropped;

/** Whether content is still to be packed. */
function hasContent(table: EntryTable): boolean {
  for (let row = 0; row < table.count; row++)
    if (isPending(table, row) && isFile(table, row) && (table.columns.size[row] ?? 0) > 0) return true;
  return false;
}

const isFile = ({ columns: { kind } }: EntryTable, row: number): boolean =>
  kind[row] === KIND.file || kind[row] === KIND.hardlink;

type Content = Place & { readonly md5?: string | undefined; readonly sha256?: string };

class Referrer {
  /** That are not packed, of them files (each name of one), and their bytes. */
  rows = 0;
  files = 0;
  bytes = 0;
  private readonly table: EntryTable;
  private readonly xattrsOf: ReturnType<typeof currentXattrs>;
  /** By the first name of a file that has others. */
  private readonly linked = new Map<number, Content>();

  constructor(private readonly run: ReferInput) {
    this.table = run.ledger.table;
    this.xattrsOf = currentXattrs(run.source);
  }

  /** The hashed file at `row` has this content. */
  refer(row: number, content: Content): void {
    const { table } = this;
    const known = { ...content, md5: digestsOf(table, row).md5 };
    if (table.columns.group[row] !== 0) this.linked.set(row, known);
    this.bytes += table.columns.size[row] ?? 0;
    this.keep(row, known);
  }

  /** The other names of files that are referred to. */
  referLinks(): void {
    const { kind, link } = this.table.columns;
    for (let row = 0; row < this.table.count && this.linked.size > 0; row++) {
      const isName = kind[row] === KIND.hardlink && isPending(this.table, row);
      const content = isName ? this.linked.get(link[row] ?? 0) : undefined;
      if (content !== undefined) this.keep(row, content);
    }
  }

  /** Folders, symbolic links and empty files need no chunk of their own; `place` is where the latter have their nothing. */
  mentionRest(place: Place): void {
    const empty = { ...place, md5: EMPTY_MD5 };
    for (let row = 0; row < this.table.count; row++)
      if (isPending(this.table, row)) this.keep(row, isFile(this.table, row) ? empty : {});
  }

  private keep(row: number, { chunk, offset, segments, holes, md5, sha256 }: Content): void {
    const { table } = this;
    const xattrs = this.xattrsOf(table.path(row), undefined);
    const place = { chunk, offset, segments, holes, md5, sha256, xattrs, before: undefined };
    placeRow(table, this.run.ledger.extras, row, place);
    table.columns.status[row] = STATUS.kept;
    this.rows++;
    if (isFile(table, row)) this.files++;
  }
}
