// Threads of a service rest between two runs, and those of anything else end.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { NO_FILTER } from '../../../../src/core/archive/scan/filter-options.js';
import { scanInWorker } from '../../../../src/core/archive/scan/scan-in-worker.js';
import { rawFromText } from '../../../../src/core/platform/paths/raw-path.js';
import { IDLE_MESSAGE } from '../../../../src/core/platform/threads/end-work.js';
import {
  endThread,
  retainThreads,
  runningThreads,
  acquireThread,
} from '../../../../src/core/platform/threads/threads.js';
import { WorkerThread } from '../../../../src/core/platform/threads/worker-thread.js';
import { letThreadsEnd } from '../../../support/keep-threads.js';
import { tempFolder } from '../../../support/temp-folder.js';

beforeEach(letThreadsEnd);

const threads = (): string[] => [...runningThreads.values()].filter((name) => name.startsWith('scan-worker'));

async function folder(...files: readonly string[]): Promise<string> {
  const path = await tempFolder();
  for (const file of files) writeFileSync(join(path, file), file);
  return path;
}

async function entriesOf(path: string, signal = new AbortController().signal): Promise<number> {
  const { result } = await scanInWorker({ source: rawFromText(path), filter: NO_FILTER, signal }, () => undefined);
  return result.files;
}

test('a kept thread does one piece of work after another, also after one that failed, and ends with the service', async () => {
  const endThreads = retainThreads();
  const [one, three] = [await folder('a'), await folder('a', 'b', 'c')];
  const isStarted = async (work: () => Promise<unknown>): Promise<boolean> => {
    const before = threads();
    await work();
    return threads().join() !== before.join();
  };

  expect(await entriesOf(one)).toBe(1);
  // It rests a moment after it has answered.
  const fails = async () => await expect(entriesOf('/nowhere/at/all')).rejects.toThrow('cannot list /nowhere/at/all');
  await expect.poll(async () => await isStarted(fails)).toBe(false);
  const scans = async () => expect(await entriesOf(three)).toBe(3);
  await expect.poll(async () => await isStarted(scans)).toBe(false);

  await endThreads();
  await expect.poll(threads).toEqual([]);
});

test('whoever ends a kept thread twice ends no work of whoever has it next', async () => {
  const endThreads = retainThreads();
  const echo =
    'import { parentPort } from "node:worker_threads";' +
    `parentPort.on("message", (text) => parentPort.postMessage(text === "end" ? ${JSON.stringify(IDLE_MESSAGE)} : text));`;
  const url = new URL(`data:text/javascript,${encodeURIComponent(echo)}`);
  const heard: string[] = [];
  const start = (): WorkerThread<string, string> =>
    new WorkerThread({ name: 'echo', what: 'an echo', url, onMessage: (text) => heard.push(text), onFailure: fail });
  const fail = (error: Error): void => void heard.push(error.message);

  const first = start();
  await first.close('end');
  const second = start();
  await first.close('end');
  first.terminate();
  second.post('heard');

  await expect.poll(() => heard).toEqual(['heard']);
  await second.close('end');
  await endThreads();
});

test('without a service a thread ends after its work', async () => {
  expect(await entriesOf(await folder('a', 'b'))).toBe(2);

  await expect.poll(threads).toEqual([]);
});

test('what is new in the heap of a thread takes at most 12 MiB', async () => {
  const worker = acquireThread({ url: new URL('data:text/javascript,setInterval(() => 0, 1000)'), name: 'idle' });

  expect(worker.resourceLimits?.maxYoungGenerationSizeMb).toBe(12);

  await endThread(worker);
});

test('what is posted after the end does not come to whoever has a kept thread next', async () => {
  const endThreads = retainThreads();
  const telling =
    'import { parentPort } from "node:worker_threads";' +
    'const all = [];' +
    `parentPort.on("message", (text) => parentPort.postMessage(text === "end" ? ${JSON.stringify(IDLE_MESSAGE)} : (all.push(text), all.join())));`;
  const url = new URL(`data:text/javascript,${encodeURIComponent(telling)}`);
  const heard: string[] = [];
  const fail = (error: Error): void => void heard.push(error.message);
  const start = (): WorkerThread<string, string> =>
    new WorkerThread({
      name: 'telling',
      what: 'a thread',
      url,
      onMessage: (text) => heard.push(text),
      onFailure: fail,
    });

  const first = start();
  const closed = first.close('end');
  first.post('late');
  await closed;
  const second = start();
  second.post('in time');
  await second.close('end');
  await endThreads();

  expect(heard).toEqual(['in time']);
});
