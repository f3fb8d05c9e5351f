// The flags of every command that watch a run: each works, or is refused where it can do nothing.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { defineCommand } from '../../src/cli/command.js';
import type { Context } from '../../src/cli/context.js';
import { flag, kebab } from '../../src/cli/flag.js';
import { parseCommand } from '../../src/cli/parse-command.js';
import { commandsUnder } from '../../src/cli/tree.js';
import { cancelledError, usageError } from '../../src/core/platform/failures/errors.js';
import { program } from '../../src/commands/index.js';
import { letThreadsEnd } from '../support/keep-threads.js';
import { runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';
import { treeOf } from '../support/tree-of.js';

const root = program();

async function refusal(command: (typeof commands)[number][1], argv: readonly string[]): Promise<string | undefined> {
  try {
    await parseCommand(command, { argv, env: {}, config: () => Promise.resolve(() => undefined) });
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const commands = [...commandsUnder(root)].map((command) => [command.path, command] as const);

describe.each(commands)('%s', (_path, command) => {
  const own = command.flags ?? {};
  const args = (command.args ?? []).map((arg) => (arg.store === undefined ? arg.type.sample : 's3://abc'));
  const required = Object.entries(own).flatMap(([key, one]) =>
    one.required ? [`--${kebab(key)}=${one.type.sample}`] : [],
  );
  const refusedFor = async (...flags: readonly string[]): Promise<string> =>
    (await refusal(command, [...args, ...required, ...flags])) ?? '';

  it('takes what watches a run, and refuses what says more about it alone', async () => {
    for (const flags of [
      ['--log-file=./a.log', '--log-level=debug'],
      ['--pprof', '--allow-public-observability'],
      ['--self-profile'],
      ['--trace'],
      ['--verbose'],
      ...('pprofAddr' in own ? [] : [['--pprof', '--pprof-addr=localhost:0']]),
      ...('profile' in own ? [] : [['--profile']]),
    ])
      expect(await refusedFor(...flags)).not.toMatch(/is not a flag|can do nothing|wants true/);
    expect(await refusedFor('--log-level=debug')).toBe('--log-level can do nothing without --log-file');
    expect(await refusedFor('--allow-public-observability')).toMatch(
      /^--allow-public-observability can do nothing without --pprof(?: or --prometheus-addr)?$/,
    );
    const idleAddress = await refusedFor('--pprof-addr=localhost:0');
    expect(idleAddress === '--pprof-addr can do nothing without --pprof').toBe(!('pprofAddr' in own));
  });
});

/** Where profiles go without a folder, until the test ends. */
function tempFoldersIn(folder: string): void {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  onTestFinished(() => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  });
}

it('--self-profile writes what it has of a run that is interrupted', async () => {
  await letThreadsEnd();
  const folder = await tempFolder();
  tempFoldersIn(folder);
  const ending = new AbortController();
  const root = sample(async ({ signal }) => {
    ending.abort(cancelledError());
    await Promise.resolve();
    signal.throwIfAborted();
  });

  const { status, stderr } = await runCommand({ root, folder, signal: ending.signal }, ['toil', '--self-profile']);

  expect(status).toBe(130);
  const [, made = ''] = /profiles of this run are in (\S+):/.exec(stderr) ?? [];
  expect(dirname(made)).toBe(folder);
  expect(readdirSync(made).toSorted()).toEqual([
    'cpu-main.cpuprofile',
    'cpu.pb.gz',
    'heap-main.heapprofile',
    'heap.pb.gz',
  ]);
});

it('a name of the command is no value of a flag that is a switch here and takes a value elsewhere', async () => {
  const folder = await tempFolder();
  tempFoldersIn(folder);

  const own = await runCommand({ root, folder }, ['--profile', 'profile', 'list', '-d', '.']);
  const aws = await runCommand({ root, folder }, ['--profile', 'nobody', 'list', 'file:///x']);

  expect(own).toMatchObject({ status: 0, stdout: expect.stringContaining('no profiles') as string });
  expect(own.stderr).toContain('profiles of this run are in ');
  expect(aws.stderr).toContain('--profile can do nothing for file:///x');
});

const sample = (
  run: (context: Context) => Promise<number | void>,
  more = {},
  how: { readonly hasScreen?: true } = {},
) =>
  treeOf(
    [
      defineCommand({
        path: 'toil',
        summary: 'a command that works',
        flags: { region: flag.text({ describe: 'a region' }), ...more },
        examples: ['archiver toil'],
        exits: { 0: 'done' },
        ...how,
        run: async (_values, _args, context: Context) => await run(context),
      }),
    ],
    [],
    'a program',
  );

const operation = async (context: Context): Promise<void> => {
  const { runWithProgress } = await import('../../src/cli/progress.js');
  await runWithProgress(context, { progressFormat: 'none' }, async (emit) => {
    emit({ type: 'start', operation: 'upload', source: '/a', target: 's3://abc' });
    emit({ type: 'phase', phase: 'scanning' });
    emit({ type: 'skip', path: 'b', reason: 'denied' });
    await Promise.resolve();
  });
};

const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

describe('the log', () => {
  it('has the beginning, the events, what people are told, and the end', async () => {
    const folder = await tempFolder();
    const root = sample(async (context) => {
      context.note('a note');
      context.warn('a warning');
      context.debug('a detail');
      await operation(context);
      return 3;
    });

    const { status, stderr } = await runCommand({ root, folder }, ['toil', '--log-file', 'a.log', '--quiet']);

    expect({ status, stderr }).toEqual({ status: 3, stderr: '! a warning\n' });
    expect(linesOf(readFileSync(join(folder, 'a.log'), 'utf8'))).toMatchObject([
      { command: 'toil', event: 'begin', level: 'info', pid: process.pid },
      { event: 'message', level: 'info', message: 'a note' },
      { event: 'message', level: 'warn', message: 'a warning' },
      { event: 'start', operation: 'upload', source: '/a', target: 's3://abc' },
      { event: 'phase', phase: 'scanning' },
      { event: 'skip', level: 'warn', path: 'b', message: 'denied' },
      { event: 'end', outcome: 'done' },
      { event: 'exit', level: 'error', exitStatus: 3 },
    ]);
  });

  it('has the failure that ended the run, and its stack where that is asked for', async () => {
    const folder = await tempFolder();
    const root = sample(() => Promise.reject(usageError('not so: token=abc', 'like this')));

    const { status } = await runCommand({ root, folder }, ['toil', '--log-file=a.log', '--log-level=debug']);

    expect(status).toBe(2);
    const [, exit, stack] = linesOf(readFileSync(join(folder, 'a.log'), 'utf8'));
    expect(exit).toMatchObject({
      event: 'exit',
      exitStatus: 2,
      code: 'usage',
      message: 'not so: token=(hidden)',
      hint: 'like this',
    });
    expect(stack).toMatchObject({ event: 'stack', level: 'debug' });
  });

  it('has the events of calls within the call, each once', async () => {
    const folder = await tempFolder();
    let isOuter = true;
    const root = sample(async (context) => {
      if (!isOuter) return await operation(context);
      isOuter = false;
      const { stdin, stdout, stderr, signal } = context;
      return await context.runCall(['toil'], { stdin, stdout, stderr, signal });
    });

    await runCommand({ root, folder, env: { ARCHIVER_LOG_FILE: 'a.log' } }, ['toil']);

    expect(linesOf(readFileSync(join(folder, 'a.log'), 'utf8')).map(({ event }) => event)).toEqual([
      'begin',
      'start',
      'phase',
      'skip',
      'end',
      'exit',
    ]);
  });

  it('comes from the config file, too, and a call that cannot log is refused', async () => {
    const folder = await tempFolder();
    writeFileSync(join(folder, '.archiver.yaml'), 'defaults:\n  logFile: a.log\n');
    await runCommand({ root: sample(operation), folder, env: { ARCHIVER_CONFIG: '.archiver.yaml' } }, ['toil']);
    expect(linesOf(readFileSync(join(folder, 'a.log'), 'utf8')).at(-1)).toMatchObject({ event: 'exit', exitStatus: 0 });

    mkdirSync(join(folder, 'sub'));
    const { status, stderr } = await runCommand({ root: sample(operation), folder }, ['toil', '--log-file=sub']);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringContaining('cannot be written: EISDIR') as string,
    });
  });
});

it('no file opens anything to other computers', async () => {
  const folder = await tempFolder();
  writeFileSync(join(folder, '.archiver.yaml'), 'defaults:\n  pprof: true\n  allowPublicObservability: true\n');

  const env = { ARCHIVER_CONFIG: '.archiver.yaml' };
  const { status, stderr } = await runCommand({ root: sample(operation), folder, env }, ['toil']);

  expect(status).toBe(2);
  expect(stderr).toContain('allowPublicObservability');
});

it('--trace writes a line for each event', async () => {
  const folder = await tempFolder();

  const { stderr } = await runCommand({ root: sample(operation), folder, now: () => new Date(0) }, ['toil', '--trace']);

  expect(stderr).toBe(
    [
      '· 0.00 s start operation="upload" source="/a" target="s3://abc"',
      '· 0.00 s phase phase="scanning"',
      '· 0.00 s skip denied path="b"',
      '· 0.00 s end outcome="done"',
      '',
    ].join('\n'),
  );
});

it.each([
  [{ hasScreen: true }, [], /^the screen\n· .* start .*\n(?:·.*\n){3}$/],
  [{}, [], /^(?:·.*\n){4}the screen\n$/],
  [{ hasScreen: true }, undefined, /^(?:·.*\n){4}the screen\n$/],
] as const)(
  '--trace of a command with %j and %j typed on a terminal: lines wait for its screen',
  async (how, answers, order) => {
    const folder = await tempFolder();
    const shown = async (context: Context): Promise<void> => {
      await operation(context);
      context.stderr.write('the screen\n');
    };

    const { stderr } = await runCommand({ root: sample(shown, {}, how), folder, answers }, ['toil', '--trace']);

    expect(stderr).toMatch(order);
  },
);

describe('--pprof', () => {
  it('serves while the command runs, and says where', async () => {
    const folder = await tempFolder();
    let answered: number | undefined;
    let told = '';
    const root = sample(async () => {
      answered = await new Promise((resolve, reject) => {
        get(`${at()}cmdline`, (response) => {
          response.resume();
          resolve(response.statusCode);
        }).on('error', reject);
      });
    });
    const at = (): string => /http:\S+/.exec(told)?.[0] ?? '';
    const { stderr } = await runCommand({ root, folder, onStderr: (text) => (told += text) }, [
      'toil',
      '--pprof',
      '--pprof-addr=localhost:0',
    ]);

    expect(answered).toBe(200);
    expect(stderr).toMatch(/^profiles of this run are at http:\/\/127\.0\.0\.1:\d+\/debug\/pprof\/\n$/);
    await expect(
      new Promise((resolve, reject) => get(at(), { agent: false }, resolve).on('error', reject)),
    ).rejects.toMatchObject({
      code: 'ECONNREFUSED',
    });
  });

  it.each(['0.0.0.0:0', '[::]:0', ':0'])('is refused at %s, and the command does not begin', async (address) => {
    const folder = await tempFolder();
    let hasBegun = false;
    const root = sample(() => {
      hasBegun = true;
      return Promise.resolve();
    });

    const { status, stderr } = await runCommand({ root, folder }, ['toil', '--pprof', `--pprof-addr=${address}`]);

    expect({ status, hasBegun }).toEqual({ status: 2, hasBegun: false });
    expect(stderr).toContain('asks for no password');
  });

  it('is refused where the port is in use', async () => {
    const folder = await tempFolder();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;

    const run = await runCommand({ root: sample(operation), folder }, [
      'toil',
      '--pprof',
      `--pprof-addr=localhost:${port}`,
    ]);

    expect(run.status).toBe(2);
    expect(run.stderr).toContain(`127.0.0.1:${port} is in use by another program`);
    await new Promise((resolve) => server.close(resolve));
  });
});
