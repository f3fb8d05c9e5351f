// Completion in real fish and zsh; bash is everywhere, and in binary.test.ts.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawn as spawnPty } from '@lydell/node-pty';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
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
];
let folder = '';
let env: NodeJS.ProcessEnv = {};

beforeEach(async () => {
  folder = await tempFolder();
  mkdirSync(join(folder, 'bin'));
  mkdirSync(join(folder, 'work', 'letters'), { recursive: true });
  writeFileSync(join(folder, 'work', 'letter.txt'), '');
  writeFileSync(join(folder, 'bin', 'archiver'), `#!/bin/sh\nexec "${process.execPath}" "${cli}" "$@"\n`, {
    mode: 0o755,
  });
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
  });
});
