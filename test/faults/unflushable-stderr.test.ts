// A standard error that cannot be flushed: a log on a disk that is full or breaks. Here it is a descriptor that only names
// a file (O_PATH): every write and flush fails.
import { spawn } from 'node:child_process';
import { closeSync, mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { CLI } from '../e2e/upload-cli.js';
import { tempFolder } from '../support/temp-folder.js';

const O_PATH = 0o10000000;

async function statusOf(home: string, args: readonly string[]): Promise<number | string | null> {
  const stderr = openSync(join(home, 'log'), O_PATH);
  const child = spawn(process.execPath, [CLI, ...args], {
    stdio: ['ignore', 'ignore', stderr],
    env: { PATH: process.env['PATH'], HOME: home, ARCHIVER_HOME: join(home, '.archiver') },
    timeout: 120_000,
    killSignal: 'SIGKILL',
  });
  closeSync(stderr);
  return await new Promise((resolve) => {
    child.once('exit', (status, signal) => resolve(status ?? signal));
  });
}

test.runIf(process.platform === 'linux')('commands end although standard error cannot be flushed', async () => {
  const home = await tempFolder();
  mkdirSync(join(home, 'source'));
  writeFileSync(join(home, 'source', 'file'), 'content');
  writeFileSync(join(home, 'log'), '');
  const store = `file://${join(home, 'store')}`;

  expect(await statusOf(home, ['upload', join(home, 'source'), store])).toBe(0);
  expect(await statusOf(home, ['sync', join(home, 'source'), store])).toBe(0);
  expect(await statusOf(home, ['sync', join(home, 'missing'), store])).toBe(1);
});
