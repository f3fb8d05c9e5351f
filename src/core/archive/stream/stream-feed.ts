// Cuts a stream into tasks of a chunk each: two buffers, one of which is filled while the other is packed. No more of the stream is read
// than fits them. A full buffer waits until it is known whether anything follows: only the last piece knows how many there are.
import type { Readable } from 'node:stream';
import type { EntryTable } from '../../format/columns/entry-table.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import type { ChunkTask, Lane } from '../run/chunk-task.js';
import type { LaneSource } from '../run/lane-source.js';
import type { UploadLedger } from '../run/upload-ledger.js';
import { tarBytes } from '../../format/tar/tar-block.js';

/** What gives the content of the one file of an upload. */
export interface StreamInput {
  /** Starts whoever writes it, and returns what is to be read. Called once. */
  readonly open: () => Readable;
  /** Resolves once that has ended and who wrote it says that it was all. @throws why it was not */
  readonly whole: () => Promise<void>;
  /** Stops who writes it, if it was started. */
  readonly close: () => void;
  /** Allows a stream without a byte. */
  readonly mayBeEmpty: boolean;
  /** Most bytes that it may give; undefined for no limit. */
  readonly maxBytes: number | undefined;
}

interface FeedOptions {
  readonly input: StreamInput;
  readonly table: EntryTable;
  readonly ledger: Pick<UploadLedger, 'count' | 'expect'>;
  readonly chunkBytes: number;
  readonly shards: number;
  readonly storageClass: string;
  readonly now: () => Date;
}

/** Pieces of a stream that are in memory before they are packed. */
export const READ_BUFFERS = 2;

export class StreamFeed implements LaneSource {
  isOver = false;
  private next: Lane | undefined;
  private readonly free: SharedArrayBuffer[] = [];
  private made = 0;
  private pieces = 0;
  private total = 0;
  private onRoom: (() => void) | undefined;
  private onMore: () => void = () => undefined;
  private isClosed = false;

  constructor(private readonly options: FeedOptions) {}

  begin(onMore: () => void, onFailure: (error: unknown) => void): void {
    this.onMore = onMore;
    this.read().catch(onFailure);
  }

  take(): Lane | undefined {
    const lane = this.next;
    this.next = undefined;
    if (lane !== undefined) {
      this.isOver = lane.some(({ stream }) => stream?.endedMs !== undefined);
      this.onRoom?.();
    }
    return lane;
  }

  release({ stream }: ChunkTask): void {
    if (stream !== undefined) this.free.push(stream.data);
    this.onRoom?.();
  }

  close(): void {
    this.isClosed = true;
    this.options.input.close();
    this.onRoom?.();
  }

  private async read(): Promise<void> {
    const { input, chunkBytes } = this.options;
    let data = await this.buffer();
    let target = Buffer.from(data);
    let size = 0;
    for await (const read of input.open()) {
      const piece = bytesOf(read);
      this.count(piece.byteLength);
      for (let at = 0; at < piece.byteLength;) {
        if (size === chunkBytes) {
          await this.offer(data, size, false);
          data = await this.buffer();
          target = Buffer.from(data);
          size = 0;
        }
        if (this.isClosed) return;
        const take = Math.min(chunkBytes - size, piece.byteLength - at);
        // `set` copies into shared memory word by word.
        target.fill(piece.subarray(at, at + take), size, size + take);
        size += take;
        at += take;
      }
    }
    await input.whole();
    if (this.total === 0 && !input.mayBeEmpty)
      throw new ArchiverError('not-found', 'stdin gave no bytes; nothing was committed', {
        hint: 'see whether what writes to it works; --allow-empty archives an empty file',
      });
    await this.offer(data, size, true);
  }

  private count(bytes: number): void {
    const { maxBytes } = this.options.input;
    this.total += bytes;
    if (maxBytes === undefined || this.total <= maxBytes) return;
    throw new ArchiverError('budget-exceeded', `stdin gave more than the ${maxBytes} bytes of --expected-size`, {
      hint: 'nothing was committed; say a larger --expected-size',
    });
  }

  private async buffer(): Promise<SharedArrayBuffer> {
    for (;;) {
      const free = this.free.pop();
      if (free !== undefined) return free;
      if (this.made < READ_BUFFERS || this.isClosed) {
        this.made++;
        return new SharedArrayBuffer(this.options.chunkBytes);
      }
      await this.room();
    }
  }

  private async offer(data: SharedArrayBuffer, size: number, isLast: boolean): Promise<void> {
    while (this.next !== undefined && !this.isClosed) await this.room();
    this.next = [this.task(data, size, isLast)];
    this.onMore();
  }

  private room(): Promise<void> {
    return new Promise((resolve) => (this.onRoom = resolve));
  }

  private task(data: SharedArrayBuffer, size: number, isLast: boolean): ChunkTask {
    const { ledger, shards, storageClass, chunkBytes, now } = this.options;
    const chunk = ledger.count;
    const number = ++this.pieces;
    ledger.expect(1);
    const isOnly = isLast && number === 1;
    const of = isLast ? number : OF_NOT_KNOWN;
    return {
      chunk,
      shard: (number - 1) % shards,
      storageClass,
      entries: Uint32Array.of(0),
      rawBytes: tarBytes(size),
      bytes: size,
      ...(isOnly ? {} : { part: { number, of, offset: (number - 1) * chunkBytes, size } }),
      stream: { data, size, ...(isLast ? { endedMs: now().getTime() } : {}) },
    };
  }
}

/** The number of pieces, in pieces that were stored before it was known. */
export const OF_NOT_KNOWN = 0;

const bytesOf = (read: unknown): Uint8Array => (read instanceof Uint8Array ? read : Buffer.from(String(read), 'utf8'));
