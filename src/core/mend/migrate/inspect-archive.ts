// A dry run of a migration: reads the whole archive, judges every member as a migration would, and writes nothing.
import { readAccountIds } from '../../archive/scan/account-names.js';
import { deriveDatasetId } from '../../dataset/records/identity.js';
import type { EventSink } from '../../events/events.js';
import { rawFromText } from '../../platform/paths/raw-path.js';
import { tarBytes } from '../../format/tar/tar-block.js';
import { ArchiveContents, type Row } from './archive-contents.js';
import { type ArchiveFormat, openTarStream } from './archive-format.js';
import { Extraction, type NotMigrated } from './extraction.js';
import { Losses } from './losses.js';
import type { MigrateOptions } from './migrate-options.js';
import { namedError } from './named-error.js';
import { readTar } from './read-tar.js';

export interface InspectOptions extends Pick<MigrateOptions, 'archive' | 'signal'> {
  readonly emit: EventSink;
}

export interface InspectedArchive {
  readonly format: ArchiveFormat;
  readonly datasetId: string;
  readonly contents: ArchiveContents;
  readonly files: number;
  /** Sum of the files' sizes in bytes; a file with several names counts once for each. */
  readonly bytes: number;
  /** Estimated bytes needed in the temporary folder; holes are counted, so it may be less. */
  readonly tempBytes: number;
  /** Bytes to be packed: every content once, holes counted, in tar streams. */
  readonly packedBytes: number;
  readonly skipped: readonly NotMigrated[];
  /** Metadata that cannot be kept as far as the archive tells, one sentence per kind. */
  readonly notKept: readonly string[];
}

/** Bytes that file systems commonly take for each entry, and round a file's size up to. */
const FILE_BLOCK = 4096;

/** Reads an archive without writing anything. @throws what a migration would throw while reading */
export async function inspectArchive({ archive, emit, signal }: InspectOptions): Promise<InspectedArchive> {
  const skipped: NotMigrated[] = [];
  const contents = new ArchiveContents({ case: false, unicode: false });
  const onSkip = (skip: NotMigrated): void => {
    skipped.push(skip);
    emit({ type: 'skip', path: skip.path, reason: skip.reason });
  };
  const losses = new Losses();
  const extraction = new Extraction({ contents, losses, accounts: readAccountIds(), writer: undefined, onSkip });
  emit({ type: 'phase', phase: 'scanning' });
  const content = await archive.opened.store.get(archive.key, { signal });
  try {
    const { format, pieces } = await openTarStream(content.body as AsyncIterable<Uint8Array>);
    await readTar(pieces, extraction, emit, signal);
    const datasetId = deriveDatasetId(rawFromText(archive.url), archive.owner);
    return { format, datasetId, contents, skipped, notKept: losses.sentences(), ...totals(contents.rows.values()) };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    throw namedError(error, archive.url);
  } finally {
    content.body.destroy();
  }
}

function totals(rows: Iterable<Row>): Pick<InspectedArchive, 'files' | 'bytes' | 'tempBytes' | 'packedBytes'> {
  const seen = new Set<number>();
  const sums = { files: 0, bytes: 0, tempBytes: 0, packedBytes: 0 };
  for (const { kind, size, file } of rows) {
    sums.tempBytes += FILE_BLOCK;
    sums.packedBytes += tarBytes(kind === 'file' && !seen.has(file) ? size : 0);
    if (kind === 'directory') continue;
    sums.files++;
    sums.bytes += size;
    if (!seen.has(file)) sums.tempBytes += Math.ceil(size / FILE_BLOCK) * FILE_BLOCK;
    if (kind === 'file') seen.add(file);
  }
  return sums;
}
