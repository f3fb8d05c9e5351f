// Ctrl+Z as people have it: the built program under a shell with job control, in a real terminal.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { archiver, CLI } from '../e2e/upload-cli.js';
import { expectClean } from '../support/full-screen.js';
import { openSession, type TerminalSession } from '../support/terminal-session.js';

const LIMIT = { timeout: 20_000 };
const CTRL_C = '\u0003';
const CTRL_Z = '\u001a';
let folder = '';
let upload = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'archiver-jobs-'));
  mkdirSync(join(folder, 'source'));
  writeFileSync(join(folder, 'source/part-1.csv'), 'part,1\n');
  mkdirSync(join(folder, 'large'));
  for (let n = 0; n < 40; n++)
    writeFileSync(join(folder, 'large', `${n}.bin`), crypto.getRandomValues(Buffer.alloc(65_536)));
  const ran = await archiver(folder, ['upload', 'source', `file://${folder}/store`, '--json']);
  upload = String((JSON.parse(ran.stdout) as Record<string, unknown>)['location']);
});
afterAll(() => rmSync(folder, { recursive: true }));

const slow = (): string => `upload large file://${folder}/slow --limit-upload 100KiB/s`;

/** Types a command at the prompt of a shell. */
async function start(command: string, columns = 80, rows = 24): Promise<TerminalSession> {
  const session = openSession(['--norc', '--noprofile', '-i'], {
    file: 'bash',
    cwd: folder,
    env: {
      HOME: folder,
      ARCHIVER_HOME: join(folder, '.archiver'),
      PS1: 'bash> ',
      CLEAR: String.raw`printf \033[2J\033[H`,
      NODE: process.execPath,
      CLI,
    },
    columns,
    rows,
  });
  await session.until('bash> ');
  session.type(`$NODE $CLI ${command}\r`);
  return session;
}

/** The process that the shell started. */
function jobOf({ pid }: TerminalSession): number {
  const [job = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ');
  // A signal to process 0 would stop the test.
  if (job === '') throw new Error('the shell has no job');
  return Number(job);
}

const statusOf = (pid: number): string => readFileSync(`/proc/${pid}/status`, 'utf8');
const isStopped = (pid: number): boolean => /^State:\tT/m.test(statusOf(pid));
/** It has run in between when this number is another one. */
const switchesOf = (pid: number): number =>
  [...statusOf(pid).matchAll(/ctxt_switches:\t(\d+)/g)].reduce((sum, [, count]) => sum + Number(count), 0);

/** Number of the last thing that a shell was asked to say: no two are the same. */
let said = 0;

/** Does what stops the job, and waits until the shell says so: what it said of an earlier stop is still on its screen. */
async function stopped(session: TerminalSession, stop: () => void): Promise<void> {
  const before = session.written().length;
  stop();
  await expect.poll(() => session.written().slice(before), LIMIT).toMatch(/\[1\]\+ +Stopped/);
}

/** The shell has its terminal: nothing of a screen is on it, and what is typed is for the shell. */
async function expectShell(session: TerminalSession): Promise<void> {
  said += 1;
  session.type(`echo one$((${said}))two\r`);
  await session.until(`one${said}two`);
  expect(await session.isAlternate()).toBe(false);
  expect(session.isCursorShown()).toBe(true);
}

const untilCursor = async (session: TerminalSession, isShown: boolean): Promise<void> =>
  await expect.poll(() => session.isCursorShown(), LIMIT).toBe(isShown);

/** The job has the terminal, and nothing of the shell is on it. */
const untilBack = (session: TerminalSession, text: string): Promise<string[]> =>
  session.until((lines) => lines.some((line) => line.includes(text)) && !lines.some((line) => line.includes('bash>')));

async function leave(session: TerminalSession, keys: string): Promise<void> {
  session.type(keys);
  await session.until(/^bash> *$/);
  session.type('echo end$((2))ed\r');
  await session.until('end2ed');
  expect([await session.isAlternate(), session.isCursorShown()]).toEqual([false, true]);
  session.type('exit\r');
  await session.exited;
}

type Screen = readonly [what: string, command: () => string, text: string, quit: string, columns: number, rows: number];

test.each<Screen>([
  ['dashboard', () => 'dashboard', 'SPEND THIS MONTH', 'q', 60, 15],
  ['dashboard', () => 'dashboard', 'SPEND THIS MONTH', 'q', 80, 24],
  ['dashboard', () => 'dashboard', 'SPEND THIS MONTH', 'q', 120, 40],
  ['browse', () => `browse ${upload}`, 'part-1.csv', 'q', 80, 24],
  ['setup', () => 'setup', 'Where do archives go?', CTRL_C, 80, 24],
])(
  'ctrl+z and kill -TSTP give the terminal of %s to the shell, and fg brings the screen back (%#)',
  async (_, command, text, quit, columns, rows) => {
    const session = await start(command(), columns, rows);
    await session.until(text);
    await stopped(session, () => session.type(CTRL_Z));
    await expectShell(session);
    session.type('fg\r');
    await untilBack(session, text);
    expect(await session.isAlternate()).toBe(true);
    await untilCursor(session, false);

    await stopped(session, () => process.kill(jobOf(session), 'SIGTSTP'));
    await expectShell(session);
    // In the background it does not touch the terminal: the kernel stops it as soon as it tries.
    // A SIGCONT that came before the process had stopped would take the signal back.
    await expect.poll(() => isStopped(jobOf(session)), LIMIT).toBe(true);
    const switches = switchesOf(jobOf(session));
    process.kill(jobOf(session), 'SIGCONT');
    await expect.poll(() => isStopped(jobOf(session)) && switchesOf(jobOf(session)) > switches, LIMIT).toBe(true);
    await expectShell(session);
    session.type('fg\r');
    await untilBack(session, text);
    expect(await session.isAlternate()).toBe(true);
    await untilCursor(session, false);

    // A stop that cannot be noticed.
    await stopped(session, () => process.kill(jobOf(session), 'SIGSTOP'));
    session.type('fg\r');
    await untilBack(session, text);
    await leave(session, quit);
  },
);

test('the shell of archiver stops in the middle of a line, which is there again', async () => {
  const session = await start(`shell ${upload}`);
  await session.until(':/>');
  session.type('ls par');
  await session.until(':/> ls par');
  await stopped(session, () => session.type(CTRL_Z));
  await expectShell(session);
  session.type('fg\r');
  await session.until(/:\/> ls par *$/);
  session.type('t-1.csv\r');
  await session.until(/part-1.csv +7 B|7 B.*part-1.csv/);
  // Hidden again with the next prompt.
  await expect.poll(() => session.isCursorShown(), LIMIT).toBe(false);
  await leave(session, 'exit\r');
});

test('progress stops without its frame and draws it again; after bg it goes on without one', async () => {
  const session = await start(slow());
  await session.until(/of 40 files/);
  await stopped(session, () => session.type(CTRL_Z));
  await expectShell(session);
  session.type('$CLEAR; fg\r');
  await session.until(/of 40 files/);
  await untilCursor(session, false);

  await stopped(session, () => process.kill(jobOf(session), 'SIGTSTP'));
  await expectShell(session);
  session.type('$CLEAR; bg\r');
  await session.until(/\[1\]\+ \$NODE/);
  for (const n of [1, 2, 3, 4]) {
    session.type(`echo still$((${n}))here; sleep 0.3\r`);
    await session.until(`still${n}here`);
  }
  expect((await session.screen()).filter((line) => line.includes('of 40 files'))).toEqual([]);
  expect(session.isCursorShown()).toBe(true);
  session.type('$CLEAR; fg\r');
  await session.until(/of 40 files/);
  session.type(CTRL_C);
  await session.until(/▲ Upload stopped/);
  await leave(session, '');
});

test('without a shell above it ctrl+z does nothing', async () => {
  const session = openSession([CLI, 'dashboard'], {
    cwd: folder,
    env: { HOME: folder, ARCHIVER_HOME: join(folder, '.archiver') },
  });
  await session.until('SPEND THIS MONTH');
  session.type(CTRL_Z);
  session.type('2');
  await session.until('[2 Costs]');
  session.type('q');

  expect(await session.exited).toBe(0);
  await expectClean(session);
});
