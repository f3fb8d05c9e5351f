// Reads the manifest of an upload in one GET. A full listing is a stream: its head, then its entries one by one, in flat memory. A delta is
// of little use by itself, and the head of segments has no entries: they are read whole and returned, for the chain that they belong to
// (core/dataset). Encrypted manifests are opened
// on the way, frame by frame. Nothing here proves that the chunks exist: that is verify's work. The gzip checksum and the totals are only
// known at the end, so whoever acts on entries waits for `readManifest` to resolve.
import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { integrityError } from '../../platform/failures/errors.js';
import { manifestUnsealing } from '../encryption/open-data-key.js';
import { unsealStream } from '../encryption/unseal-stream.js';
import type { ObjectContent, ObjectReader } from '../../store/object-store.js';
import type { ForeignEntry } from './entry-json-parse.js';
import { inflateManifest } from './inflate-manifest.js';
import { type LoadedManifest, MAX_LOADED_BYTES, withSegments } from './loaded-manifest.js';
import type { ParsedHead } from './manifest-head-parse.js';
import { ManifestParser, type Line, type ManifestParserOptions } from './manifest-parser.js';
import type { Entry, ManifestHead } from './manifest-types.js';
import { openManifest } from './open-manifest.js';
import { manifestKeyOf } from '../../store/ids/upload-id.js';
import { namingRepair } from './repair-hint.js';
import type { SegmentCache } from './load-segments.js';
import type { RawPath } from '../../platform/paths/raw-path.js';

export interface ReadManifestOptions extends Pick<
  ManifestParserOptions,
  'uploadId' | 'onHead' | 'needles' | 'withoutNames'
> {
  /** Gets entries in the order of the file. */
  readonly onEntry?: (entry: Entry) => void;
  /** Gets entries of a type that this version does not know. */
  readonly onForeign?: (entry: ForeignEntry) => void;
  /** Gets the head of a manifest that is returned whole, while the rest of it is still fetched. */
  readonly onWhole?: (head: ManifestHead) => void;
  /** Awaited after each piece of the stream, for backpressure. Gets the number of stored bytes read so far, and their total. */
  readonly onPiece?: (storedBytes: number, of: number) => Promise<void> | void;
  /** Gets the stored bytes as they come. */
  readonly onStored?: (piece: Uint8Array) => void;
  /** Stops after the head: the rest is not fetched. */
  readonly headOnly?: boolean | undefined;
  /** Where segments are looked for first. */
  readonly cache?: SegmentCache | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface ReadManifest extends ParsedHead {
  readonly key: string;
  /** Digest of the stored bytes; undefined after `headOnly`. */
  readonly sha256: string | undefined;
  /** The KMS key that it is encrypted with. */
  readonly sealedBy?: string;
  readonly storedBytes: number;
  /** Number of entries that were parsed. */
  readonly entries: number;
  /** A path that was not in byte order, or a duplicate. */
  readonly firstUnordered: RawPath | undefined;
}

/**
 * Streams a full listing to the callbacks; returns a delta, or a listing in segments, whole, and calls none of them. After `headOnly` the
 * chunks of segments are not read.
 * @throws not-found, access-denied, integrity, unsupported, cancelled
 */
export async function readManifest(
  reader: ObjectReader,
  options: ReadManifestOptions,
): Promise<ReadManifest | LoadedManifest> {
  const key = manifestKeyOf(options.uploadId);
  const content = await openManifest(reader, key, { signal: options.signal });
  const stream = new ManifestStream(key, content, reader, options);
  return await namingRepair(reader, options.uploadId, () => stream.read());
}

const isWhole = ({ head }: ParsedHead): boolean => head.listing === 'delta' || head.segments !== undefined;

class ManifestStream {
  private readonly parser: ManifestParser;
  private readonly what: string;
  private readonly hash = createHash('sha256');
  private storedBytes = 0;
  private sealedBy: string | undefined;
  /** The (decrypted) bytes read so far, as long as it may be a delta. */
  private kept: Uint8Array[] | undefined = [];

  constructor(
    private readonly key: string,
    private readonly content: ObjectContent,
    private readonly reader: ObjectReader,
    private readonly options: ReadManifestOptions,
  ) {
    const { uploadId, needles, withoutNames } = options;
    this.what = `the manifest ${key}`;
    this.parser = new ManifestParser({
      key,
      uploadId,
      needles,
      withoutNames,
      onHead: (head) => this.onHead(head),
      onLine: (line) => this.onLine(line),
    });
  }

  private onHead(parsed: ParsedHead): void {
    const { headOnly, onHead, onWhole } = this.options;
    if (headOnly === true || isWhole(parsed)) this.parser.skipEntries();
    if (isWhole(parsed)) return onWhole?.(parsed.head);
    this.kept = undefined;
    onHead?.(parsed);
  }

  private onLine(line: Line): void {
    if ('foreignType' in line) this.options.onForeign?.(line);
    else if (line.type !== 'deleted') this.options.onEntry?.(line); // the parser accepts no deletion in a full listing
  }

  async read(): Promise<ReadManifest | LoadedManifest> {
    const { parser, what, options } = this;
    const { signal } = options;
    const pieces = inflateManifest(this.body(), { what, onStored: (piece) => this.kept?.push(piece), signal });
    for await (const piece of pieces) {
      if (this.kept !== undefined && this.storedBytes > MAX_LOADED_BYTES)
        throw integrityError(`${what} has more than ${MAX_LOADED_BYTES} bytes: refused`);
      if (parser.head !== undefined && isWhole(parser.head)) continue; // read to the end, for its digest
      parser.push(piece);
      if (options.headOnly === true && parser.head?.head.listing === 'full') return this.result(parser.head, undefined);
      await options.onPiece?.(this.storedBytes, this.content.sizeBytes);
    }
    if (parser.head !== undefined && isWhole(parser.head)) return await this.loaded(parser.head);
    return this.result(parser.finish(), this.hash.digest('hex'));
  }

  /** The stored content, decrypted if it is sealed. */
  private body(): Readable {
    const { uploadId, signal } = this.options;
    return unsealStream(this.content.body, {
      ...manifestUnsealing(this.reader, uploadId, this.what, signal),
      onStored: (piece) => {
        this.hash.update(piece);
        this.storedBytes += piece.byteLength;
        this.options.onStored?.(piece);
      },
      onSealed: (kmsKeyId) => {
        this.sealedBy = kmsKeyId;
      },
    });
  }

  private get sealing(): { readonly sealedBy?: string } {
    return this.sealedBy === undefined ? {} : { sealedBy: this.sealedBy };
  }

  private async loaded(head: ParsedHead): Promise<LoadedManifest> {
    const bytes = Buffer.concat(this.kept ?? []);
    const { uploadId, cache, signal } = this.options;
    const loaded = { ...head, ...this.sealing, uploadId, key: this.key, sha256: this.hash.digest('hex'), bytes };
    return await withSegments(loaded, { reader: this.reader, cache, signal });
  }

  private result(parsed: ParsedHead, sha256: string | undefined): ReadManifest {
    const { entries, firstUnordered } = this.parser;
    const { key, storedBytes, sealing } = this;
    return { ...parsed, ...sealing, key, sha256, storedBytes, entries, firstUnordered };
  }
}
