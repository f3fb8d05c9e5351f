// `archiver context` and what `archiver` without a command does, as processes.
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { rememberStore } from '../../src/core/context/remember-store.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver, CLI, type Ran } from './upload-cli.js';

const json = ({ stdout }: Ran): Record<string, unknown> => JSON.parse(stdout) as Record<string, unknown>;
const switchTo = (home: string, name: string): Promise<Ran> => archiver(home, ['context', 'switch', name]);

/** One call with this on stdin; `null` for a stdin that is nothing. */
function typed(
  home: string,
  args: readonly string[],
  input: string | null,
  env: Record<string, string> = {},
): Promise<Ran> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [CLI, ...args], {
      env: { PATH: process.env['PATH'] ?? '', HOME: home, ...env },
      cwd: home,
      stdio: [input === null ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    });
    const texts = { stdout: '', stderr: '' };
    child.stdout?.on('data', (data: Buffer) => (texts.stdout += data.toString()));
    child.stderr?.on('data', (data: Buffer) => (texts.stderr += data.toString()));
    child.once('close', (status) => resolve({ status, ...texts }));
    child.stdin?.end(input ?? '');
  });
}

describe('archiver context', () => {
  test('is local until it is switched, and again when it is reset', async () => {
    const home = await tempFolder();
    const shown = async (): Promise<string> => (await archiver(home, ['context'])).stdout;

    expect(await shown()).toBe('local\n');
    expect((await switchTo(home, 'repl')).stdout).toMatch(/^context repl: /);
    expect(await shown()).toBe('repl\n');
    expect((await archiver(home, ['context', 'list'])).stdout).toMatch(/^ {2}local .*\n\* repl /);
    expect((await archiver(home, ['context', 'reset'])).stdout).toMatch(/^context local; removed /);
    expect([await shown(), existsSync(join(home, '.archiver-context'))]).toEqual(['local\n', false]);
  });

  test('comes from --context, then ARCHIVER_CONTEXT, then the file', async () => {
    const home = await tempFolder();
    const env = { ARCHIVER_CONTEXT: 'local' };
    await switchTo(home, 'repl');

    expect(json(await archiver(home, ['context', 'show', '--json']))).toMatchObject({
      context: 'repl',
      setBy: join(home, '.archiver-context'),
    });
    expect(json(await archiver(home, ['context', '--json'], { env }))).toMatchObject({
      context: 'local',
      setBy: 'ARCHIVER_CONTEXT',
    });
    expect(json(await archiver(home, ['context', '--context', 'repl', '--json'], { env }))).toMatchObject({
      context: 'repl',
      setBy: '--context',
    });
    expect((await archiver(home, ['context', 'switch', 'repl'], { env })).stderr).toContain('ARCHIVER_CONTEXT is set');
  });

  test('show has the folder, the file and the stores that were opened', async () => {
    const home = await tempFolder();
    const file = join(home, '.archiver-context');
    expect((await archiver(home, ['context', 'show'])).stdout).toBe(
      `context  local (default)\nfolder   ${home}\nfile     ${file}\nstores   none was opened yet\n`,
    );
    await rememberStore(file, { url: 's3://one' });
    await rememberStore(file, { url: 's3://two', region: 'eu-west-1', endpointUrl: 'http://localhost:9000' });

    const { stdout } = await archiver(home, ['context', 'show']);

    expect(stdout.split('\n').slice(-3)).toEqual([
      'stores   s3://two (eu-west-1, http://localhost:9000)',
      '         s3://one',
      '',
    ]);
  });

  test('of a damaged file says how to go on', async () => {
    const home = await tempFolder();
    writeFileSync(join(home, '.archiver-context'), 'repl\n');

    const { status, stderr } = await archiver(home, ['context']);

    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/\.archiver-context is damaged.*archiver context reset/s),
    ]);
    expect((await switchTo(home, 'repl')).status).toBe(1);
    expect((await archiver(home, ['context', 'reset'])).status).toBe(0);
    expect((await archiver(home, ['context'])).stdout).toBe('local\n');
  });

  test.each([['switch', 'shell'], ['switch'], ['show', '--context', 'cloud']])('%j is refused', async (...args) => {
    const { status, stderr } = await archiver(await tempFolder(), ['context', ...args]);

    expect([status, stderr]).toEqual([2, expect.stringMatching(/CONTEXT|context/)]);
  });
});

describe('archiver without a command', () => {
  test('prints help in the context local', async () => {
    const home = await tempFolder();

    expect((await archiver(home, [])).stdout).toMatch(/^archiver/);
    await switchTo(home, 'repl');
    const { status, stdout } = await archiver(home, ['--context', 'local']);
    expect([status, stdout]).toEqual([0, expect.stringMatching(/COMMANDS/i)]);
  });

  test('starts the shell in the context repl, and runs what stdin says', async () => {
    const home = await tempFolder();
    await switchTo(home, 'repl');

    const { status, stdout } = await typed(home, [], 'context list\n');

    expect([status, stdout]).toEqual([0, expect.stringMatching(/^\* repl /m)]);
    expect((await typed(home, ['--version'], null)).stdout).toMatch(/^archiver \d/);
    expect((await typed(home, ['--help'], null)).status).toBe(0);
  });

  test.each<[string[], Record<string, string>]>([
    [['--context', 'repl'], {}],
    [[], { ARCHIVER_CONTEXT: 'repl' }],
  ])('is refused in the context repl where nobody can type: %j %j', async (args, env) => {
    const { status, stderr } = await typed(await tempFolder(), args, null, env);

    expect([status, stderr]).toEqual([2, expect.stringMatching(/no terminal and nothing on stdin.*--context local/s)]);
  });

  test('refuses a context that is none, from wherever it comes', async () => {
    const home = await tempFolder();

    expect((await archiver(home, ['--context', 'cloud'])).status).toBe(2);
    expect(await archiver(home, [], { env: { ARCHIVER_CONTEXT: 'cloud' } })).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('ARCHIVER_CONTEXT') as string,
    });
  });
});

test('a command that is named runs the same in every context', async () => {
  const home = await tempFolder();
  await switchTo(home, 'repl');

  expect((await archiver(home, ['completion', 'bash'])).status).toBe(0);
  expect((await archiver(home, ['completion', 'bash', '--context', 'local'])).status).toBe(0);
});

test('the config file cannot set it', async () => {
  const home = await tempFolder();
  writeFileSync(join(home, '.archiver.yaml'), 'defaults:\n  context: repl\n');

  const { status, stderr } = await archiver(home, ['restore', 'jobs', 'list']);

  expect([status, stderr]).toEqual([2, expect.stringContaining('defaults.context')]);
});
