import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSession } from '../../support/terminal-session.js';

let folder: string;
let program: string;

// Bundled as the product is: packages outside, reporters as chunks that load on first use.
beforeAll(async () => {
  const root = join(import.meta.dirname, '../../..');
  folder = await mkdtemp(join(root, 'node_modules/.progress-test-'));
  program = join(folder, 'pty-fixture.mjs');
  await build({
    entryPoints: [join(import.meta.dirname, 'pty-fixture.ts')],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    jsx: 'automatic',
    external: ['ink', 'react', 'react/*', 'zustand', 'zustand/*'],
  });
});

afterAll(async () => {
  await rm(folder, { recursive: true });
});

interface Session {
  readonly written: () => string;
  readonly screen: () => Promise<string[]>;
  readonly until: (text: string) => Promise<void>;
  /** Waits for a screen like this one, and gives it. */
  readonly seen: (isIt: (lines: readonly string[]) => boolean) => Promise<string[]>;
  readonly type: (keys: string) => void;
  readonly resize: (columns: number, rows: number) => Promise<void>;
  readonly exited: Promise<number>;
}

const QUIET_ROUNDS = 3;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

function run(ending: string, env: Record<string, string> = {}, columns = 80, rows = 24): Session {
  const terminal = openSession([program, ending], { cwd: folder, env, columns, rows });
  const { written, history: screen, type, kill, exited } = terminal;
  const seen = async (isIt: (lines: readonly string[]) => boolean, what = 'such a screen'): Promise<string[]> => {
    for (let tries = 0; tries < 4000; tries += 1) {
      const lines = await screen();
      if (isIt(lines)) return lines;
      await sleep(25);
    }
    throw new Error(`never saw ${what} but:\n${(await screen()).join('\n')}`);
  };
  return {
    written,
    screen,
    async until(text) {
      await seen((lines) => lines.some((line) => line.includes(text)), text);
    },
    seen,
    type,
    async resize(columns, rows) {
      // What is on its way when a terminal changes its width is drawn in the wrong one, and neither side can know. So the
      // program stands still until all that it has written is drawn.
      kill('SIGSTOP');
      // On a busy machine a timer may be over before what has come in is read: more than one round without any.
      for (let quiet = 0; quiet < QUIET_ROUNDS;) {
        const drawn = written().length;
        await sleep(30);
        await setImmediate();
        quiet = drawn === written().length ? quiet + 1 : 0;
      }
      await screen(); // all of it is drawn
      terminal.resize(columns, rows);
      kill('SIGCONT');
    },
    exited,
  };
}

const isShardsRow = (line: string): boolean => line.startsWith('shards');
const frameRows = (columns: number): number => (columns < 120 ? 5 : 6);

/** The frame as it is drawn in this width, from its title to its last row. */
function isFrame(lines: readonly string[], columns: number): boolean {
  const [title = '', bar = ''] = lines;
  const isWhole = /^Uploading .*a41f$/.test(title) && bar.includes('%') && lines.at(-1)?.startsWith('ctrl+c') === true;
  return isWhole && lines.length === frameRows(columns) && Math.abs(title.length - columns) <= 2;
}

/** Whether the last cursor code in what was written shows the cursor. */
const isCursorShown = (written: string): boolean =>
  written.lastIndexOf('\u001b[?25h') > written.lastIndexOf('\u001b[?25l');

describe('the progress screen in a terminal', () => {
  it('draws the frame, then takes it away and leaves notes and results', async () => {
    const session = run('finish');
    await session.until('of 1 000 files');
    const during = await session.screen();

    await session.exited;

    expect(during).toHaveLength(7);
    expect(during[2]).toMatch(
      /^Uploading \/data\/.*….*-long-name- to s3:\/\/bucket\/lab\/uploads\/20251114-093012-a41f$/,
    );
    expect(during[3]).toMatch(/─ +0% .* of 1000 MiB/);
    expect(during[5]).toMatch(/^now {2}データ\/.*…/);
    expect(during[6]).toBe('ctrl+c finishes chunks in flight and saves state for `archiver resume`');
    expect(await session.screen()).toEqual(['before', 'owners are not kept \\x1b[31m', 'after: done']);
    // Before the command prints, not when the process ends: a command may go on for long.
    expect(isCursorShown(session.written().split('after: ')[0] ?? '')).toBe(true);
    expect(session.written()).not.toContain('\u001b[3J');
  });

  it('takes the frame away after a failure too', async () => {
    const session = run('fail');
    await session.exited;

    expect(await session.screen()).toEqual(['before', 'owners are not kept \\x1b[31m', 'after: the disk is gone']);
    expect(isCursorShown(session.written())).toBe(true);
  });

  it('makes room for a question, and comes back', async () => {
    const session = run('ask');
    const asked = await session.seen((lines) => lines.at(-1)?.trimEnd() === 'Go on?');
    const back = await session.seen((lines) => lines.at(-1)?.startsWith('ctrl+c') === true);
    await session.exited;

    const note = 'owners are not kept \\x1b[31m';
    expect(asked).toEqual(['before', note, 'Go on? ']);
    expect(back.slice(0, 3)).toEqual(['before', note, 'Go on? yes']);
    expect(await session.screen()).toEqual(['before', note, 'Go on? yes', 'second note', 'after: done']);
  });

  it('lets ctrl+c through as a signal, says that it is stopping, and leaves only what is kept', async () => {
    const session = run('wait');
    await session.until('of 1 000 files');

    session.type('\u0003');
    await session.until('stopping; chunks in flight have 5 s to arrive');
    const status = await session.exited;

    const screen = await session.screen();
    expect(status).toBe(0);
    expect(screen.slice(0, 2)).toEqual(['before', 'owners are not kept \\x1b[31m']);
    expect(screen[2]).toMatch(/^▲ Upload stopped after [\d.]+s: 0 of 20 chunks sent$/);
    expect(screen.slice(3)).toEqual([
      '  kept  committed uploads are untouched; this one was not committed',
      'after: cancelled',
    ]);
    expect(isCursorShown(session.written())).toBe(true);
  });

  it('shows the cursor when it is killed by another signal', async () => {
    const session = run('wait');
    await session.until('of 1 000 files');
    session.type('\u001c');
    await session.exited;

    expect(isCursorShown(session.written())).toBe(true);
  });

  it.each([
    [60, 15],
    [40, 6],
    [120, 40],
  ])('stays within %d columns and %d rows', async (columns, rows) => {
    const session = run('wait', {}, columns, rows);
    await session.until('%');
    await session.until('kept');
    await sleep(300);

    // A line that was wider than the window would have been wrapped, and the frame would be taller.
    const frame = (await session.screen()).slice(2);
    expect(frame.length).toBeLessThanOrEqual(rows - 1);
    expect(frame.filter((line) => line.includes('%'))).toHaveLength(1);
    session.type('\u0003');
    await session.exited;
    expect(session.written()).not.toContain('\u001b[3J');
  });

  it('follows the window, also one that becomes smaller than the frame, and spares the scrollback', async () => {
    const session = run('wait', {}, 120, 30);
    await session.until('of 1 000 files');

    await session.resize(70, 30);
    await session.seen((lines) => lines.at(-1)?.startsWith('ctrl+c') === true && !lines.some(isShardsRow));
    await session.resize(70, 4);
    await session.seen((lines) => !lines.some((line) => line.startsWith('ctrl+c')));
    await session.resize(100, 30);
    const during = await session.seen((lines) => lines.at(-1)?.startsWith('ctrl+c') === true);
    session.type('\u0003');
    await session.exited;

    expect(during.at(-4)).toMatch(/^[━╸─]{60,} .* of 1000 MiB/);
    expect(session.written()).not.toContain('\u001b[3J');
    const [last, kept, stopped] = (await session.screen()).toReversed();
    expect([last, kept?.slice(0, 7), stopped?.slice(0, 16)]).toEqual([
      'after: cancelled',
      '  kept ',
      '▲ Upload stopped',
    ]);
    expect(isCursorShown(session.written())).toBe(true);
  });

  it.each([
    ['narrower and wide again', [70, 120]],
    ['narrower in steps', [100, 80, 61]],
    ['back and forth without waiting', [70, 120, 65, 110, 70, 120]],
  ])('leaves no ghost lines when the window becomes %s', async (name, widths) => {
    const session = run('wait', {}, 120, 30);
    await session.until('of 1 000 files');

    for (const columns of widths) {
      await session.resize(columns, 30);
      if (!name.includes('without')) await session.seen((lines) => isFrame(lines.slice(2), columns));
    }
    const columns = widths.at(-1) ?? 0;
    const during = await session.seen((lines) => isFrame(lines.slice(-frameRows(columns)), columns));
    session.type('\u0003');
    await session.exited;

    expect(during.slice(0, 2)).toEqual(['before', 'owners are not kept \\x1b[31m']);
    expect(during).toHaveLength(2 + frameRows(columns));
    expect((await session.screen()).slice(0, 2)).toEqual(during.slice(0, 2));
    expect((await session.screen())[2]).toMatch(/^▲ Upload stopped/);
  });

  it('colours with the 16 foreground colours only, and not at all with NO_COLOR', async () => {
    const coloured = run('finish');
    await coloured.exited;
    const plain = run('finish', { NO_COLOR: '1' });
    await plain.exited;

    const codes = (text: string): string[] =>
      text.split('\u001b[').flatMap((part) => /^([\d;]*)m/.exec(part)?.[1] ?? []);
    expect(new Set(codes(coloured.written()))).toEqual(new Set(['36', '39', '2', '22']));
    expect(codes(plain.written())).toEqual([]);
  });

  it('draws with ASCII on a console without Unicode', async () => {
    const session = run('finish', { TERM: 'linux' });
    await session.exited;

    expect(session.written()).toMatch(/^\p{ASCII}*$/u);
  });

  it('loads Ink for the screen', async () => {
    const session = run('tell');
    await session.exited;

    expect((await session.screen()).at(-1)).toBe('ink was loaded');
  });

  it('writes plain lines where CI is set', async () => {
    const session = run('finish', { CI: 'true' });
    await session.exited;

    expect(session.written()).not.toContain('\u001b');
    expect(session.written()).toContain('upload plan: 1000 files');
  });
});

describe('without a terminal', () => {
  it('writes no escape codes and does not load Ink', async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program, 'tell']);

    expect(stdout).toBe('before\nafter: done\nink was not loaded\n');
    expect(stderr).toMatch(/upload done after/);
    expect(stderr).not.toContain('\u001b');
  });
});
