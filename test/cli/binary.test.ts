// The bundled program as a process: what only a real one can show.
import { execFile, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { spawn as spawnPty } from '@lydell/node-pty';
import { build, type Metafile } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { completionScript } from '../../src/cli/completion-script.js';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../..', import.meta.url));
let out = '';
let cli = '';
let metafile: Metafile;

beforeAll(async () => {
  // Below the repository, so that the packages left out of the bundle are found.
  await mkdir(join(repository, 'node_modules/.cache'), { recursive: true });
  out = await mkdtemp(join(repository, 'node_modules/.cache/archiver-cli-'));
  cli = join(out, 'main.js');
  ({ metafile } = await build({
    absWorkingDir: repository,
    entryPoints: { main: 'src/main.ts' },
    outdir: out,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    jsx: 'automatic',
    packages: 'external',
    metafile: true,
    logLevel: 'error',
  }));
});
afterAll(async () => {
  await rm(out, { recursive: true, force: true });
});

function staticImports(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const { path, kind } of metafile.outputs[file]?.imports ?? []) {
    if (kind === 'import-statement') staticImports(path, seen);
  }
  return seen;
}

describe('start', () => {
  test('only Node itself is loaded before a command runs', () => {
    const entry = Object.keys(metafile.outputs).find((file) => file.endsWith('/main.js')) ?? '';
    const loaded = [...staticImports(entry)].filter((path) => !path.endsWith('.js') && !path.startsWith('node:'));

    expect(loaded).toEqual([]);
  });

  test('the first line lets a shell start it', async () => {
    expect((await readFile(join(repository, 'src/cli.ts'), 'utf8')).split('\n')[0]).toBe('#!/usr/bin/env node');
  });
});

describe('as a process', () => {
  test('statuses and streams', () => {
    const call = (...args: string[]) => {
      const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8' });
      return { status, stdout, stderr };
    };
    const { version } = JSON.parse(
      spawnSync('cat', [join(repository, 'package.json')], { encoding: 'utf8' }).stdout,
    ) as {
      version: string;
    };

    expect(call('--version')).toEqual({ status: 0, stdout: `archiver ${version}\n`, stderr: '' });
    expect(call('nonsense')).toEqual({
      status: 2,
      stdout: '',
      stderr: '✗ "nonsense" is not a command\n  fix   archiver --help\n',
    });
    expect(call('completion', 'bash').stdout).toBe(completionScript('bash'));
  });

  test('a reader that goes away is no failure', async () => {
    const script = `"${process.execPath}" "${cli}" completion zsh | (exec 0<&-); echo "\${PIPESTATUS[0]}"`;
    const { stdout, stderr } = await run('bash', ['-c', script]);

    expect({ stdout, stderr }).toEqual({ stdout: '0\n', stderr: '' });
  });

  async function interrupted(signals: readonly NodeJS.Signals[], seconds: number) {
    const folder = await mkdtemp(join(tmpdir(), 'archiver-signal-'));
    try {
      const editor = join(folder, 'editor');
      await writeFile(editor, `#!/bin/sh\necho ready\nexec sleep ${seconds}\n`, { mode: 0o755 });
      const env = { PATH: process.env['PATH'] ?? '', HOME: folder, TMPDIR: folder, EDITOR: editor };
      const terminal = spawnPty(process.execPath, [cli, 'config', '--edit'], { env, cwd: folder });
      let text = '';
      const start = performance.now();
      return await new Promise<{ exitCode: number; text: string; seconds: number }>((resolve) => {
        terminal.onData((data) => {
          if (!text.includes('ready') && (text + data).includes('ready')) {
            signals.forEach((signal, index) => setTimeout(() => process.kill(terminal.pid, signal), index * 200));
          }
          text += data;
        });
        terminal.onExit(({ exitCode }) => resolve({ exitCode, text, seconds: (performance.now() - start) / 1000 }));
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  test('the first signal lets the command come to its end, with the status of the signal', async () => {
    const { exitCode, text } = await interrupted(['SIGTERM'], 1);

    expect([exitCode, text.includes('terminated')]).toEqual([143, true]);
  });

  test('the second signal ends it at once', async () => {
    const { exitCode, seconds } = await interrupted(['SIGINT', 'SIGINT'], 15);

    expect(exitCode).toBe(130);
    expect(seconds).toBeLessThan(10);
  });
});

describe('shell completion', () => {
  const bash = async (...words: string[]): Promise<string[]> => {
    const script = `
      archiver() { "${process.execPath}" "${cli}" "$@"; }
      eval "$(archiver completion bash)"
      COMP_LINE="archiver $*"; COMP_LINE="\${COMP_LINE// = /=}"; COMP_LINE="\${COMP_LINE/% =/=}"; COMP_POINT=\${#COMP_LINE}
      COMP_WORDS=(archiver "$@"); COMP_CWORD=$(( \${#COMP_WORDS[@]} - 1 ))
      compopt() { :; }
      _archiver
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await run('bash', ['-c', script, 'bash', ...words], { cwd: repository });
    return stdout.split('\n').filter((line) => line !== '');
  };

  test.each([
    [['comp'], ['completion']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish'],
    ],
    [
      ['config', '--val'],
      ['--validate', '--validate-detailed'],
    ],
    [['config', '--format', 'j'], ['json']],
    [['config', '--format', '=', 'j'], ['json']],
    [
      ['config', '--format', '='],
      ['yaml', 'json'],
    ],
    [
      ['config', '--file', 'packa'],
      ['package.json', 'package-lock.json'],
    ],
  ])('bash offers for %j', async (words, expected) => {
    expect((await bash(...words)).sort()).toEqual([...expected].sort());
  });

  test('bash completes as typed in a real interactive shell', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'archiver-bash-'));
    try {
      await writeFile(join(folder, 'archiver'), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`, {
        mode: 0o755,
      });
      const rc = 'PS1="> "; eval "$(archiver completion bash)"; echo loa""ded\n';
      await writeFile(join(folder, 'rc'), rc);
      const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}`, HOME: folder, TERM: 'dumb' };
      const terminal = spawnPty('bash', ['--noprofile', '--rcfile', join(folder, 'rc'), '-i'], { env, cwd: folder });
      let text = '';
      await new Promise<void>((resolve) => {
        terminal.onData((data) => {
          const before = text;
          text += data;
          if (!before.includes('loaded') && text.includes('loaded')) terminal.write('archiver config --format=js\t');
          if (!before.includes('--format=json') && text.includes('--format=json')) terminal.write('\u0003exit\r');
        });
        terminal.onExit(() => resolve());
        setTimeout(() => terminal.kill(), 8000).unref();
      });

      expect(text).toContain('archiver config --format=json');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test.each(['bash', 'zsh', 'fish'] as const)('the %s script is the one that was reviewed', async (shell) => {
    await expect(completionScript(shell)).toMatchFileSnapshot(`./completion.${shell}.txt`);
  });

  test.each(['bash', 'zsh', 'fish'] as const)('the %s script parses, where that shell is installed', async (shell) => {
    const file = join(out, `completion.${shell}`);
    await writeFile(file, completionScript(shell));
    const { error, status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
    if (error !== undefined) return;

    expect([status, stderr]).toEqual([0, '']);
  });
});
