// Reads full listings for the entries that are wanted. Versions name most segments of the one before again: each is read once, and what is
// wanted of it is kept.
import { defined } from '../../platform/defined.js';
import { integrityError } from '../../platform/failures/errors.js';
import { type RawPath, TOP } from '../../platform/paths/raw-path.js';
import { unopenedSegments } from '../../format/manifest/load-segments.js';
import { linesOfSegment, readLoaded } from '../../format/manifest/loaded-manifest.js';
import type { ParsedHead } from '../../format/manifest/manifest-head-parse.js';
import type { Line } from '../../format/manifest/manifest-parser.js';
import type { Entry } from '../../format/manifest/manifest-types.js';
import type { PathRange } from '../../format/manifest/path-range.js';
import { streamLines } from '../../format/manifest/stream-lines.js';
import type { ObjectReader } from '../../store/object-store.js';
import { manifestKeyOf, type UploadId } from '../../store/ids/upload-id.js';
import { partOf } from '../chain/load-chain.js';
import { assertExpected, type ExpectedDigests } from '../records/assert-expected.js';

export interface WantedOptions {
  readonly isWanted: (path: RawPath) => boolean;
  /** See `ManifestParserOptions`; used for the full listing only, because a delta may hide paths that it does not name. */
  readonly needles?: readonly RawPath[] | undefined;
  /** Where all wanted paths are, with the folders above; undefined when they may be anywhere. */
  readonly ranges?: readonly PathRange[] | undefined;
  /** Gets the number of lines of a full listing that were read, or need not be. */
  readonly onLines?: ((count: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

export class WantedLines {
  /** By the digest of a segment. */
  private readonly known = new Map<string, readonly Line[]>();

  constructor(
    private readonly reader: ObjectReader,
    private readonly options: WantedOptions,
  ) {}

  /** The lines of a full listing, at least those that are wanted. @throws integrity, what reading throws */
  async *of(
    uploadId: UploadId,
    expected: ExpectedDigests,
    datasetId: string | undefined,
  ): AsyncGenerator<readonly Line[]> {
    const { reader } = this;
    const { needles, ranges, signal } = this.options;
    const key = manifestKeyOf(uploadId);
    let parsed: ParsedHead | undefined;
    const onHead = (found: ParsedHead): void => {
      parsed = found;
      if (found.head.listing !== 'full' || found.head.datasetId !== datasetId)
        throw integrityError(`the manifest ${key} is not the full listing that its version record names`);
    };
    const part = await partOf(reader, { uploadId, expected, ranges, segments: 'none', signal });
    if (part !== undefined) onHead(part);
    if (part === undefined || part.head.segments === undefined) {
      const lines =
        part !== undefined
          ? readLoaded(part, { withoutNames: true, needles })
          : streamLines(reader, {
              uploadId,
              withoutNames: true,
              needles,
              signal,
              onHead,
              onEnd: async ({ head }, sha256) => await assertExpected(reader, { head, key, sha256 }, expected, signal),
            });
      for await (const batch of lines) yield this.told(batch);
    }
    if (parsed?.head.segments !== undefined) yield* this.ofSegments(uploadId, parsed);
  }

  private async *ofSegments(uploadId: UploadId, { head, document }: ParsedHead): AsyncGenerator<readonly Line[]> {
    const { reader, known } = this;
    const { isWanted, needles, ranges, onLines, signal } = this.options;
    const segments = unopenedSegments(head, { reader, ranges, signal });
    const unread = segments.filter(({ place }) => !known.has(place.sha256));
    let next = unread.shift()?.read();
    for (const segment of segments) {
      const { sha256, counts } = segment.place;
      const lines = known.get(sha256);
      if (lines !== undefined) {
        onLines?.(counts.entries);
        if (lines.length > 0) yield lines;
        continue;
      }
      const bytes = (await next) ?? Buffer.alloc(0);
      next = unread.shift()?.read();
      next?.catch(() => undefined); // awaited in a later round
      const kept: Line[] = [];
      const options = { withoutNames: true, needles };
      for await (const batch of linesOfSegment({ head, document, uploadId }, segment, bytes, options)) {
        const wanted = this.told(batch)
          .filter(({ path }) => isWanted(path))
          .map(compact);
        for (const line of wanted) kept.push(line);
        if (wanted.length > 0) yield wanted;
      }
      known.set(sha256, kept);
    }
  }

  private told(batch: readonly Line[]): readonly Line[] {
    this.options.onLines?.(batch.length);
    return batch;
  }
}

/** A line without what a hit does not have, and apart from the text that it was read from. */
function compact(line: Line): Line {
  if (!('type' in line) || line.type === 'deleted') return { ...line, path: detached(line.path) };
  const { path, type, size, mtime, mode, uid, gid, md5, target }: Entry = line;
  const entry = { path: detached(path), type, size, mtime, ctime: mtime, mode, uid, gid, inode: TOP };
  return { ...entry, ...defined({ md5: md5 && detached(md5), target: target && detached(target) }) };
}

/** Copies a string, so that it does not keep a longer string in memory that it is part of. */
export const detached = <T extends string>(text: T): T => Buffer.from(text, 'latin1').toString('latin1') as T;
