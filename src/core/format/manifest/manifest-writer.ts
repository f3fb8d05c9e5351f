// Writes a manifest as a stream: head, then one line per entry from the columns, gzipped on the way. A million files never exist as objects
// or as one string.
import { type EntryTable, KIND, STATUS } from '../columns/entry-table.js';
import { ENTRY_TYPES, type EntryExtra, entryLine, type LineSources } from './entry-line.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import { displayPath } from '../../platform/paths/raw-path.js';
import { MAX_HEAD_BYTES, MAX_LINE_BYTES } from './manifest-lines.js';
import { manifestHeadText } from './manifest-head-text.js';
import { encodedManifest, type EncodedManifest } from './encoded-manifest.js';
import { ManifestText } from './manifest-text.js';
import type { ManifestHead } from './manifest-types.js';
import { type CountedEntry, SegmentTexts } from './segment-texts.js';
import { entriesPerSegment, isSegmented, segmentedManifest } from './segmented.js';

/** Bytes that a UTF-16 code unit takes in UTF-8 at most. */
const MAX_UTF8 = 3;

/** True for an entry that is part of the archive. */
export function isListed(table: EntryTable, index: number): boolean {
  return table.columns.kind[index] !== KIND.dropped && table.columns.status[index] !== STATUS.skipped;
}

/**
 * A manifest that is being written. Entries are written in path order while others are still being packed, so that little is left to do
 * after the last one; the head, which comes before them, is only known then.
 */
export class ManifestWriter {
  private readonly files: ManifestText | SegmentTexts;
  private next = 0;
  private separator = '';

  constructor(
    private readonly table: EntryTable,
    private readonly sources: LineSources,
    private readonly extras: ReadonlyMap<number, EntryExtra>,
    isSealed = false,
  ) {
    const { count } = table;
    this.files = isSegmented(count, isSealed) ? new SegmentTexts(entriesPerSegment(count)) : new ManifestText();
  }

  /** Writes entries up to the first one that is not final. */
  advance(isFinal: (index: number) => boolean): void {
    while (this.next < this.table.count && isFinal(this.next)) this.entry();
  }

  private entry(): boolean {
    const index = this.next++;
    if (!isListed(this.table, index)) return true;
    const { files } = this;
    if (files instanceof SegmentTexts) return files.add(this.counted(index), (place) => this.line(index, place));
    const isReady = files.add(this.separator + this.line(index));
    this.separator = ',\n';
    return isReady;
  }

  private counted(index: number): CountedEntry {
    const { kind, size, group } = this.table.columns;
    const type = ENTRY_TYPES[kind[index] ?? 0] ?? 'file';
    const hasContent = type === 'file' || type === 'hardlink';
    return { path: this.table.path(index), type, size: hasContent ? (size[index] ?? 0) : 0, linkGroup: group[index] };
  }

  private line(index: number, place?: (chunk: number) => number): string {
    const line = entryLine(this.table, index, this.sources, this.extras.get(index), place);
    if (line.length >= MAX_LINE_BYTES / MAX_UTF8) this.refuseLongLine(index, line);
    return line;
  }

  /** Refuses an entry that would be too long to be read. */
  private refuseLongLine(index: number, line: string): void {
    const bytes = Buffer.byteLength(line);
    if (bytes < MAX_LINE_BYTES) return;
    throw new ArchiverError(
      'unsupported',
      `${displayPath(this.table.path(index))}: its entry in the manifest has ${bytes} bytes, and at most ${MAX_LINE_BYTES} can be read`,
      { hint: 'it has too many holes or extended attributes: leave it out with --exclude, or copy it without them' },
    );
  }

  /** Writes the rest and puts the head before it. @throws unsupported for an entry or a head that is too long to be read */
  async finish(head: ManifestHead): Promise<EncodedManifest> {
    while (this.next < this.table.count) if (!this.entry()) await this.files.drained();
    if (this.files instanceof SegmentTexts) {
      const { linkGroups } = this.files;
      return await segmentedManifest(
        head,
        await this.files.finish(head.uploadId, head.chunks),
        linkGroups,
        this.sources,
      );
    }
    this.files.add(`${this.separator === '' ? '' : '\n'}]}\n`);
    const text = manifestHeadText(head, this.sources);
    if (Buffer.byteLength(text) > MAX_HEAD_BYTES) {
      throw new ArchiverError(
        'unsupported',
        `the manifest would name ${head.chunks.length} chunks, more than can be read`,
        {
          hint: 'upload the folder in parts, or with larger chunks and frames',
        },
      );
    }
    return encodedManifest(await this.files.finish(text));
  }
}
