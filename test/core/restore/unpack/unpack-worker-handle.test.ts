import { expect, onTestFinished, test } from 'vitest';
import { UnpackWorkerHandle } from '../../../../src/core/restore/unpack/unpack-worker-handle.js';
import { mortalThread, type Fate } from '../../../support/mortal-thread.js';

test.each<[Fate, string]>([
  ['throws', 'start'],
  ['exits', 'start'],
  ['exits', 'begin'],
  ['exits', 'settle'],
  ['closes its port', 'settle'],
])('an unpacking thread that %s (at %s) ends the run, and nobody waits for its answers', async (fate, when) => {
  const handle = new UnpackWorkerHandle('thread', mortalThread(fate, when));
  onTestFinished(() => handle.close());
  const fatal: string[] = [];
  let answered = 0;

  handle.begin({} as never, {
    onProgress: () => undefined,
    onTrouble: () => undefined,
    onBuffer: () => undefined,
    readAgain: () => Promise.reject(new Error('nothing is wrong')),
    onFatal: (error) => fatal.push(error.message),
  });
  handle.send({ type: 'settle' }, () => void answered++);
  await handle.idle();

  expect(fatal).toHaveLength(1);
  expect(fatal[0]).toMatch(/^an unpacking thread failed: (?:it broke|it ended unexpectedly with status 0)$/);
  expect(answered).toBe(1);
});
