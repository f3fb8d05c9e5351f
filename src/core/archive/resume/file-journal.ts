// The journal of an upload in files: state, entries and lock (docs/architecture.md, "Resume"). The upload does not wait for writes, with
// one exception: an ID is noted before anything is stored under it. The first failure ends the journal: its files are deleted, so that they
// cannot claim more than is true.
import { mkdir, rm } from 'node:fs/promises';
import { replaceFile } from '../../platform/state/replace-file.js';
import { errorText, systemCode } from '../../platform/failures/errors.js';
import { encodeLogRecord } from './entry-log.js';
import type { SavedUpload } from './saved-upload.js';
import { savedUploads, statePaths } from './state-folder.js';
import { ProgressFile } from './progress-file.js';
import type { AcknowledgedChunk, FilesAndBytes, JournalPlan, KeptUpload, UploadJournal } from './upload-journal.js';
import { type Lock, takeLock } from '../../platform/state/lock.js';
import { ownHolder } from '../../platform/state/lock-holder.js';
import { LogFile, logHeader } from '../../platform/state/log.js';
import { encodeState, type SavedCommand, type StateStatus, type UploadState } from './upload-state.js';
import type { UploadId } from '../../store/ids/upload-id.js';

const STATE_EVERY_MS = 1000;
const MAX_FAILURE = 500;

export interface FileJournalOptions {
  readonly folder: string;
  readonly host: string;
  readonly saved: SavedCommand;
  readonly now: () => Date;
  /** Called once when the journal cannot continue. */
  readonly onTrouble: (text: string) => void;
  /** The upload to continue: its state, its lock, and the number of sound bytes of its entries. */
  readonly goesOn?: SavedUpload | undefined;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export class FileJournal implements UploadJournal {
  private readonly queue: Buffer[] = [];
  private state: Mutable<UploadState> | undefined;
  private lock: Lock | undefined;
  private log: LogFile | undefined;
  private progress: ProgressFile | undefined;
  private writing: Promise<void> = Promise.resolve();
  private isBroken = false;
  private isDirty = false;
  private stateWrittenMs = Number.NEGATIVE_INFINITY;
  private chunks = 0;
  private storedBytes = 0;

  constructor(private readonly options: FileJournalOptions) {
    const { goesOn } = options;
    this.lock = goesOn?.lock;
    if (goesOn === undefined) return;
    this.state = { ...goesOn.state };
    this.chunks = goesOn.chunks.length;
    this.storedBytes = goesOn.chunks.reduce((sum, { record }) => sum + record.size, 0);
  }

  planned(plan: JournalPlan): Promise<void> {
    return this.guarded(async () => {
      const isFirst = this.log === undefined;
      this.takePlan(plan, isFirst);
      if (isFirst) await this.begin();
      await this.writeState();
    });
  }

  private takePlan(plan: JournalPlan, isFirst: boolean): void {
    const now = this.options.now().toISOString();
    const { uploadId, datasetId, createdAt, files, bytes, filesDone, bytesDone, ...rest } = plan;
    if (isFirst) [this.chunks, this.storedBytes] = [plan.chunksDone, plan.storedBytesDone];
    const { chunkBytes, shards, frameBytes, level = null, chunksPlanned } = rest;
    const done = { files: filesDone, bytes: bytesDone };
    const before = this.state;
    this.state = {
      ...this.options.saved,
      uploadId: before?.uploadId ?? uploadId,
      uploadIds: before?.uploadIds ?? [uploadId],
      datasetId,
      status: 'transferring',
      createdAt: createdAt.toISOString(),
      startedAt: before === undefined || isFirst ? now : before.startedAt,
      updatedAt: now,
      totals: { files, bytes },
      found: before === undefined || isFirst ? done : before.found,
      done: { ...done, chunks: this.chunks, storedBytes: this.storedBytes },
      plan: { chunkBytes, shards, frameBytes, level, chunks: this.chunks + chunksPlanned },
    };
  }

  private async begin(): Promise<void> {
    const { folder, goesOn, host } = this.options;
    const uploadId = this.state?.uploadId ?? '';
    const paths = statePaths(folder, uploadId);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    if (this.lock === undefined) {
      const lock = await takeLock(paths.lock, ownHolder(host));
      // The ID is new and random: no other process can have it.
      if (!('release' in lock)) throw new Error(`process ${lock.pid} on ${lock.host} holds ${paths.lock}`);
      this.lock = lock;
    }
    this.log = await LogFile.open(paths.entries, uploadId, goesOn?.logLength);
    this.progress = new ProgressFile(paths.progress);
  }

  acknowledged(chunk: AcknowledgedChunk, files: number, bytes: number): void {
    if (this.isBroken || this.state === undefined) return;
    this.queue.push(encodeLogRecord(chunk));
    this.chunks++;
    this.storedBytes += chunk.record.size;
    const { done } = this.state;
    this.state.done = {
      files: done.files + files,
      bytes: done.bytes + bytes,
      chunks: this.chunks,
      storedBytes: this.storedBytes,
    };
    if (this.isDirty) return;
    this.isDirty = true;
    void this.guarded(() => this.flush());
  }

  sent(done: FilesAndBytes, of: FilesAndBytes): void {
    this.progress?.note({ at: this.options.now().toISOString(), ...done, of: { files: of.files, bytes: of.bytes } });
  }

  /** Writes everything queued, in one write and one fsync; the state from time to time. */
  private async flush(): Promise<void> {
    this.isDirty = false;
    await this.log?.append(this.queue.splice(0));
    if (this.options.now().getTime() - this.stateWrittenMs >= STATE_EVERY_MS) await this.writeState();
  }

  movedTo(uploadId: UploadId): Promise<void> {
    return this.guarded(async () => {
      if (this.state === undefined) return;
      this.state.uploadIds = [...this.state.uploadIds, uploadId];
      this.state.status = 'transferring';
      await this.writeState();
    });
  }

  committing(): Promise<void> {
    return this.guarded(() => this.finishAs('committing'));
  }

  private async finishAs(status: StateStatus): Promise<void> {
    if (this.state === undefined) return;
    await this.flush();
    await this.progress?.write();
    this.state.status = status;
    await this.writeState();
  }

  async keep(reason: string): Promise<KeptUpload | undefined> {
    await this.guarded(async () => {
      if (this.state === undefined || this.chunks === 0) return;
      this.state.failure = reason.slice(0, MAX_FAILURE);
      await this.flush();
      await this.writeState();
    });
    const { state, kept } = this;
    if (kept === undefined && !this.isBroken && state !== undefined)
      await this.guarded(() => savedUploads(this.options.folder).remove(state.uploadId));
    await this.close();
    return kept;
  }

  get kept(): KeptUpload | undefined {
    const { state, chunks, storedBytes, isBroken } = this;
    const isKept = !isBroken && state !== undefined && chunks > 0;
    return isKept ? { uploadId: state.uploadId, chunks, storedBytes } : undefined;
  }

  async remove(): Promise<void> {
    await this.guarded(async () => {
      if (this.state === undefined) return;
      // A process that is killed in between leaves a state which says that nothing is left to do.
      await this.finishAs('complete');
      await savedUploads(this.options.folder).remove(this.state.uploadId);
    });
    await this.close();
  }

  async discard(): Promise<void> {
    await this.guarded(async () => {
      if (this.state !== undefined) await savedUploads(this.options.folder).remove(this.state.uploadId);
    });
    await this.close();
  }

  private async close(): Promise<void> {
    await this.log?.close().catch(() => undefined); // its contents were flushed before anything relied on them
    this.log = undefined;
    await this.progress?.remove().catch(() => undefined); // only read while the lock is held
    this.progress = undefined;
    await this.lock?.release().catch(() => undefined); // a stale lock is recognised
    this.lock = undefined;
  }

  private async writeState(): Promise<void> {
    if (this.state === undefined) return;
    const now = this.options.now();
    this.stateWrittenMs = now.getTime();
    this.state.updatedAt = now.toISOString();
    await replaceFile(statePaths(this.options.folder, this.state.uploadId).state, encodeState(this.state));
  }

  /** Runs work in order, and none after the first failure. */
  private guarded(work: () => Promise<void>): Promise<void> {
    this.writing = this.writing.then(async () => {
      if (this.isBroken) return;
      try {
        await work();
      } catch (error) {
        this.isBroken = true;
        this.queue.length = 0;
        this.options.onTrouble(this.troubleText(error));
        await this.removeRecords();
      }
    });
    return this.writing;
  }

  private troubleText(error: unknown): string {
    const why = systemCode(error) ?? errorText(error);
    const rest =
      this.options.goesOn === undefined
        ? 'cannot be resumed if it is interrupted'
        : 'can be resumed only from where it began';
    return `the progress of this upload cannot be saved in ${this.options.folder} (${why}): it continues, and ${rest}`;
  }

  /** Removes the records of this run: its chunks are deleted again if it fails now, so nothing may name them. */
  private async removeRecords(): Promise<void> {
    const { goesOn, folder } = this.options;
    try {
      if (goesOn !== undefined)
        await this.log?.cut(Math.max(goesOn.logLength, logHeader(goesOn.state.uploadId).length));
      else if (this.state !== undefined) {
        const paths = statePaths(folder, this.state.uploadId);
        for (const path of [paths.entries, paths.state]) await rm(path, { force: true });
      }
    } catch {
      // Reported already. Every chunk is checked in the store before it is used.
    }
  }
}
