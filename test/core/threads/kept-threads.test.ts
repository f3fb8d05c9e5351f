// Threads of a service rest between two runs, and those of anything else end.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { NO_FILTER } from '../../../src/core/archive/scan/filter.js';
import { scanInWorker } from '../../../src/core/archive/scan/scan-in-worker.js';
import { rawFromText } from '../../../src/core/paths/raw-path.js';
import { endThread, keepThreads, runningThreads, takeThread } from '../../../src/core/threads/threads.js';
import { tempFolder } from '../../support/temp-folder.js';

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
  const endThreads = keepThreads();
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

test('without a service a thread ends after its work', async () => {
  expect(await entriesOf(await folder('a', 'b'))).toBe(2);

  await expect.poll(threads).toEqual([]);
});

test('what is new in the heap of a thread takes at most 12 MiB', async () => {
  const worker = takeThread(new URL('data:text/javascript,setInterval(() => 0, 1000)'), 'idle');

  expect(worker.resourceLimits?.maxYoungGenerationSizeMb).toBe(12);

  await endThread(worker);
});
