// Sends packed chunks, remembers what is there, and takes it back when the upload does not come true.
import { errorText, isArchiverError } from '../errors.js';
import type { EventSink, TransferEvent } from '../events.js';
import type { ChunkRecord } from '../manifest/manifest-types.js';
import type { ObjectStore } from '../object-store/object-store.js';
import { putOnce } from './commit.js';
import type { PackedChunk } from './pack-chunk.js';
import type { SendOutcome } from './pipeline.js';

const TAKE_BACK_MS = 30_000;

export class ChunkSender {
  private readonly sent: string[] = [];
  private store: ObjectStore | undefined;
  private retries = 0;
  private kept = false;

  constructor(private readonly emit: EventSink) {}

  /** For the store: counts its retries, which the transfer window has to know of. */
  readonly onEvent: EventSink = (event: TransferEvent) => {
    if (event.type === 'retry') this.retries++;
    this.emit(event);
  };

  /** Puts one chunk below `folder`; the object never overwrites another. */
  async send(
    store: ObjectStore,
    folder: string,
    record: ChunkRecord,
    packed: PackedChunk,
    signal: AbortSignal,
  ): Promise<SendOutcome> {
    this.store = store;
    const started = performance.now();
    const retriesBefore = this.retries;
    const key = `${folder}/${record.key}`;
    this.sent.push(key); // before it is there: a PUT whose answer is lost is taken back too
    await putOnce(store, key, packed.output.subarray(0, record.size), {
      sha256: record.sha256,
      contentType: 'application/zstd',
      exclusive: true,
      signal,
      ...(record.storageClass === 'STANDARD' ? {} : { storageClass: record.storageClass }),
    });
    return { durationMs: performance.now() - started, troubled: this.retries > retriesBefore };
  }

  /** From here on nothing is taken back: a manifest whose answer was lost may be there and in use. */
  keep(): void {
    this.kept = true;
  }

  /** Deletes what was sent, as far as this writer may, says what is left, and returns the failure. */
  async withdraw(failure: unknown): Promise<unknown> {
    if (this.store === undefined || this.sent.length === 0) return failure;
    if (this.kept) {
      this.emit({ type: 'note', text: 'the chunks are all there; whether the manifest is, `archiver verify` tells' });
      return failure;
    }
    const left = await this.takeBack(this.store);
    const text =
      left === undefined
        ? `nothing was committed; the ${this.sent.length} objects already sent were removed`
        : `nothing was committed; up to ${this.sent.length} objects are left without a manifest (${left})`;
    this.emit({ type: 'note', text });
    return failure;
  }

  private async takeBack(store: ObjectStore): Promise<string | undefined> {
    try {
      const failures = await store.delete(this.sent, AbortSignal.timeout(TAKE_BACK_MS));
      return failures[0]?.reason;
    } catch (error) {
      return isArchiverError(error, 'access-denied') ? 'this writer may not delete' : errorText(error);
    }
  }
}
