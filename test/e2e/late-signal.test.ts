// A signal that comes between the end of a command and the end of its process.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { CLI } from './upload-cli.js';

/** Keeps the process from ending by itself, and sends the signal as soon as the command has its status. */
const preload = (signal: string) =>
  `data:text/javascript,setInterval(() => { if (process.exitCode !== undefined) process.kill(process.pid, '${signal}'); }, 1)`;

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('%s does not change the status of a usage error', async (signal) => {
  const child = spawn(process.execPath, ['--import', preload(signal), CLI, 'nonsense'], { stdio: 'ignore' });

  expect(await once(child, 'exit')).toEqual([2, null]);
});
