// The other end of one unpack worker: messages go out in order, each is answered, and a bounded number is under
// way at a time.
import { ArchiverError } from '../../platform/failures/errors.js';
import { WorkerThread } from '../../platform/threads/worker-thread.js';
import { UnpackHere } from './unpack-here.js';
import type { RereadMessage, FromWorker, ToWorker, Trouble, UnpackData, WrongBytes } from './unpack-protocol.js';

export interface WorkerEvents {
  onProgress(files: number, bytes: number, last: number): void;
  onTrouble(trouble: Trouble): void;
  onBuffer(buffer: SharedArrayBuffer): void;
  onFatal(error: Error): void;
  /** Reads wrong bytes again. Never rejects. */
  readAgain(wrong: WrongBytes): Promise<RereadMessage>;
}

/** Most messages that are not answered yet: one that is worked on, one that waits, and the small ones around them. */
const MAX_UNDER_WAY = 4;

export class UnpackWorkerHandle {
  private readonly thread: WorkerThread<ToWorker, FromWorker> | UnpackHere;
  private readonly underWay: (() => void)[] = [];
  private wake: (() => void) | undefined;
  private isGone = false;

  private failure: ArchiverError | undefined;
  private events: WorkerEvents | undefined;
  private closing: Promise<void> | undefined;

  /** Starts a thread, so that it is ready when `begin` says what to do, unless it works `here`. `url`: script to run in the thread instead. */
  constructor(where: 'thread' | 'here' = 'thread', url?: URL) {
    const events = {
      onMessage: (message: FromWorker) => this.receive(message),
      onFailure: (error: ArchiverError) => this.fail(error),
    };
    this.thread =
      where === 'here'
        ? new UnpackHere(events)
        : new WorkerThread({ name: 'unpack-worker', what: 'an unpacking thread', url, ...events });
  }

  /** Called when the worker will not answer any more: ends pending waits, and the run. */
  private fail(error: ArchiverError): void {
    this.failure = error;
    this.isGone = true;
    this.events?.onFatal(error);
    for (const done of this.underWay.splice(0)) done();
    this.wakeUp();
  }

  /** Tells the worker what to do, and who gets its events. */
  begin(data: UnpackData, events: WorkerEvents): void {
    this.events = events;
    if (this.failure !== undefined) events.onFatal(this.failure);
    this.send({ type: 'begin', data });
  }

  private receive(message: FromWorker): void {
    const { events } = this;
    if (events === undefined) return;
    switch (message.type) {
      case 'progress':
        events.onProgress(message.files, message.bytes, message.last);
        return;
      case 'done':
        this.underWay.shift()?.();
        if (message.buffer !== undefined) events.onBuffer(message.buffer);
        events.onTrouble(message);
        this.wakeUp();
        return;
      case 'again':
        void events.readAgain(message.wrong).then((again) => this.thread.post(again));
        return;
      case 'returned':
        events.onBuffer(message.buffer);
        return;
      case 'fatal':
        events.onFatal(new ArchiverError(message.code, message.message));
        return;
      case 'closed':
        this.isGone = true;
        this.wakeUp();
        return;
      default:
        message satisfies never;
    }
  }

  private wakeUp(): void {
    this.wake?.();
    this.wake = undefined;
  }

  /** Sends a message; a buffer in it is the worker's until `onBuffer` gives it back. `done` is called when the worker has handled it. */
  send(message: Exclude<ToWorker, { type: 'again' }>, done: () => void = () => undefined): void {
    if (this.isGone) {
      done();
      return;
    }
    this.underWay.push(done);
    this.thread.post(message);
  }

  /** Resolves when the worker can take another span. */
  async ready(): Promise<void> {
    await this.until(() => this.underWay.length < MAX_UNDER_WAY);
  }

  /** Resolves when everything that was sent is done. */
  async idle(): Promise<void> {
    await this.until(() => this.underWay.length === 0);
  }

  private async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue() && !this.isGone) await new Promise<void>((wake) => (this.wake = wake));
  }

  /** Lets the worker finish its message, drop incomplete files, and end. */
  close(): Promise<void> {
    this.closing ??= this.thread.close({ type: 'close' });
    return this.closing;
  }
}
