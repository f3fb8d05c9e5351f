// The shell as people have it: the built program in a real pseudo terminal, and scripts on its stdin.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { writeObjects } from '../support/make-dataset.js';
import { type FileSpec, makeArchive, UPLOAD_ID } from '../support/make-archive.js';
import { openSession, type TerminalSession } from '../support/terminal-session.js';
import { CLI, type Ran } from './upload-cli.js';

const ESC = '\u001b';
const COMMIT = '9f3c2e1'.padEnd(40, '0');
const BIG_LINES = 400_000;
const FILES: FileSpec[] = [
  { path: 'big.txt', content: Array.from({ length: BIG_LINES }, (_, n) => `${n}\n`).join('') },
  { path: 'data/binary', content: Buffer.from([0, 1, 2]) },
  { path: `data/${ESC}[31mred.txt`, content: `${ESC}[31mred\r\n` },
  { path: 'data/part-000.csv', content: 'one\ntwo\n', extra: { stage: 'featurize', commit: COMMIT } },
  { path: 'data/part-031.csv', content: 'x', chunk: 1, extra: { stage: 'featurize', commit: COMMIT } },
  { path: 'データ.txt', content: 'wide' },
  { path: 'readme.md', content: 'no line end' },
];

let folder = '';
let url = '';
let homes = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'archiver-test-'));
  url = `file://${join(folder, 'store')}/uploads/${UPLOAD_ID}`;
  const { objects } = makeArchive({
    files: FILES,
    bend: ({ chunks, source }) => {
      Object.assign(chunks[1] ?? {}, { storageClass: 'GLACIER' });
      Object.assign(source ?? {}, { path: '/lab/run-0411' });
    },
  });
  await writeObjects(join(folder, 'store'), objects);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Start {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly home?: string;
  readonly columns?: number;
  readonly rows?: number;
}

/** Starts a shell and waits for its prompt. */
async function start({ args = [url], env = {}, home, ...size }: Start = {}): Promise<TerminalSession> {
  const HOME = home ?? join(folder, `home-${homes++}`);
  const session = openSession([CLI, 'shell', ...args], {
    cwd: folder,
    env: { HOME, ARCHIVER_HOME: join(HOME, '.archiver'), ...env },
    ...size,
  });
  onTestFinished(() => session.kill('SIGKILL'));
  await session.until(args.length > 0 ? 'run-0411:/>' : 'archiver>');
  return session;
}

/** The screen once the line `after` was run and a prompt with nothing behind it is the last line again. */
async function prompted(session: TerminalSession, after: string): Promise<string[]> {
  let rows: string[] = [];
  const isBack = async (): Promise<boolean> => {
    rows = (await session.screen()).map((line) => line.trimEnd());
    const ran = rows.findLastIndex((row) => row.endsWith(`> ${after}`));
    return ran >= 0 && ran < rows.length - 1 && /^run-0411:\/\w*>$/.test(rows.at(-1) ?? '');
  };
  await expect.poll(isBack).toBe(true);
  return rows;
}

const script = (text: string, args: readonly string[] = [url]): Promise<Ran> =>
  new Promise((resolve) => {
    const HOME = join(folder, 'script-home');
    const env = { PATH: process.env['PATH'] ?? '', HOME, ARCHIVER_HOME: join(HOME, '.archiver') };
    const child = execFile(
      process.execPath,
      [CLI, 'shell', ...args],
      { cwd: folder, env, timeout: 150_000, maxBuffer: 2 ** 28 },
      (_, stdout, stderr) => resolve({ status: child.exitCode, stdout, stderr }),
    );
    child.stdin?.end(text);
  });

describe('a shell in a terminal', () => {
  it('looks like this', async () => {
    const session = await start({ columns: 120, rows: 40 });
    for (const line of ['ls data', 'cat data/part-000.csv', 'cd data', 'stat part-031.csv', 'stage list']) {
      session.type(`${line}\r`);
      await prompted(session, line);
    }
    session.type('cat part-\t\t');
    await session.until('part-000.csv  part-031.csv');

    const screen = (await session.screen()).map((line) => line.trimEnd().replaceAll(folder, '/mnt/backup'));
    await expect(`${screen.join('\n')}\n`).toMatchFileSnapshot('../../docs/screens/shell.txt');
  });

  it('takes held keys, arrows and what is pasted, however they come', async () => {
    const session = await start();
    session.type('cat xxxreadme.md\u007f\u007f\u007f.md');
    session.type(`${ESC}[H${ESC}[C${ESC}[C${ESC}[C${ESC}[C${ESC}[3~${ESC}[3~${ESC}[3~`);
    session.type(`${ESC}[F${ESC}[200~ データ\n.txt${ESC}[201~`);
    await session.until('run-0411:/> cat readme.md データ .txt');
    session.type('\u007f\u007f\u007f\u007f\u007f.txt\r');

    expect(await prompted(session, 'cat readme.md データ.txt')).toContain('no line endwide%');
  });

  it('runs lines that come in one chunk one after the other', async () => {
    const session = await start();
    session.type('cd data\rls *.csv\rcd ..\rpwd\r');

    const screen = await prompted(session, 'pwd');
    expect(screen.slice(-9)).toEqual([
      'run-0411:/> cd data',
      'run-0411:/data> ls *.csv',
      '  part-000.csv  8 B  featurize  9f3c2e1',
      'c part-031.csv  1 B  featurize  9f3c2e1',
      '  2 files, 9 B    c = cold, ask for a restore first',
      'run-0411:/data> cd ..',
      'run-0411:/> pwd',
      '/',
      'run-0411:/>',
    ]);
  });

  it('completes commands, paths and what several have in common', async () => {
    const session = await start();
    session.type('he\td\t');
    await session.until('run-0411:/> hed');
    session.type('\u0003hea\tda\tpart-0\t');
    await session.until('run-0411:/> head data/part-0');
    session.type('\t');
    await session.until('part-000.csv  part-031.csv');
    session.type('0\t1\r');
    await session.untilGone('part-000.csv  part-031.csv');

    expect((await prompted(session, 'head data/part-000.csv 1')).slice(-3)).toEqual([
      'run-0411:/> head data/part-000.csv 1',
      'one',
      'run-0411:/>',
    ]);
  });

  it('keeps the history for the next session, readable by nobody else', async () => {
    const home = join(folder, 'kept');
    const first = await start({ home });
    first.type('pwd\rls data\r');
    await prompted(first, 'ls data');
    first.type('\u0004');
    expect(await first.exited).toBe(0);

    const second = await start({ home });
    second.type(`draft${ESC}[A${ESC}OA`);
    await second.until('run-0411:/> pwd');
    second.type(`${ESC}[B${ESC}[B`);
    await second.until('run-0411:/> draft');

    const file = join(home, '.archiver/shell-history');
    expect(readFileSync(file, 'utf8')).toBe('pwd\nls data\n');
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  });

  it('shows nothing that steers the terminal', async () => {
    const session = await start({ env: { NO_COLOR: '1' } });
    session.type('ls data\rcat data/*red.txt data/binary\r');
    const screen = await prompted(session, 'cat data/*red.txt data/binary');

    expect(screen.some((line) => line.startsWith('  \\x1b[31mred.txt'))).toBe(true);
    expect(screen.slice(-4)).toEqual([
      '\\x1b[31mred',
      '✗ data/binary is not text',
      '  fix   get it, or send it elsewhere: cat FILE > LOCAL_FILE',
      'run-0411:/>',
    ]);
    // oxlint-disable-next-line no-control-regex
    expect(session.written()).not.toMatch(/\u001b\[3[0-7]m/);
  });

  it('stops a running command with ctrl+c, and only that', async () => {
    const session = await start();
    session.type('cat big.txt\r');
    await session.until(/^\d+$/);
    session.type('\u0003');
    await session.until('✗ interrupted');
    session.type('pwd\r');

    const screen = await prompted(session, 'pwd');
    expect(screen.slice(-3)).toEqual(['run-0411:/> pwd', '/', 'run-0411:/>']);
    expect(session.written()).not.toContain(`\n${BIG_LINES - 1}\r`);
  });

  it('clears the line with ctrl+c at the prompt, and the screen with ctrl+l', async () => {
    const session = await start();
    session.type('some words');
    await session.until('some words');
    session.type('\u0003pw');
    await session.until(/> pw *$/);
    session.type('\u000c');
    await expect.poll(session.screen).toEqual(['run-0411:/> pw ']);
    session.type('d\r');
    expect(await prompted(session, 'pwd')).toEqual(['run-0411:/> pwd', '/', 'run-0411:/>']);
  });

  it('lets a program of this computer have the terminal', async () => {
    const session = await start();
    session.type('cat big.txt | (read line; echo "first $line"; read key < /dev/tty; echo "typed $key")\r');
    await session.until('first 0');
    session.type('a key\r');
    await session.until('typed a key');
    await expect.poll(async () => (await session.screen()).at(-1)?.trimEnd()).toBe('run-0411:/>');
    expect((await session.screen()).at(-2)).toBe('typed a key');
  });

  it('draws one line in whatever window', async () => {
    const session = await start({ columns: 80, rows: 24 });
    session.type('cat some/long/path/of/an/archive/that/needs/all/of/the/eighty/cells');
    await session.until('eighty/cells');
    for (const [columns, rows] of [
      [60, 15],
      [200, 50],
      [30, 10],
      [80, 24],
    ] as const) {
      const drawn = session.written().length;
      session.resize(columns, rows);
      // As a person does it: the next size comes when the line was drawn for this one.
      await expect.poll(() => session.written().slice(drawn)).toContain('eighty/cells');
      await expect
        .poll(async () => (await session.screen()).filter((line) => line.includes('run-0411:/>')).length)
        .toBe(1);
      await session.until(/eighty\/cells/);
    }
    expect(session.written()).not.toContain(`${ESC}[3J`);
  });

  it.each([
    ['ctrl+d', 0],
    ['exit', 0],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('leaves the terminal clean after %s', async (how, status) => {
    const session = await start();
    session.type('pwd\r');
    await prompted(session, 'pwd');
    if (how === 'ctrl+d') session.type('\u0004');
    else if (how === 'exit') session.type('cat nope\rexit\r');
    else session.kill(how);

    expect(await session.exited).toBe(status);
    expect(session.isCursorShown()).toBe(true);
    const written = session.written();
    expect(written.lastIndexOf(`${ESC}[?2004l`)).toBeGreaterThan(written.lastIndexOf(`${ESC}[?2004h`));
  });

  it('ends while a command runs when it is told to', async () => {
    const session = await start();
    session.type('cat big.txt | sleep 100\r');
    await session.until('| sleep');
    session.kill('SIGTERM');
    expect(await session.exited).toBe(143);
  });

  it('runs every command of the program where no archive is named', async () => {
    const session = await start({ args: [] });
    session.type('lis\t');
    await session.until('archiver> list');
    session.type(`${url} --pattern "*.md" --co\t`);
    await session.until('--co');
    session.type(`\u0017\r`);
    await session.until(/ readme\.md$/);
    session.type(`restore ${url} out --file readme.md\r`);
    await session.until('✓ Restored 1 file');
    session.type('exit\r');
    expect(await session.exited).toBe(0);
    expect(readFileSync(join(folder, 'out/readme.md'), 'utf8')).toBe('no line end');
  });
});

describe('a shell without a terminal', () => {
  it('runs the lines of stdin, prompts for nothing, and ends as the last one did', async () => {
    const ran = await script('# look\ncd data\r\nls *.csv\ncat nope\ncat part-000.csv | tail -n 1\npwd > where\n');
    expect(ran.stdout).toBe(
      '  part-000.csv  8 B  featurize  9f3c2e1\nc part-031.csv  1 B  featurize  9f3c2e1\n' +
        '  2 files, 9 B    c = cold, ask for a restore first\ntwo\n',
    );
    expect(ran.stderr).toBe('✗ there is no nope in this archive\n  fix   ls\n');
    expect(ran.status).toBe(0);
    expect(readFileSync(join(folder, 'where'), 'utf8')).toBe('/data\n');
    expect((await script('pwd\ncat nope')).status).toBe(1);
  });

  it('ends lines where files of lines do, and nowhere else', async () => {
    const ran = await script("cat 'no\u2028pe'\ncat 'no\rpe'\npwd");
    expect([ran.status, ran.stdout]).toEqual([0, '/\n']);
    expect(ran.stderr.match(/^✗ .*$/gm)).toEqual([
      '✗ there is no no\\xe2\\x80\\xa8pe in this archive',
      expect.stringMatching(/^✗ there is no .*no.*pe.* in this archive$/),
    ]);
  });

  it('gives content as it is, and names as a terminal shows them', async () => {
    const ran = await script('find red\ncat data/*red.txt\n');
    expect(ran.stdout).toBe(`data/\\x1b[31mred.txt\n${ESC}[31mred\r\n`);
  });

  it('prints a large file whole', async () => {
    const { stdout } = await script('cat big.txt\n');
    expect(stdout === FILES[0]?.content).toBe(true);
  });

  it('runs commands of the program from stdin, and goes on after one that wants a terminal', async () => {
    const ran = await script(`list ${url} --pattern "*.md"\nscuttle file://${folder}/store\nhelp list\n`, []);
    expect(ran.stdout).toContain(' readme.md\n');
    expect(ran.stdout).toContain('archiver list');
    expect(ran.status).toBe(0);
  });
});
