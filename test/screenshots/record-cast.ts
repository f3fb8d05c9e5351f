// Half a minute with the built program in a shell, as an asciinema recording (asciicast v2).
import { execFileSync } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { spawn } from '@lydell/node-pty';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const [COLUMNS, ROWS] = [100, 28];
const PROMPT = '$ ';
const KEY_MS = 45;
const KEYS_MS = 420;

/** What is typed into the shell; keys of a screen are typed one by one, and then the next prompt is waited for. */
const SCRIPT: readonly { readonly line: string; readonly keys?: readonly string[] }[] = [
  { line: 'archiver sync ./photos ./store' },
  { line: 'archiver list ./store' },
  { line: 'archiver browse ./store', keys: ['j', 'j', ' ', 'j', ' ', '/', 'm', 'd', '\r', ' ', '\r', '\r', 'q'] },
  { line: 'archiver verify ./store --deep' },
  { line: 'archiver dashboard', keys: ['2', '3', '1', 'q'] },
];

/** The recording. @throws where no shell is found */
export async function recordCast(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'archiver-cast-'));
  try {
    await cp(join(ROOT, 'docs'), join(folder, 'photos'), { recursive: true });
    const shell = execFileSync('sh', ['-c', 'command -v bash'], { encoding: 'utf8' }).trim();
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      ARCHIVER_HOME: join(folder, '.archiver'),
      TERM: 'xterm-256color',
      LANG: 'C.UTF-8',
      TZ: 'UTC',
      PS1: PROMPT,
      CLI: join(ROOT, 'dist/cli.js'),
    };
    const terminal = spawn(shell, ['--norc', '--noprofile', '-i'], { cols: COLUMNS, rows: ROWS, cwd: folder, env });
    const events: [number, 'o', string][] = [];
    let begin = performance.now();
    let shown = '';
    terminal.onData((data) => {
      shown = (shown + data).slice(-200);
      events.push([Math.round(performance.now() - begin) / 1000, 'o', data]);
    });
    const type = async (keys: string, ms: number): Promise<void> => {
      for (const key of keys) {
        terminal.write(key);
        await sleep(ms);
      }
    };
    const prompt = async (): Promise<void> => {
      for (let tries = 0; !shown.endsWith(PROMPT); tries++) {
        if (tries > 1000) throw new Error(`no prompt after ${JSON.stringify(shown)}`);
        await sleep(20);
      }
    };
    terminal.write('archiver() { node "$CLI" "$@"; }; clear\r');
    await sleep(500);
    await prompt();
    events.length = 0;
    begin = performance.now();
    terminal.write('\u000c'); // what was typed before is not part of it
    for (const { line, keys = [] } of SCRIPT) {
      await type(line, KEY_MS);
      shown = '';
      terminal.write('\r');
      if (keys.length > 0) await sleep(1500);
      for (const key of keys) await type(key, KEYS_MS);
      await prompt();
      await sleep(700);
    }
    terminal.kill();
    const head = { version: 2, width: COLUMNS, height: ROWS, title: 'archiver', env: { TERM: 'xterm-256color' } };
    return `${[head, ...events].map((one) => JSON.stringify(one)).join('\n')}\n`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
