import { spawn } from 'node:child_process';
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Lock, lockHolder, ownHolder, takeLock } from '../../../src/core/state/lock.js';
import { tempFolder } from '../../support/temp-folder.js';

const HOST = 'this-host';
const path = async (): Promise<string> => join(await tempFolder(), 'x.lock');
const isLock = (taken: object): taken is Lock => 'release' in taken;

test('one of two gets it, and the other is told who has it', async () => {
  const lock = await path();
  const first = await takeLock(lock, ownHolder(HOST));

  expect(isLock(first)).toBe(true);
  expect(await takeLock(lock, ownHolder(HOST))).toMatchObject({ pid: process.pid, host: HOST });
  expect(await lockHolder(lock, HOST)).toMatchObject({ pid: process.pid });
});

test('of many at once exactly one gets it, also where a stale one lies', async () => {
  const lock = await path();
  writeFileSync(lock, JSON.stringify({ pid: 2 ** 22 + 1, host: HOST, start: 'x' }));

  const taken = await Promise.all(Array.from({ length: 20 }, () => takeLock(lock, ownHolder(HOST))));

  expect(taken.filter(isLock)).toHaveLength(1);
});

test('a process that is gone holds nothing', async () => {
  const lock = await path();
  const child = spawn(process.execPath, ['-e', '0']);
  const { pid = 0 } = child;
  await new Promise((resolve) => void child.once('exit', resolve));
  writeFileSync(lock, JSON.stringify({ pid, host: HOST, start: '' }));

  expect(await lockHolder(lock, HOST)).toBeUndefined();
  expect(isLock(await takeLock(lock, ownHolder(HOST)))).toBe(true);
});

test('a number that another process has now is not that process', async () => {
  const lock = await path();
  writeFileSync(lock, JSON.stringify({ pid: process.pid, host: HOST, start: 'another boot:1' }));

  expect(await lockHolder(lock, HOST)).toBeUndefined();
});

test('a process of another computer counts as running', async () => {
  const lock = await path();
  writeFileSync(lock, JSON.stringify({ pid: 2 ** 22 + 1, host: 'elsewhere', start: '' }));

  expect(await takeLock(lock, ownHolder(HOST))).toMatchObject({ host: 'elsewhere' });
});

test('an empty lock is being written, unless it is old', async () => {
  const lock = await path();
  writeFileSync(lock, '');
  expect(isLock(await takeLock(lock, ownHolder(HOST)))).toBe(false);
  utimesSync(lock, 5, 5);
  expect(isLock(await takeLock(lock, ownHolder(HOST)))).toBe(true);
});

test('releasing twice does not release what another took', async () => {
  const lock = await path();
  const first = await takeLock(lock, ownHolder(HOST));
  if (!isLock(first)) throw new Error('not taken');
  await first.release();
  await takeLock(lock, ownHolder(HOST));
  await first.release();

  expect(existsSync(lock)).toBe(true);
});
