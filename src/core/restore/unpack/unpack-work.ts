// The worker's end of the messages: turns stored frames into files on disk (restore) or results of checks (verify), in a thread of its own
// or in the one that asks.
import { loadCodec } from '../../platform/codec/codec.js';
import { errorText, isArchiverError } from '../../platform/failures/errors.js';
import { loadLibc } from '../../platform/libc/libc.js';
import { rawFromText, withEnd } from '../../platform/paths/raw-path.js';
import { openBatchHash } from './batch-hash.js';
import { CheckSink } from '../write/check-sink.js';
import { HoleLimit } from '../write/content-hash.js';
import type { ContentSink } from '../write/content-sink.js';
import { openExtents } from '../plan/extents.js';
import { FileSink } from '../write/file-sink.js';
import { openTree } from '../output-tree/open-tree.js';
import { openTable, type SelectedTable } from '../plan/selected-table.js';
import { UnpackTask } from './unpack-task.js';
import type { RereadMessage, FromWorker, ToWorker, UnpackData } from './unpack-protocol.js';

type Work = Exclude<ToWorker, { type: 'close' | 'again' }>;

/** Where the work is done. */
export interface UnpackPlace {
  readonly post: (message: FromWorker) => void;
  /** Called when everything is closed. */
  readonly onClosed: () => void;
  /** It is a thread of its own, where nobody else uses the codec. */
  readonly isAlone: boolean;
}

export class UnpackWork {
  private job: UnpackTask | undefined;
  private sink: ContentSink | undefined;
  private stop = new Int32Array(new SharedArrayBuffer(4));
  private isBroken = false;
  /** The message that waits for bytes to be read again, and those that came after it. */
  private waiting: Work | undefined;
  private held: Work[] = [];

  constructor(private readonly place: UnpackPlace) {
    loadLibc(); // now, while the main thread still reads the manifest
  }

  /** Takes a message; `whenReady` has to be over. @throws what is a fault of the program */
  receive(message: ToWorker): void {
    if (message.type === 'close') {
      this.close();
      return;
    }
    if (message.type === 'again') this.again(message);
    else if (this.waiting !== undefined) this.held.push(message);
    else this.work(message);
  }

  private work(message: Work): void {
    this.guarded(() => {
      if (message.type === 'begin') this.begin(message.data);
      else if (!this.isBroken && !this.isStopped()) this.job?.handle(message);
    });
    this.waiting = message;
    if (!this.asksAgain()) this.done(message);
  }

  /** Asks for the bytes that the message that was handled last needs once more; false if there are none. */
  private asksAgain(): boolean {
    const wrong = this.isBroken ? undefined : this.job?.wanted;
    if (wrong === undefined) this.waiting = undefined;
    else this.place.post({ type: 'again', wrong });
    return wrong !== undefined;
  }

  private again(message: RereadMessage): void {
    const { waiting, held } = this;
    if (this.job === undefined) return; // closed meanwhile
    this.guarded(() => this.job?.again(message));
    if (message.buffer !== undefined) this.place.post({ type: 'returned', buffer: message.buffer });
    if (this.asksAgain()) return;
    this.held = [];
    if (waiting !== undefined) this.done(waiting);
    for (const next of held) this.receive(next); // one of them may have to wait again
  }

  private guarded(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.isBroken = true;
      const code = isArchiverError(error, 'no-space') ? 'no-space' : 'io';
      this.place.post({ type: 'fatal', code, message: errorText(error) });
    }
  }

  private done(message: Work): void {
    this.tellProgress();
    const buffer = 'buffer' in message ? message.buffer : undefined;
    const trouble = this.job?.takeTrouble() ?? { failures: [], chunkFailures: [], mended: [], warnings: [] };
    this.place.post({ type: 'done', buffer, ...trouble });
  }

  private begin(data: UnpackData): void {
    if (data.worker === 0 && this.place.isAlone) loadLibc()?.trimMemory(); // what the manifest took
    this.stop = new Int32Array(data.stop);
    this.isBroken = false;
    const table = openTable(data.table);
    this.sink = openSink(table, data, new HoleLimit(() => this.isStopped()));
    const extents = openExtents(data.extents);
    const codec = loadCodec();
    // docs/decisions/096
    const areFilesHashed =
      data.write !== undefined && data.verifyFiles && extents.entry.every((entry) => table.columns.hasMd5[entry] === 1);
    if (this.place.isAlone) codec.compareChecksums?.(!areFilesHashed);
    this.job = new UnpackTask({
      codec,
      table,
      extents,
      // The lanes take longer to make than to hash what little there is.
      batch: data.verifyFiles && this.place.isAlone ? openBatchHash(table, extents) : undefined,
      sink: this.sink,
      checkChunks: data.checkChunks,
      areFilesHashed,
      onFrame: () => this.tellProgress(),
      isStopped: () => this.isStopped(),
    });
  }

  private isStopped(): boolean {
    return Atomics.load(this.stop, 0) !== 0;
  }

  private tellProgress(): void {
    const counters = this.job?.unpacker.counters;
    if (counters === undefined || (counters.bytes === 0 && counters.files === 0)) return;
    this.place.post({ type: 'progress', ...counters });
    counters.files = 0;
    counters.bytes = 0;
  }

  private close(): void {
    this.job?.unpacker.endLane('the restore was stopped');
    this.settle();
    this.sink?.dispose();
    // A kept thread rests without what refers to this run.
    this.job = this.sink = this.waiting = undefined;
    this.held = [];
    this.place.post({ type: 'closed' });
    this.place.onClosed();
  }

  /** After an interruption, gives complete files their names. */
  private settle(): void {
    try {
      this.job?.unpacker.settle();
    } catch {
      // The run has failed already; unfinished files are dropped.
    }
  }
}

function openSink(table: SelectedTable, { write, verifyFiles, worker }: UnpackData, holes: HoleLimit): ContentSink {
  if (write === undefined) return new CheckSink(table, holes);
  // The number keeps the names of two workers' temporary files apart.
  const settings = { ...write, tempName: withEnd(write.tempName, rawFromText(`${worker.toString(36)}-`)) };
  return new FileSink(table, openTree(settings), settings, verifyFiles, holes);
}
