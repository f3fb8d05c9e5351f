import { existsSync, mkdirSync, readFileSync, renameSync, rmdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { logLineOf } from '../../../../src/core/diagnostics/observe/log-events.js';
import { type LogFile, openLog } from '../../../../src/core/diagnostics/observe/log-file.js';
import { tempFolder } from '../../../support/temp-folder.js';

function open(folder: string, name: string, more: Partial<Parameters<typeof openLog>[0]> = {}) {
  const troubles: string[] = [];
  const path = join(folder, name);
  const log: LogFile = openLog({
    path,
    level: 'info',
    common: { command: 'upload' },
    now: () => new Date('2026-11-22T10:00:00Z'),
    onTrouble: (text) => void troubles.push(text),
    ...more,
  });
  const lines = (at = path): unknown[] =>
    readFileSync(at, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown);
  return { log, path, troubles, lines };
}

const say = (log: LogFile, message: string): void => log.write({ level: 'info', event: 'message', message });

it('appends a line for each event to a file that only its owner can read', async () => {
  const folder = await tempFolder();
  const { log, path, lines } = open(folder, 'a.log');
  say(log, 'one');
  log.close();
  const again = open(folder, 'a.log');
  say(again.log, 'two');

  expect(lines()).toEqual(
    ['one', 'two'].map((message) => ({
      time: '2026-11-22T10:00:00.000Z',
      level: 'info',
      command: 'upload',
      event: 'message',
      message,
    })),
  );
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it('leaves out what is below its level', async () => {
  const folder = await tempFolder();
  const { log, lines } = open(folder, 'a.log', { level: 'warn' });
  log.write({ level: 'debug', event: 'chunk' });
  log.write({ level: 'info', event: 'phase' });
  log.write({ level: 'warn', event: 'skip' });
  log.write({ level: 'error', event: 'end' });

  expect(lines()).toMatchObject([{ event: 'skip' }, { event: 'end' }]);
});

it('holds no secret and no character that steers a terminal, however deep', async () => {
  const folder = await tempFolder();
  const { log, path, lines } = open(folder, 'a.log');
  const message = 'GET https://me:hunter2@example.org/?X-Amz-Signature=abc\u001b[31m\u009b2J';
  log.write({ level: 'info', event: 'message', message, about: { list: ['token=abc'] } });

  expect(lines()).toMatchObject([
    {
      message: 'GET https://(hidden)@example.org/?X-Amz-Signature=(hidden)',
      about: { list: ['token=(hidden)'] },
    },
  ]);
  // eslint-disable-next-line no-control-regex
  expect(readFileSync(path, 'utf8')).not.toMatch(/hunter2|abc|[\u0000-\u0009\u001b\u0080-\u009f]/);
});

it('goes on in a new file where the old one was renamed or removed, and at the start of one that was truncated', async () => {
  const folder = await tempFolder();
  const { log, path, lines, troubles } = open(folder, 'a.log');
  say(log, 'one');
  renameSync(path, `${path}.1`);
  say(log, 'two');
  expect([lines(`${path}.1`), lines()]).toMatchObject([[{ message: 'one' }], [{ message: 'two' }]]);

  rmSync(path);
  say(log, 'three');
  expect(lines()).toMatchObject([{ message: 'three' }]);

  truncateSync(path);
  say(log, 'four');
  expect(lines()).toMatchObject([{ message: 'four' }]);
  expect(troubles).toEqual([]);
});

it('tells once that lines are lost, and goes on when that is over', async () => {
  const folder = await tempFolder();
  const { log, path, lines, troubles } = open(folder, 'a.log');
  rmSync(path);
  mkdirSync(path); // its place is taken by what cannot be appended to
  say(log, 'lost');
  say(log, 'lost too');
  expect(troubles).toEqual([expect.stringMatching(/^the log is not complete: .*a\.log: EISDIR/)]);

  rmdirSync(path);
  say(log, 'kept');
  expect(lines()).toMatchObject([{ message: 'kept' }]);
  expect(troubles.length).toBe(1);
});

it('survives a disk that is full, with one word of it', async () => {
  const folder = await tempFolder();
  if (!existsSync('/dev/full')) return;
  const { log, troubles } = open(folder, 'unused', { path: '/dev/full' });
  say(log, 'one');
  say(log, 'two');
  log.close();

  expect(troubles).toEqual([expect.stringMatching(/^the log is not complete: \/dev\/full: ENOSPC/)]);
});

it('is refused where it cannot be opened, before anything has begun', async () => {
  const folder = await tempFolder();
  expect(() => open(folder, 'nowhere/a.log')).toThrow(/^--log-file .*nowhere\/a\.log cannot be written: ENOENT/);
});

it('has a line for all that happens, but for what comes many times a second', () => {
  expect(logLineOf({ type: 'progress', items: 1, bytes: 1 })).toBeUndefined();
  expect(logLineOf({ type: 'sent', items: 1, bytes: 1, storedBytes: 1 })).toBeUndefined();
  expect(logLineOf({ type: 'phase', phase: 'scanning' })).toEqual({ level: 'info', event: 'phase', phase: 'scanning' });
  expect(logLineOf({ type: 'skip', path: 'a', reason: 'denied' })).toEqual({
    level: 'warn',
    event: 'skip',
    path: 'a',
    message: 'denied',
  });
  expect(
    logLineOf({ type: 'end', outcome: { status: 'failed', code: 'store', message: 'no', hint: undefined } }),
  ).toEqual({ level: 'error', event: 'end', outcome: 'failed', code: 'store', message: 'no' });
});
