// Reads a manifest as a stream: its head, then its entries one by one, in one GET and flat memory. Everything is bounded
// and typed before it is given away, and every failure is one sentence that names the manifest's key. Nothing here is
// proof that the chunks are there: that is verify's work. The gzip checksum and the totals are only known at the end, so
// whoever acts on entries waits for `readManifest` to resolve.
import { createHash } from 'node:crypto';
import { createGunzip } from 'node:zlib';
import { ArchiverError, errorText, integrityError, isArchiverError, systemCode } from '../errors.js';
import type { ObjectContent, ObjectReader } from '../object-store/object-store.js';
import { displayPath } from '../raw-path.js';
import { EntryParser, type ForeignEntry } from './entry-json-parse.js';
import { parseHead, type ParsedHead } from './manifest-head-parse.js';
import { ManifestLines } from './manifest-lines.js';
import type { Entry } from './manifest-types.js';

/** gzip cannot shrink more than 1032-fold; a manifest shrinks 5- to 40-fold. */
const MAX_RATIO = 300;
const RATIO_MATTERS_FROM = 32 * 1024 * 1024;
const GUNZIP_PIECE = 256 * 1024;

export interface ReadManifestOptions {
  readonly uploadId: string;
  /** Gets the head before the first entry comes. */
  readonly onHead?: (head: ParsedHead) => void;
  /** Gets entries in the order of the file.. */
  readonly onEntry?: (entry: Entry) => void;
  /** Gets entries of a type that this version does not know. */
  readonly onForeign?: (entry: ForeignEntry) => void;
  /** Awaited after each piece of the stream: the place for backpressure. */
  readonly onPiece?: () => Promise<void> | void;
  /**
   * Only lines that hold one of these byte strings (or an escape, which could hide one) are parsed. Their count is
   * then not compared with the totals.
   */
  readonly needles?: readonly string[];
  /** Leave out ctime, inode and the names of owners: faster. */
  readonly withoutNames?: boolean;
  /** Stop after the head: the rest is not fetched. */
  readonly headOnly?: boolean;
  readonly signal?: AbortSignal;
}

export interface ReadManifest extends ParsedHead {
  readonly key: string;
  /** Of the stored bytes; undefined after `headOnly`. */
  readonly sha256: string | undefined;
  readonly storedBytes: number;
  /** Entries that were parsed. */
  readonly entries: number;
  /** A path that did not come in byte order, or came twice. */
  readonly firstUnordered: string | undefined;
}

/** Key of an upload's manifest below the base. */
export const manifestKeyOf = (uploadId: string): string => `uploads/${uploadId}/manifest.json.gz`;

/** Reads the manifest of an upload. @throws not-found, access-denied, integrity, unsupported, cancelled */
export async function readManifest(reader: ObjectReader, options: ReadManifestOptions): Promise<ReadManifest> {
  const key = manifestKeyOf(options.uploadId);
  const content = await openManifest(reader, key, options.signal);
  return await new ManifestStream(key, content, options).read();
}

async function openManifest(
  reader: ObjectReader,
  key: string,
  signal: AbortSignal | undefined,
): Promise<ObjectContent> {
  try {
    return await reader.get(key, signal ? { signal } : {});
  } catch (error) {
    if (!isArchiverError(error, 'not-found') && !isArchiverError(error, 'access-denied')) throw error;
    const isDenied = error.code === 'access-denied';
    const message = isDenied
      ? `cannot read ${key} in ${reader.url}: ${error.message}`
      : `there is no upload here: ${reader.url} has no ${key}`;
    const hint = 'an upload URL ends in /uploads/<upload id>, as `archiver upload` printed it';
    throw new ArchiverError(error.code, message, { cause: error, hint: isDenied ? (error.hint ?? hint) : hint });
  }
}

class Enough extends Error {}

class ManifestStream {
  private readonly parser: EntryParser;
  private readonly lines: ManifestLines;
  private readonly what: string;
  private parsed: ParsedHead | undefined;
  private entries = 0;
  private previous: string | undefined;
  private firstUnordered: string | undefined;

  constructor(
    private readonly key: string,
    private readonly content: ObjectContent,
    private readonly options: ReadManifestOptions,
  ) {
    this.parser = new EntryParser(options.withoutNames !== true);
    this.what = `the manifest ${key}`;
    this.lines = new ManifestLines(this.what, {
      head: (text) => this.onHead(text),
      lines: options.needles === undefined ? (text) => this.parseAll(text) : (text) => this.parseCandidates(text),
    });
  }

  async read(): Promise<ReadManifest> {
    const hash = createHash('sha256');
    const { body } = this.content;
    const gunzip = createGunzip({ chunkSize: GUNZIP_PIECE });
    let storedBytes = 0;
    let isBodyBroken = false;
    body.on('data', (piece: Uint8Array) => {
      hash.update(piece);
      storedBytes += piece.byteLength;
    });
    body.on('error', (error) => {
      isBodyBroken = true;
      gunzip.destroy(error);
    });
    body.pipe(gunzip);
    try {
      let rawBytes = 0;
      for await (const piece of gunzip as AsyncIterable<Buffer>) {
        rawBytes += piece.byteLength;
        if (rawBytes > RATIO_MATTERS_FROM && rawBytes > storedBytes * MAX_RATIO) {
          throw integrityError(`${this.what} swells to more than ${MAX_RATIO} times its size: refused`);
        }
        this.lines.push(piece);
        await this.options.onPiece?.();
      }
      this.finish();
    } catch (error) {
      if (error instanceof Enough) return this.result(undefined, storedBytes);
      throw isBodyBroken || isArchiverError(error) ? error : this.explain(error);
    } finally {
      body.destroy();
      gunzip.destroy();
    }
    return this.result(hash.digest('hex'), storedBytes);
  }

  private result(sha256: string | undefined, storedBytes: number): ReadManifest {
    const { parsed, key, entries, firstUnordered } = this;
    if (parsed === undefined) throw integrityError(`${this.what} has no head`);
    return { ...parsed, key, sha256, storedBytes, entries, firstUnordered };
  }

  private explain(error: unknown): Error {
    if (this.options.signal?.aborted === true) return this.options.signal.reason as Error;
    const code = systemCode(error);
    if (code === 'Z_BUF_ERROR') return integrityError(`${this.what} is cut off`, { cause: error });
    if (code?.startsWith('Z_') === true) {
      return integrityError(`${this.what} is damaged: ${errorText(error)}`, { cause: error });
    }
    return error instanceof Error ? error : integrityError(errorText(error));
  }

  private onHead(text: string): void {
    this.parsed = parseHead(text, this.key);
    const { uploadId } = this.parsed.head;
    if (uploadId !== this.options.uploadId) {
      throw integrityError(`${this.what} is that of another upload (${displayPath(uploadId)})`);
    }
    this.options.onHead?.(this.parsed);
    if (this.options.headOnly === true) throw new Enough();
  }

  private parseAll(text: string): void {
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      this.parseLine(text.slice(start, end));
      start = end + 1;
    }
  }

  private parseCandidates(text: string): void {
    const starts = new Set<number>();
    for (const needle of [...(this.options.needles ?? []), '\\']) {
      for (let at = text.indexOf(needle); at >= 0;) {
        const end = text.indexOf('\n', at);
        starts.add(text.lastIndexOf('\n', at) + 1);
        at = end < 0 ? -1 : text.indexOf(needle, end);
      }
    }
    for (const start of [...starts].sort((a, b) => a - b)) this.parseLine(text.slice(start, text.indexOf('\n', start)));
  }

  private parseLine(line: string): void {
    const body = line.endsWith(',') ? line.slice(0, -1) : line;
    if (body === '') return;
    let entry: Entry | ForeignEntry;
    try {
      entry = this.parser.parse(body);
    } catch (error) {
      if (!isArchiverError(error)) throw error;
      throw integrityError(`${this.what}, entry ${this.entries + 1}: ${error.message}`, { cause: error });
    }
    this.entries++;
    if (this.previous !== undefined && entry.path <= this.previous) this.firstUnordered ??= entry.path;
    this.previous = entry.path;
    if ('foreignType' in entry) this.options.onForeign?.(entry);
    else this.options.onEntry?.(entry);
  }

  private finish(): void {
    const leftOver = this.lines.end();
    if (leftOver !== undefined) this.refuseForeign(leftOver);
    const expected = this.parsed?.head.totals.entries;
    if (this.options.needles === undefined && expected !== this.entries) {
      throw integrityError(`${this.what} announces ${expected} entries and has ${this.entries}`);
    }
  }

  /** The stream ended without a list of files: says what it was instead. */
  private refuseForeign(text: string): never {
    if (text.trim() === '') throw integrityError(`${this.what} is empty`);
    if (text.includes('"archiver-manifest"')) {
      const { head } = parseHead(text, this.key); // a newer format is named as such
      throw integrityError(`${this.what} does not have its files one on a line (upload ${head.uploadId})`);
    }
    throw integrityError(`${this.key} is not a manifest of archiver`);
  }
}

/** The head alone: the rest of the manifest is not fetched. */
export const readManifestHead = (reader: ObjectReader, uploadId: string, signal?: AbortSignal): Promise<ReadManifest> =>
  readManifest(reader, { uploadId, headOnly: true, ...(signal ? { signal } : {}) });
