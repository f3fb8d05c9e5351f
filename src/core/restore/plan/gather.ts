// Reads the manifest and keeps the entries that are selected and valid. Refused entries are never looked at again.
import { readView } from '../../dataset/chain/read-view.js';
import { seedsOf } from '../../format/chunk/content-seeds.js';
import { hasSeededHash } from '../../format/chunk/seeded-hash.js';
import { placeProblem } from '../../format/manifest/manifest-check.js';
import type { ReadManifest } from '../../format/manifest/manifest-reader.js';
import type { UploadId } from '../../store/ids/upload-id.js';
import type { Entry, ManifestHead } from '../../format/manifest/manifest-types.js';
import { pathProblem } from '../../platform/paths/path-rules.js';
import type { RowBatch } from '../../format/rows/row-batch.js';
import { createSelection, type Selection, type Selectors } from '../../format/manifest/selection.js';
import type { ObjectReader } from '../../store/object-store.js';
import { printable, type RawPath, displayPath } from '../../platform/paths/raw-path.js';
import { usageError } from '../../platform/failures/errors.js';
import type { Failure, Failures } from '../../platform/failures/failure-list.js';
import { leaveFolders, PartShare } from './part-share.js';
import { openTable, TableBuilder, type Extra, type SelectedTable, type TableData } from './selected-table.js';
import type { ExpectedDigests } from '../../dataset/records/assert-expected.js';

export interface Gathered {
  readonly manifest: ReadManifest;
  readonly head: ManifestHead;
  readonly table: SelectedTable;
  readonly data: TableData;
  readonly extras: ReadonlyMap<number, Extra>;
  readonly unmatched: readonly Failure[];
  /** Number of entries that this restore is to write. */
  readonly entryCount: number;
  /** False if nothing is selected, for any part. */
  readonly isSelecting: boolean;
  /** Why nothing is selected, if `unmatched` does not say it. */
  readonly conflict: string | undefined;
}

export interface GatherOptions {
  readonly reader: ObjectReader;
  readonly uploadId: UploadId;
  /** Digests that the manifest may have, if a version record names them. */
  readonly manifestSha256?: ExpectedDigests | undefined;
  readonly selectors: Selectors;
  readonly failures: Failures;
  readonly signal?: AbortSignal | undefined;
}

/** Collects the selected entries of an upload. @throws what `readView` throws; usage for a shard that the upload does not have */
export async function gather(options: GatherOptions): Promise<Gathered> {
  const { reader, uploadId, manifestSha256, selectors, failures, signal } = options;
  const selection = createSelection(selectors);
  const share = selectors.part && new PartShare(selectors.part);
  const gatherer = new Gatherer(selection, failures, share);
  const manifest = await readView(reader, {
    uploadId,
    withoutNames: true,
    onHead: ({ head }) => {
      checkShards(head, selectors.shards);
      selection.begin(head);
      gatherer.head = head;
    },
    onEntry: (entry) => gatherer.take(entry),
    onRows: selection.isEverything && share === undefined ? (batch) => gatherer.takeRows(batch) : undefined,
    onForeign: ({ path, foreignType }) => {
      if (selection.matches({ path, type: 'file' }, undefined) && share?.takes({}, []) !== false)
        failures.add(path, `refused: entries of type '${displayPath(foreignType)}' are not known`);
    },
    needles: selection.needles,
    ranges: selection.ranges,
    sha256: manifestSha256,
    signal,
  });
  const { builder, isSelecting, foreignFolders } = gatherer;
  const data = { ...builder.data(), ...seedsFor(manifest.head) };
  const table = openTable(data);
  const entryCount = table.count - (share === undefined ? 0 : leaveFolders(table, foreignFolders));
  const unmatched = selection.unmatched();
  const conflict = isSelecting ? undefined : selection.conflict();
  const { head } = manifest;
  return { manifest, head, table, data, extras: builder.extras, unmatched, entryCount, isSelecting, conflict };
}

/** Seeds of the XXH64s of contents, by chunk; none where WebAssembly is missing. */
function seedsFor({ uploadId, chunks }: ManifestHead): Pick<TableData, 'seeds'> {
  if (!hasSeededHash()) return {};
  const seedOf = seedsOf(uploadId, chunks);
  const seeds = new SharedArrayBuffer(chunks.length * BigUint64Array.BYTES_PER_ELEMENT);
  new BigUint64Array(seeds).set(chunks.map((_, position) => seedOf(position) ?? 0n));
  return { seeds };
}

function checkShards(head: ManifestHead, shards: readonly number[] | undefined): void {
  const known = new Set(head.shards.map(({ shard }) => shard));
  const unknown = shards?.find((shard) => !known.has(shard));
  if (unknown === undefined) return;
  const list = [...known].sort((a, b) => a - b).join(', ');
  throw usageError(
    `upload ${printable(head.uploadId)} has no shard ${unknown}`,
    list === '' ? 'it has no shards' : `its shards are ${list}`,
  );
}

class Gatherer {
  readonly builder = new TableBuilder();
  head: ManifestHead | undefined;
  isSelecting = false;
  /** Folders that may hold entries of this part. */
  readonly foreignFolders: number[] = [];

  constructor(
    private readonly selection: Selection,
    private readonly failures: Failures,
    private readonly share: PartShare | undefined,
  ) {}

  take(entry: Entry): void {
    const chunks = this.head?.chunks ?? [];
    const chunk = entry.chunk ?? entry.segments?.at(-1)?.chunk;
    if (!this.selection.matches(entry, chunk === undefined ? undefined : chunks[chunk]?.shard)) return;
    const isOwn = this.share?.takes(entry, chunks) ?? true;
    if (!isOwn && entry.type !== 'directory') this.isSelecting = true;
    else this.add(entry, isOwn, chunks);
  }

  /** Takes plain files and folders where all are selected: the scanner has found nothing wrong with them. */
  takeRows(batch: RowBatch): void {
    this.isSelecting = true;
    this.builder.addRows(batch);
  }

  private add(entry: Entry, isOwn: boolean, chunks: ManifestHead['chunks']): void {
    const problem = pathProblem(entry.path) ?? linkProblem(entry.target) ?? placeProblem(entry, chunks);
    if (problem === undefined) {
      this.isSelecting = true;
      const index = this.builder.add(entry);
      if (!isOwn) this.foreignFolders.push(index);
    } else if (isOwn) this.failures.add(entry.path, `refused: ${problem}`);
  }
}

function linkProblem(target: RawPath | undefined): string | undefined {
  if (target === undefined) return undefined;
  if (target === '') return 'the link has no target';
  return target.includes('\0') ? 'the target of the link holds a zero byte' : undefined;
}
