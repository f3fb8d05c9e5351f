// What a command prints goes to a full disk, or stdout is closed: it says so and does not end with 0. Runs the built
// program as a shell does.
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { commandsUnder, type Node } from '../../src/cli/tree.js';
import { program } from '../../src/commands/index.js';
import { archiver } from './in-process.js';
import { CLI, missingTools, onlyUpload, uploadJson } from './upload-cli.js';

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const SINKS = { 'a full disk': '"$0" "$@" > /dev/full', 'a closed stdout': '"$0" "$@" >&-' };
const REASONS = { 'a full disk': 'no space is left on the device', 'a closed stdout': 'it is closed' };
type Sink = keyof typeof SINKS;
const sinks = Object.keys(SINKS) as Sink[];

let folder = '';
let home = '';
let base = '';
let url = '';

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'archiver-test-'));
  home = join(folder, 'home');
  const source = join(folder, 'source');
  base = `file://${join(folder, 'store')}`;
  mkdirSync(join(source, 'out'), { recursive: true });
  mkdirSync(home);
  writeFileSync(join(source, 'a.txt'), 'a line\n'.repeat(1000));
  writeFileSync(join(source, 'out', 'b.txt'), 'made');
  writeFileSync(join(source, 'dvc.yaml'), 'stages:\n  make:\n    cmd: ./make\n    outs:\n      - out\n');
  await uploadJson(home, [source, base, '--dataset-id', 'data', '--dvc-auto']);
  url = `${base}/uploads/${onlyUpload(join(folder, 'store')).split('/').at(-1) ?? ''}`;
  writeFileSync(join(source, 'a.txt'), 'other\n');
  await uploadJson(home, [source, base, '--dataset-id', 'data', '--dvc-auto']);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs a line of the shell in which `"$0" "$@"` is the program. */
function sh(line: string, args: readonly string[], input = ''): Promise<Ran> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, ARCHIVER_HOME: join(home, '.archiver') };
  return new Promise((resolve) => {
    const options = { env, cwd: folder, timeout: 150_000 };
    const child = execFile('/bin/sh', ['-c', line, CLI, ...args], options, (_, stdout, stderr) =>
      resolve({ status: child.exitCode, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

/** What is wrong with how a command ended whose output went nowhere; empty when nothing is. */
async function faultOf(sink: Sink, args: readonly string[], input = ''): Promise<string> {
  const { status, stderr } = await sh(SINKS[sink], args, input);
  const said = stderr.split('\n').filter((line) => line.includes('cannot write to standard output'));
  const isTold = said.length === 1 && said[0]?.includes(REASONS[sink]) === true;
  return status === 1 && isTold ? '' : `${args.join(' ')}: status ${status}, ${stderr}`;
}

async function faultsOf(sink: Sink, calls: readonly (readonly string[])[]): Promise<string[]> {
  const faults: string[] = [];
  const left = [...calls];
  const worker = async (): Promise<void> => {
    for (let args = left.shift(); args !== undefined; args = left.shift()) faults.push(await faultOf(sink, args));
  };
  await Promise.all([worker(), worker()]);
  return faults.filter((fault) => fault !== '');
}

let printing: Promise<string[][]> | undefined;

/** The commands that print something when they are called without any argument, each time. */
async function printingAlone(): Promise<string[][]> {
  const calls: string[][] = [];
  for (const { path } of commandsUnder(program())) {
    // It makes its keys once; the other takes seconds.
    if (path === 'fleetagent config-keygen' || path === 'benchmark') continue;
    for (const args of [path.split(' '), [...path.split(' '), '--json']]) {
      const { status, stdout } = await archiver(home, args, { cwd: folder });
      if (status === 0 && stdout !== '') calls.push(args);
    }
  }
  return calls;
}

function* nodes(node: Node): Generator<Node> {
  yield node;
  for (const child of node.children.values()) yield* nodes(child);
}

describe.each(sinks)('to %s', (sink) => {
  // All are printed by the same lines, so a few of them, commands and groups, go to each sink.
  it('the help of commands and groups fails', async () => {
    const all = [...nodes(program())].map(({ words }) => [...words, '--help']);
    const calls = all.filter((_, index) => index % 16 === sinks.indexOf(sink));

    expect(calls.length).toBeGreaterThan(4);
    expect(await faultsOf(sink, calls)).toEqual([]);
  });

  it('every command fails that prints something without a store', async () => {
    const calls = await (printing ??= printingAlone());

    const found = calls.map((args) => args.join(' '));
    expect(found).toEqual(expect.arrayContaining(['context show', 'resume list', 'restore jobs list --json']));
    expect(await faultsOf(sink, calls)).toEqual([]);
  });

  it('what else needs no store fails', async () => {
    const calls = [
      ['--version'],
      ['help', 'upload'],
      ['--help', '--json'],
      ['completion', 'bash'],
      ['__complete', '--', 'dataset', ''],
      ['config', '--show'],
      ['config', '--show', '--json'],
      ['config', '--generate'],
    ];

    expect(await faultsOf(sink, calls)).toEqual([]);
  });

  it('commands that read an archive fail', async () => {
    const calls = [
      ['list', url],
      ['list', url, '--json'],
      ['info', url],
      ['info', url, '--json'],
      ['verify', url],
      ['verify', url, '--json'],
      ['dataset', 'list', base],
      ['dataset', 'versions', base, '--dataset-id', 'data'],
      ['dataset', 'versions', base, '--dataset-id', 'data', '--json'],
      ['dataset', 'diff', base, '--dataset-id', 'data', '--from', '1', '--to', '2'],
      ['dataset', 'diff', base, '--dataset-id', 'data', '--from', '1', '--to', '2', '--json'],
      ['dvc', 'stages', url],
      ['dvc', 'stages', url, '--json'],
      ['shell', url, '--command', 'cat a.txt'],
      ['shell', url, '--command', 'ls'],
      ['shell', url, '--command', 'help'],
      ['shell', '--command', 'resume list'],
    ];

    expect(await faultsOf(sink, calls)).toEqual([]);
  });

  it('a script on stdin fails, also when its last line prints nothing', async () => {
    expect(await faultOf(sink, ['shell', url], 'pwd\n')).toBe('');
    expect((await sh(SINKS[sink], ['shell', url], 'ls\ncd out\n')).status).toBe(1);
  });

  it.each([[[]], [['--json']]])('restore %j says that it has done its work', async (extra) => {
    const target = join(folder, `restored-${sinks.indexOf(sink)}-${extra.length}`);
    const { status, stderr } = await sh(SINKS[sink], [
      'restore',
      url,
      target,
      '--all',
      '--progress-format',
      'none',
      ...extra,
    ]);

    expect(status).toBe(1);
    expect(stderr).toContain('the command has done its work, only what it prints is lost');
    expect(readFileSync(join(target, 'out', 'b.txt'), 'utf8')).toBe('made');
  });

  it('a failure that --json cannot print is told on stderr', async () => {
    const { status, stderr } = await sh(SINKS[sink], ['info', `${url}0`, '--json']);

    expect(status).toBe(1);
    expect(stderr).toContain(`${url.split('/').at(-1) ?? ''}0`);
  });

  it('a command that prints nothing is well', async () => {
    expect(await sh(SINKS[sink], ['shell', url, '--command', 'cd out'])).toEqual({ status: 0, stdout: '', stderr: '' });
  });
});

describe('a file as stdout', () => {
  it('that takes only the first part of the last write is a failure', async () => {
    const limited = 'ulimit -f 1; exec "$0" "$@" > cut-off.txt';
    const { status, stderr } = await sh(limited, ['upload', '--help']);

    expect(status).toBe(1);
    expect(stderr).toContain(
      'cannot write to standard output: the file is larger than the file system or a limit allows',
    );
  });

  it('has all that is printed, and what a pipe of the shell prints in its place', async () => {
    const lines = 'cat a.txt | head -n 1\npwd\ncat out/b.txt\n';
    const { status, stderr } = await sh('"$0" "$@" > whole.txt', ['shell', url], lines);

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(readFileSync(join(folder, 'whole.txt'), 'utf8')).toBe('a line\n/\nmade');
  });

  it.skipIf(missingTools('strace').length > 0)('whose disk fails when it is written or closed', async () => {
    for (const call of ['write', 'close']) {
      const traced = `: > eio.txt; strace -f -qq -o trace.txt -P eio.txt -e trace=${call} -e inject=${call}:error=EIO`;
      const { status, stderr } = await sh(`${traced} "$0" "$@" > eio.txt`, ['info', url]);

      expect([call, status]).toEqual([call, 1]);
      expect(stderr).toContain('cannot write to standard output: the device reports an input/output error');
    }
  });
});

it('a reader that has seen enough is no failure', async () => {
  onTestFinished(() => rmSync(join(folder, 'status'), { force: true }));
  const { stderr } = await sh('{ "$0" "$@"; echo $? > status; } | head -n 1', ['shell', url, '--command', 'cat a.txt']);

  expect(stderr).toBe('');
  expect(readFileSync(join(folder, 'status'), 'utf8')).toBe('0\n');
});
