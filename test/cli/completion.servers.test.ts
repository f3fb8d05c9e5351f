// Completion in real shells, of names that would do harm if a shell took them for more than names.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn as spawnPty } from '@lydell/node-pty';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { archiver } from '../e2e/in-process.js';
import { missingTools } from '../e2e/upload-cli.js';
import { tempFolder } from '../support/temp-folder.js';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
/** What is typed, and what is to be offered. A line ends where the cursor is. */
const CASES: readonly (readonly [typed: string, offered: readonly string[]])[] = [
  ['comp', ['completion']],
  ['completion ', ['bash', 'fish', 'zsh']],
  ['config --val', ['--validate', '--validate-detailed']],
  ['config --format j', ['json']],
  ['config --format=j', ['--format=json']],
  ['dataset pr', ['prune']],
  ['config --file lette', ['letter.txt', 'letters/']],
  ['upload lette', ['letters/']],
  ['restore nas: --dataset ', ['lab']],
  ['restore nas: --version ', ['latest', 'v1']],
  ['restore nas: --file data/', ['data/$(touch pwned)', 'data/a "b\' c', 'data/run-1/']],
  ['restore n', ['nas:']],
];
let folder = '';
let store = '';
let env: NodeJS.ProcessEnv = {};

beforeAll(async () => {
  const home = await mkdtemp(join(tmpdir(), 'archiver-completion-'));
  store = join(home, 'store');
  mkdirSync(join(home, 'lab', 'data', 'run-1'), { recursive: true });
  for (const name of ['$(touch pwned)', 'a "b\' c', 'run-1/x']) writeFileSync(join(home, 'lab', 'data', name), '');
  const { status, stderr } = await archiver(home, ['sync', 'lab', store, '--dataset', 'lab', '--quiet']);
  if (status !== 0) throw new Error(stderr);
  return () => rm(home, { recursive: true });
});

beforeEach(async () => {
  folder = await tempFolder();
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'work', 'letters'), { recursive: true });
  writeFileSync(join(folder, 'work', 'letter.txt'), '');
  writeFileSync(join(folder, 'bin', 'archiver'), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`, {
    mode: 0o755,
  });
  writeFileSync(join(folder, '.archiver.yaml'), `stores:\n  nas:\n    url: ${store}\n`);
  env = { PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`, HOME: folder, TERM: 'dumb', LC_ALL: 'C.UTF-8' };
});

describe.skipIf(missingTools('fish').length > 0)('fish offers', () => {
  test.each(CASES)('for %j %j', (typed, offered) => {
    const script = `archiver completion fish | source; complete -C "archiver ${typed}"`;
    const { status, stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script], {
      cwd: join(folder, 'work'),
      env,
      encoding: 'utf8',
    });

    const words = stdout.split('\n').flatMap((line) => (line === '' ? [] : [line.split('\t')[0]]));
    expect([status, stderr]).toEqual([0, '']);
    expect(new Set(words)).toEqual(new Set(offered));
  });
});

/** What a tab makes of a line: what its only match is, or what its matches begin with. */
const TABBED: readonly (readonly [typed: string, completed: string])[] = [
  ['comp', 'completion '],
  ['completion z', 'completion zsh '],
  ['config --val', 'config --validate'],
  ['config --format j', 'config --format json '],
  ['config --format=j', 'config --format=json '],
  ['dataset pr', 'dataset prune '],
  ['config --file letter.', 'config --file letter.txt '],
  ['upload lette', 'upload letters/'],
  ['restore n', 'restore nas:'],
  ['restore nas: --dataset=l', 'restore nas: --dataset=lab '],
  ['restore nas: --file da', 'restore nas: --file data/'],
  ['restore nas: --file data/r', 'restore nas: --file data/run-1/'],
  ['restore nas: --file data/\\$', 'restore nas: --file data/\\$\\(touch\\ pwned\\) '],
  ['restore nas: --file data/a', 'restore nas: --file data/a\\ \\"b\\\'\\ c '],
  ['restore nas: --file data/a\\ \\"', 'restore nas: --file data/a\\ \\"b\\\'\\ c '],
];

describe.skipIf(missingTools('zsh').length > 0)('zsh completes', () => {
  test.each(TABBED)('%j to %j', async (typed, completed) => {
    const setUp = [
      'autoload -Uz compinit; compinit -u -D; eval "$(archiver completion zsh)"',
      'probe() { BUFFER="archiver $TYPED"; CURSOR=$#BUFFER; zle complete-word; print -r -- "$BUFFER" > ../completed }',
      "zle -N probe; bindkey '^X' probe; print re''ady",
    ];
    writeFileSync(join(folder, '.zshrc'), `${setUp.join('\n')}\n`);
    const terminal = spawnPty('zsh', ['-d', '-i'], { env: { ...env, TYPED: typed }, cwd: join(folder, 'work') });
    onTestFinished(() => terminal.kill());
    let text = '';
    terminal.onData((data) => void (text += data));
    // What is sent before the line editor reads comes to it all the same.
    await expect.poll(() => text).toContain('ready');
    terminal.write('\u0018');

    await expect
      .poll(() => readFileSync(join(folder, 'completed'), { encoding: 'utf8', flag: 'a+' }))
      .toBe(`archiver ${completed}\n`);
    expect(existsSync(join(folder, 'work', 'pwned'))).toBe(false);
  });
});

describe.skipIf(missingTools('bash').length > 0)('bash completes', () => {
  test.each(TABBED)('%j to %j', async (typed, completed) => {
    // What is on the line after the tab is shown by a key of its own.
    const setUp = [
      'PS1="> "; eval "$(archiver completion bash)"; bind "set enable-bracketed-paste off"',
      `probe() { printf '%s\\n' "$READLINE_LINE" > ../completed; }; bind -x '"\\C-x": probe'; echo re""ady`,
    ];
    writeFileSync(join(folder, 'rc'), `${setUp.join('\n')}\n`);
    const terminal = spawnPty('bash', ['--noprofile', '--rcfile', join(folder, 'rc'), '-i'], {
      env,
      cwd: join(folder, 'work'),
    });
    onTestFinished(() => terminal.kill());
    let text = '';
    terminal.onData((data) => void (text += data));
    await expect.poll(() => text, { timeout: 10_000 }).toContain('ready');
    terminal.write(`archiver ${typed}\t\u0018`);

    await expect
      .poll(() => readFileSync(join(folder, 'completed'), { encoding: 'utf8', flag: 'a+' }), { timeout: 10_000 })
      .toBe(`archiver ${completed}\n`);
    expect(existsSync(join(folder, 'work', 'pwned'))).toBe(false);
  });
});
