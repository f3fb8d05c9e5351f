// Entry of an unpack worker thread: takes stored frames, gives back files on disk (restore) or verdicts (verify).
import { parentPort, workerData } from 'node:worker_threads';
import { loadCodec } from '../codec/codec.js';
import { errorText, isArchiverError } from '../errors.js';
import { CheckSink } from './check-sink.js';
import { openExtents } from './extents.js';
import { FileSink } from './file-sink.js';
import { openTree } from './open-tree.js';
import { openTable } from './selected-table.js';
import { UnpackJob } from './unpack-job.js';
import type { FromWorker, ToWorker, UnpackData } from './unpack-protocol.js';

function start(port: NonNullable<typeof parentPort>, data: UnpackData): void {
  const table = openTable(data.table);
  const { write } = data;
  // The number keeps the names of two workers' temporary files apart.
  const settings = write && { ...write, tempName: `${write.tempName}${data.worker.toString(36)}-` };
  const sink = settings ? new FileSink(table, openTree(settings), settings, data.verifyFiles) : new CheckSink(table);
  const stop = new Int32Array(data.stop);
  const isStopped = (): boolean => Atomics.load(stop, 0) !== 0;
  const post = (message: FromWorker, transfer: readonly ArrayBuffer[] = []): void => port.postMessage(message, [...transfer]);
  const onFrame = (): void => {
    const { counters } = job.unpacker;
    if (counters.bytes === 0 && counters.files === 0) return;
    post({ type: 'progress', ...counters });
    counters.files = 0;
    counters.bytes = 0;
  };
  const job: UnpackJob = new UnpackJob({
    codec: loadCodec(),
    table,
    extents: openExtents(data.extents),
    sink,
    checkChunks: data.checkChunks,
    onFrame,
    isStopped,
  });
  const close = (): void => {
    job.unpacker.endLane('the restore was stopped');
    sink.dispose();
    post({ type: 'closed' });
    port.close();
  };
  let isBroken = false;

  port.on('message', (message: ToWorker) => {
    if (message.type === 'close') {
      close();
      return;
    }
    try {
      if (!isBroken && !isStopped()) job.handle(message);
    } catch (error) {
      isBroken = true;
      const code = isArchiverError(error, 'no-space') ? 'no-space' : 'io';
      post({ type: 'fatal', code, message: errorText(error) });
    }
    onFrame();
    const buffer = 'buffer' in message ? message.buffer : undefined;
    post({ type: 'done', buffer, ...job.takeTrouble() }, buffer === undefined ? [] : [buffer]);
  });
}

if (parentPort !== null) start(parentPort, workerData as UnpackData);
