// The monitor as a process: it tells each pass as it comes, and a signal ends it well.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkIn } from '../support/fleet.js';
import { tempFolder } from '../support/temp-folder.js';
import { CLI, environment } from './upload-cli.js';

test.each(['SIGTERM', 'SIGINT'] as const)('%s between two passes ends it with status 0', async (signal) => {
  const home = await tempFolder();
  const now = new Date().toISOString();
  const cycle = { startedAt: now, endedAt: now, isHealthy: true };
  await checkIn(join(home, 'store'), 'web-01', { checkedInAt: now, lastSuccessAt: now, cycle });
  const argv = [CLI, 'fleet', 'monitor', `file://${join(home, 'store')}`];
  const child = spawn(process.execPath, argv, { env: environment(home, {}), stdio: ['ignore', 'pipe', 'pipe'] });
  let told = '';
  child.stderr.on('data', (data: Buffer) => (told += data.toString()));
  child.stdout.on('data', (data: Buffer) => {
    told += data.toString();
    child.kill(signal);
  });

  const status = await new Promise((resolve) => child.once('close', resolve));

  expect([status, told]).toEqual([0, expect.stringMatching(/^\S+ \S+ 1 writer: 1 healthy\n$/)]);
});
