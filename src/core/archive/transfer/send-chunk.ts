// Sends packed chunks, remembers what was sent, and deletes it when the upload fails.
import { ArchiverError, errorText, isArchiverError } from '../../platform/failures/errors.js';
import type { EventSink } from '../../events/events.js';
import type { ChunkRecord } from '../../format/manifest/manifest-types.js';
import { ifAllowed } from '../../store/abilities.js';
import type { ObjectDeleter, ObjectStore, Retention } from '../../store/object-store.js';
import { defined } from '../../platform/defined.js';
import { isCheckExpired } from '../../dataset/check-references.js';
import { Slots } from '../../platform/limits/byte-budget.js';
import { type KeptUpload, keptText, type UploadJournal } from '../resume/upload-journal.js';
import { forEachLimit } from '../../platform/limits/for-each-limit.js';
import type { EncodedSegment } from '../../format/manifest/segment-texts.js';
import { folderOfKey } from '../../store/ids/upload-id.js';
import { isLockRefused, isMisnamed } from '../../store/store-error.js';
import type { AlsoStores } from '../run/also-stores.js';
import { putOnce } from './put-once.js';
import { putSegments } from './put-segments.js';
import type { PackedChunk } from '../run/packed-chunk.js';
import type { ChunkTarget, Sender, SendHooks, SendOutcome } from '../run/sender.js';
import { counted } from '../../platform/text/counted.js';

const TAKE_BACK_MS = 30_000;
/** Time for deleting after an interruption: the user waits for the prompt, and the store may be what did not answer. */
const HASTY_TAKE_BACK_MS = 1000;

interface PutHooks {
  readonly signal: AbortSignal;
  readonly onSent: (bytes: number) => void;
}

export class ChunkSender implements Sender {
  /** Keys that were sent, or were about to be. */
  private readonly sent = new Set<string>();
  /** Keys that the store has acknowledged to this very process: no others are ever deleted. */
  private readonly acknowledged = new Set<string>();
  private store: ObjectStore | undefined;
  private retention: Retention | undefined;
  private kept = false;
  /** When something was last sent, in ms by the wall clock. */
  private lastPutMs = 0;
  private readonly slots: Slots;

  /**
   * `objectsAtOnce` limits the files sent at a time as objects of their own, whatever chunks they belong to. What is sent goes to `also`, too.
   */
  constructor(
    private readonly emit: EventSink,
    private readonly deleter: () => Promise<ObjectDeleter>,
    private readonly objectsAtOnce = 1,
    private readonly also?: Pick<AlsoStores, 'put'>,
  ) {
    this.slots = new Slots(objectsAtOnce);
  }

  /** Puts one chunk below `folder`, its direct files before it; no object ever overwrites another. */
  async send(
    target: ChunkTarget,
    record: ChunkRecord,
    { output, objects }: PackedChunk,
    { signal, onSent }: SendHooks,
  ): Promise<SendOutcome> {
    this.store = target.store;
    this.retention = target.retention;
    const started = performance.now();
    const retriesBefore = target.retries();
    for (const { key } of [...objects.map((object) => object.record), record]) this.sent.add(target.folder + key);
    this.lastPutMs = Date.now();
    const hooksOf = ({ key }: ChunkRecord): PutHooks => ({ signal, onSent: (bytes) => onSent(key, bytes) });
    await forEachLimit(objects, this.objectsAtOnce, (object) =>
      this.slots.run(() =>
        this.put(
          target,
          object.record,
          Buffer.from(output.buffer, object.start, object.record.size),
          hooksOf(object.record),
        ),
      ),
    );
    await this.put(target, record, output.subarray(0, record.size), hooksOf(record));
    this.lastPutMs = Date.now();
    return { durationMs: performance.now() - started, troubled: target.retries() > retriesBefore };
  }

  async sendSegments(
    { store, uploadId, retention, signal }: Parameters<Sender['sendSegments']>[0],
    segments: readonly EncodedSegment[],
  ): Promise<void> {
    this.store = store;
    this.retention = retention;
    await putSegments({ store, uploadId, retention, signal }, segments, {
      onSend: (key) => void this.sent.add(key),
      onPut: (key) => void this.acknowledged.add(key),
    });
    if (segments.length > 0) this.lastPutMs = Date.now();
  }

  /** Keys of everything that was sent, or was about to be. */
  keys(): readonly string[] {
    return [...this.sent];
  }

  /** Keys that the store has, as far as this process has seen them acknowledged. */
  stored(): readonly string[] {
    return [...this.acknowledged];
  }

  private async put(
    { store, folder, kmsKeyId, retention }: ChunkTarget,
    { key, sha256, storageClass, content }: ChunkRecord,
    bytes: Uint8Array,
    { signal, onSent }: PutHooks,
  ): Promise<void> {
    const contentType = content === 'file' ? 'application/octet-stream' : 'application/zstd';
    const also = this.also?.put({ key: folder + key, body: bytes, sha256, contentType, retention, signal });
    try {
      const outcome = await putOnce(store, folder + key, bytes, {
        sha256,
        contentType,
        exclusive: true,
        signal,
        onSent,
        ...defined({ storageClass: storageClass === 'STANDARD' ? undefined : storageClass }),
        ...defined({ kmsKeyId, retention }),
      });
      if (outcome === 'put') this.acknowledged.add(folder + key);
    } finally {
      await also; // the buffer is packed into again after this
    }
  }

  /**
   * From here on nothing is deleted again: a manifest was tried, and only a sweep can tell whether it is there, and what refers to it
   * (rules.md#own-leftovers).
   */
  keep(): void {
    this.kept = true;
  }

  /** Deletes what this run has put and no other process knows, when it turns out not to be needed, as far as permitted. */
  async takeBackUntold(): Promise<void> {
    if (this.store === undefined || this.kept) return;
    const left = await this.takeBack(this.store);
    const amount = counted(this.sent.size, 'object');
    if (left !== undefined) this.emit({ type: 'note', text: `up to ${amount} that nobody needs may stay (${left})` });
  }

  /**
   * Reports what is left of a failed upload and returns the failure. What the journal keeps stays; without one what this run has put is
   * deleted, as far as this writer may, and with `cleansUp` in any case. What earlier runs have sent is never touched. An upload that was
   * interrupted on purpose does not count as failed.
   */
  async withdraw(failure: unknown, journal?: UploadJournal, cleansUp = false): Promise<unknown> {
    if (isLockRefused(failure) && this.acknowledged.size === 0 && journal?.kept === undefined) {
      await journal?.discard(); // nothing was stored, by any of its runs, and going on would fail again
      return failure;
    }
    const isVain = cleansUp || isMisnamed(failure);
    const isGivenUp = isVain && !this.kept && !isArchiverError(failure, 'cancelled');
    if (isGivenUp) await journal?.discard();
    const saved = isGivenUp ? undefined : await journal?.keep(errorText(failure));
    if (saved !== undefined) return this.leave(failure, saved);
    await this.tellLeft(failure);
    return failure;
  }

  /** Deletes what was sent, if that is allowed, and reports what is left. */
  private async tellLeft(failure: unknown): Promise<void> {
    if (this.store === undefined || this.sent.size === 0) return;
    if (this.kept) {
      const text = 'what was sent stays; `archiver dataset versions` shows whether the upload became a version';
      this.emit({ type: 'note', text });
      return;
    }
    const forMs = isArchiverError(failure, 'cancelled') ? HASTY_TAKE_BACK_MS : TAKE_BACK_MS;
    const stored = this.acknowledged.size;
    const left = await this.takeBack(this.store, forMs);
    const removed =
      stored === 0 ? 'nothing was stored' : `what was already sent was removed (${counted(stored, 'object')})`;
    const text =
      left === undefined
        ? removed
        : `up to ${counted(this.sent.size, 'object')} may be left without a manifest (${left})`;
    this.emit({ type: 'note', text: `nothing was committed; ${text}` });
  }

  /**
   * Reports that the upload is kept, and adds the command that resumes it to the hint. Chunks in flight may be stored without being
   * recorded: they stay, and are sent again under another id.
   */
  private leave(failure: unknown, kept: KeptUpload): unknown {
    const command = `archiver resume ${kept.uploadId}`;
    this.emit({ type: 'note', text: keptText(kept) });
    if (!isArchiverError(failure)) return failure;
    const { code, message, exitCode, hint } = failure;
    const next = hint === undefined || hint.includes('again') ? command : `${hint}; then: ${command}`;
    return new ArchiverError(code, message, { exitCode, cause: failure, hint: next });
  }

  /**
   * Deletes what the store has acknowledged to this process, but nothing if anything else lies in the folder: a manifest, a mark, a fence,
   * or an object that another process may have put (rules.md#own-leftovers). Returns why something is left, or undefined.
   */
  private async takeBack(store: ObjectStore, forMs = TAKE_BACK_MS): Promise<string | undefined> {
    if (this.sent.size === 0) return undefined;
    // A delete marker would only hide them from the prune that deletes them when the lock has ended.
    if (this.retention !== undefined)
      return `locked until ${this.retention.until.toISOString()}: a prune after that removes them`;
    // Another computer may have taken over by now (--skip-existing does when nothing was sent for two hours).
    if (isCheckExpired(this.lastPutMs)) return 'this computer slept since it sent them; a prune removes them';
    const signal = AbortSignal.timeout(forMs);
    try {
      const why = await this.whyShared(store, signal);
      if (why !== undefined) return why;
      const keys = [...this.acknowledged];
      if (keys.length === 0) return undefined;
      const deleter = await this.deleter();
      const deleted = await ifAllowed(store, 'delete', keys[0] ?? '', () => deleter.delete(keys, signal));
      if (deleted?.length === 0) this.acknowledged.clear();
      return deleted === undefined ? 'this writer may not delete' : deleted[0]?.reason;
    } catch (error) {
      return errorText(error);
    }
  }

  /** Returns why other objects in the folders forbid to delete; undefined if there are none. */
  private async whyShared(store: ObjectStore, signal: AbortSignal): Promise<string | undefined> {
    for (const folder of new Set(Array.from(this.sent, folderOfKey))) {
      const foreign = await ifAllowed(store, 'list', folder, () => this.foreignIn(store, folder, signal));
      if (foreign === undefined) return 'this writer may not list, so it cannot see what else lies there';
      if (foreign === '') continue;
      if (this.sent.has(foreign)) return `whose ${foreign} is was never answered`;
      return `something else may use it: ${foreign} lies there, too`;
    }
    return undefined;
  }

  /** Returns the first key of a folder that this process has not seen acknowledged; '' for none. */
  private async foreignIn(store: ObjectStore, folder: string, signal: AbortSignal): Promise<string> {
    for await (const { objects } of store.list({ prefix: folder, signal })) {
      const foreign = objects.find(({ key }) => !this.acknowledged.has(key));
      if (foreign !== undefined) return foreign.key;
    }
    return '';
  }
}
