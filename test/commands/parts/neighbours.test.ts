import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { countTitled, shareOf } from '../../../src/commands/parts/neighbours.js';

test('a title that nobody has counts as one', () => {
  expect(countTitled('archiver nobody')).toBe(1);
});

test.skipIf(!existsSync('/proc/self/cmdline'))('processes with a title are counted while they run', async () => {
  const title = `archiver ${process.pid}`;
  const children = [1, 2, 3].map(() =>
    spawn(process.execPath, ['-e', `process.title = ${JSON.stringify(title)}; setInterval(() => {}, 1000)`]),
  );
  onTestFinished(() => children.forEach((child) => void child.kill('SIGKILL')));

  await expect.poll(() => countTitled(title)).toBe(3);
  expect([8, 3, 2].map((threads) => shareOf(threads, title))).toEqual([2, 1, 1]);
  children[0]?.kill('SIGKILL');
  await expect.poll(() => countTitled(title)).toBe(2);
});
