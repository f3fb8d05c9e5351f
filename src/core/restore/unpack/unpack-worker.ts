// Entry of an unpack worker thread.
import { parentPort } from 'node:worker_threads';
import { endWork } from '../../platform/threads/end-work.js';
import { whenReady } from '../../format/chunk/when-ready.js';
import { UnpackWork } from './unpack-work.js';
import type { ToWorker } from './unpack-protocol.js';

function start(): void {
  const port = parentPort;
  if (port === null) return;
  const work = new UnpackWork({ post: (message) => port.postMessage(message), onClosed: endWork, isAlone: true });
  port.on('message', (message: ToWorker) => work.receive(message));
}

whenReady(start);
