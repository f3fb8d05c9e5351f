import { PassThrough, Writable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Context } from '../../src/cli/context.js';
import { ArchiverError, cancelledError } from '../../src/core/platform/failures/errors.js';
import { documentParts } from '../../src/commands/kit/pieces.js';
import { jsonOf } from '../../src/core/platform/json/document.js';
import { callUpload, runSample, sampleTree, type Call } from './sample-tree.js';

const runWith = (
  run: (call: Call) => Promise<number | void> | number | void,
  argv: readonly string[] = [],
  extra = {},
) => runSample(['upload', 'dir', ...argv], sampleTree(run), extra);
const withContext = (
  use: (context: Context<string>) => Promise<void> | void,
  argv: readonly string[] = [],
  extra = {},
) => runWith(async ({ context }) => use(context), argv, extra);

describe('finding the command', () => {
  test.each([
    [['restore', 'jobs', 'list'], { path: 'restore jobs list', args: [] }],
    [['restore', 'x'], { path: 'restore', args: ['x'] }],
    [['restore', '--', 'jobs'], { path: 'restore', args: ['jobs'] }],
    [
      ['--verbose', 'cost', '--color', 'never', 'forecast', '--days', '8'],
      { path: 'cost forecast', values: { days: 8 } },
    ],
    [['cost', '--days', '9', 'forecast'], { path: 'cost forecast', values: { days: 9 } }],
    [['--memory-limit', '2MiB', 'restore', 'x'], { path: 'restore', args: ['x'] }],
    [['cost', '--days=9', 'forecast'], { values: { days: 9 } }],
  ])('%j', async (argv, expected) => {
    const { status, stdout, stderr } = await runSample(['--json', ...argv]);

    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject(expected);
  });

  test.each([
    [['uplaod'], '"uplaod" is not a command; did you mean "upload"?', 'archiver --help'],
    [['cost', 'forcast'], '"cost forcast" is not a command; did you mean "forecast"?', 'archiver cost --help'],
    [['cost'], 'archiver cost needs one of: forecast', 'archiver cost --help'],
    [['restore', 'jobs'], 'archiver restore jobs needs one of: clean, list', 'archiver restore jobs --help'],
    [['xyzzy'], '"xyzzy" is not a command', 'archiver --help'],
    [['--nonsense'], '--nonsense is not a flag here', 'archiver --help'],
    [['--vesion'], '--vesion is not a flag here; did you mean --version?', 'archiver --help'],
    [['uplaod', '--dry-run'], '"uplaod" is not a command; did you mean "upload"?', 'archiver --help'],
    [['--color', 'never', 'uplaod'], '"uplaod" is not a command; did you mean "upload"?', 'archiver --help'],
    [['upload', '--versio'], '--versio is not a flag here; did you mean --version?', 'archiver upload --help'],
    [['help', 'cost', 'x'], '"cost x" is not a command', 'archiver cost --help'],
  ])('%j is refused', async (argv, message, hint) => {
    const { status, stdout, stderr } = await runSample(argv);

    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toBe(`✗ ${message}\n  fix   ${hint}\n`);
  });

  test('a usage error is one JSON document wherever --json stands', async () => {
    for (const argv of [
      ['--json', 'uplaod'],
      ['upload', '--json', '--nonsense'],
      ['upload', '--nonsense', '--json'],
      ['cost', '--json'],
    ]) {
      const { status, stdout, stderr } = await runSample(argv);

      expect({ status, stderr }).toEqual({ status: 2, stderr: '' });
      const { error } = JSON.parse(stdout) as { error: { code: string; message: string; hint: string } };
      expect(error.code).toBe('usage');
      expect(error.hint).toMatch(/^archiver .*--help$/);
    }
  });

  test('--version is of the program alone', async () => {
    expect(await runSample(['--version'])).toEqual({ status: 0, stdout: 'archiver 1.2.3\n', stderr: '' });
    expect((await runSample(['--version', '--json'])).stdout).toBe('{"schemaVersion":2,"programVersion":"1.2.3"}\n');
  });
});

describe('results', () => {
  test('the text goes to stdout, notes and warnings to stderr', async () => {
    const ran = await withContext(async (context) => {
      context.note('a note\u001b[2J');
      context.warn('careful');
      await context.print('row 1\n');
      context.result({ rows: 1 }, () => 'done\n');
    });

    expect(ran).toEqual({ status: 0, stdout: 'row 1\ndone\n', stderr: 'a note\\x1b[2J\n! careful\n' });
  });

  test('with --json only the document is on stdout, and --quiet keeps warnings', async () => {
    const ran = await withContext(
      async (context) => {
        context.note('a note');
        context.warn('careful');
        await context.print('row 1\n');
        context.result({ rows: 1 }, () => 'done\n');
      },
      ['--json', '--quiet'],
    );

    expect(ran).toEqual({ status: 0, stdout: '{"schemaVersion":2,"rows":1}\n', stderr: '! careful\n' });
  });

  test('a failure after the result leaves one document: the failure', async () => {
    const { status, stdout } = await withContext(
      (context) => {
        context.result({ rows: 1 }, () => '');
        throw new ArchiverError('store', 'gone');
      },
      ['--json'],
    );

    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      schemaVersion: 2,
      error: { code: 'store', message: 'gone', hint: null },
    });
  });

  test('a large document can be streamed', async () => {
    const parts = documentParts({}, { a: () => [jsonOf(1)] });

    expect((await withContext((context) => context.streamDocument(parts), ['--json'])).stdout).toBe(
      '{"schemaVersion":2,"a":[1]}\n',
    );
    expect((await withContext((context) => context.streamDocument(parts))).stdout).toBe('');
  });

  test('a command that forgets its document is an internal error', async () => {
    const { status, stdout } = await withContext(() => undefined, ['--json']);

    expect(status).toBe(1);
    expect(stdout).toContain('upload ended without its JSON document');
  });

  test('two results are an internal error', async () => {
    const { status, stderr } = await withContext((context) => {
      context.result({}, () => '');
      context.result({}, () => '');
    });

    expect(status).toBe(1);
    expect(stderr).toContain('one result');
  });

  test('the status of the command is the status of the process', async () => {
    expect((await runWith(() => 3)).status).toBe(3);
    const withDocument = ({ context }: Call): number => {
      context.result({}, () => '');
      return 3;
    };
    expect(await runWith(withDocument, ['--json'])).toEqual({ status: 3, stdout: '{"schemaVersion":2}\n', stderr: '' });
  });

  test('print waits until a slow reader has taken the text', async () => {
    const order: string[] = [];
    class Slow extends Writable {
      constructor() {
        super({ highWaterMark: 1 });
      }
      override _write(chunk: Buffer, _encoding: string, done: () => void): void {
        setImmediate(() => {
          if (chunk.length > 0) order.push(`written ${chunk.toString().trim()}`);
          done();
        });
      }
    }
    await withContext(
      async (context) => {
        await context.print('1\n');
        order.push('after 1');
        await context.print('2\n');
        order.push('after 2');
      },
      [],
      { stdout: new Slow() },
    );

    expect(order).toEqual(['written 1', 'after 1', 'written 2', 'after 2']);
  });

  test('a reader that goes away ends the command quietly', async () => {
    class Closed extends Writable {
      override _write(_chunk: Buffer, _encoding: string, done: (error: Error) => void): void {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      }
    }
    let rows = 0;
    const ran = await runSample(
      ['upload', 'dir'],
      sampleTree(async ({ context }) => {
        for (; rows < 1000; rows += 1) {
          await context.print('row\n');
          await new Promise((resolve) => setImmediate(resolve));
        }
      }),
      { stdout: new Closed() },
    );

    expect(ran.status).toBe(0);
    expect(ran.stderr).toBe('');
    expect(rows).toBeLessThan(5);
  });

  test('a result that nobody reads keeps the status of the work', async () => {
    class Closed extends Writable {
      override _write(_chunk: Buffer, _encoding: string, done: (error: Error) => void): void {
        done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }));
      }
    }
    const finish = async ({ context }: Call): Promise<number> => {
      context.result({}, () => 'done\n');
      await new Promise((resolve) => setImmediate(resolve));
      return 3;
    };

    expect((await runWith(finish, [], { stdout: new Closed() })).status).toBe(3);
    expect((await runWith(finish, ['--json'], { stdout: new Closed() })).status).toBe(3);
  });
});

describe('failures', () => {
  const fail = (error: unknown, argv: readonly string[] = [], extra = {}) =>
    runWith(
      () => {
        throw error;
      },
      argv,
      extra,
    );

  test('a named failure prints what, why and the fix, with everything that steers a terminal escaped', async () => {
    const cause = new ArchiverError('access-denied', 'the profile lab may not\u0007 write');
    const { status, stderr } = await fail(
      new ArchiverError('store', 'cannot write \u001b[31mx\nsecond line', {
        cause,
        hint: 'archiver access-check\nor ask',
      }),
    );

    expect(status).toBe(1);
    expect(stderr).toBe(
      '✗ cannot write \\x1b[31mx\n  second line\n  why   the profile lab may not\\x07 write\n' +
        '  fix   archiver access-check\n        or ask\n',
    );
  });

  test.each([
    [new ArchiverError('budget-exceeded', 'too dear'), 4],
    [new ArchiverError('not-found', 'no such'), 1],
    [new ArchiverError('usage', 'wrong'), 2],
    [cancelledError(), 130],
    [new Error('boom'), 1],
    ['text', 1],
  ])('%s has its status', async (error, status) => {
    expect((await fail(error)).status).toBe(status);
  });

  test('an unexpected error says so and shows its stack only with --trace', async () => {
    const { stderr } = await fail(new TypeError('x is not a function'));
    const traced = await fail(new TypeError('x is not a function'), ['--trace']);

    expect(stderr).toBe(
      '✗ internal error: x is not a function\n  fix   run it again with --trace and report what it prints\n',
    );
    expect(traced.stderr).toContain('TypeError: x is not a function\n    at ');
    expect((await fail(new Error('x'), ['--trace', '--json'])).stdout).toContain('"stack"');
  });

  test.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ])('what an interruption by %s breaks ends with its status', async (_name, exitCode) => {
    const controller = new AbortController();
    controller.abort(new ArchiverError('cancelled', 'stopped', { exitCode }));
    const extra = { signal: controller.signal };

    const aborted = await fail(new DOMException('aborted', 'AbortError'), [], extra);
    expect(aborted).toEqual({ status: exitCode, stdout: '', stderr: '✗ stopped\n' });
    expect((await fail(cancelledError(), [], extra)).status).toBe(exitCode);
    expect((await fail(new Error('socket closed'), [], extra)).status).toBe(exitCode);
  });

  test('an interruption keeps the hint of what was interrupted', async () => {
    const controller = new AbortController();
    controller.abort(new ArchiverError('cancelled', 'stopped', { exitCode: 130 }));
    const stopped = new ArchiverError('cancelled', 'stopped', { hint: 'archiver resume 1' });

    const { stderr } = await fail(stopped, [], { signal: controller.signal });

    expect(stderr).toBe('✗ stopped\n  fix   archiver resume 1\n');
  });

  test('a command that stops cleanly when asked keeps its own status', async () => {
    const controller = new AbortController();
    controller.abort(cancelledError());

    expect((await runWith(() => 0, [], { signal: controller.signal })).status).toBe(0);
  });
});

describe('the context', () => {
  test('global flags reach it', async () => {
    const { context } = await callUpload(['dir', '--memory-limit', '2GiB', '--trace', '--color', 'always']);

    expect(context.memoryLimitBytes).toBe(2 * 1024 ** 3);
    expect([context.trace, context.verbose, context.colors]).toEqual([true, true, { stdout: true, stderr: true }]);
  });

  test("a command's own flag of a global's name leaves the global off", async () => {
    const { stdout } = await runSample(['access-check', '--verbose', '--json']);

    expect(JSON.parse(stdout)).toMatchObject({ values: { verbose: true }, contextVerbose: false });
  });

  test.each([
    [['upload', 'dir', '--context', 'repl'], {}],
    [['upload', 'dir', '--context', 'local'], { ARCHIVER_CONTEXT: 'repl' }],
  ])('a command that is named runs the same in every context: %j %j', async (argv, env) => {
    expect((await runSample(argv, undefined, { env })).status).toBe(0);
  });

  test('debug lines need --verbose or --trace', async () => {
    const debug = (context: Context): void => context.debug('detail');

    expect((await withContext(debug)).stderr).toBe('');
    expect((await withContext(debug, ['-v'])).stderr).toBe('detail\n');
    expect((await withContext(debug, ['-t'])).stderr).toBe('detail\n');
  });

  test('home is ~/.archiver unless a variable names it', async () => {
    expect((await callUpload(['dir'])).context.home).toBe('/nowhere/home/.archiver');
    expect((await callUpload(['dir'], { env: { ARCHIVER_HOME: '/other' } })).context.home).toBe('/other');
  });

  test.each([
    ['y\n', 'true'],
    ['YES\n', 'true'],
    ['n\n', 'false'],
    ['\n', 'false'],
    ['yeah\n', 'false'],
    ['', 'false'],
  ])('a question answered with %j is %s', async (answer, expected) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    const stderr = Object.assign(new PassThrough(), { isTTY: true });
    stdin.end(answer);
    let text = '';
    stderr.on('data', (chunk: Buffer) => (text += chunk.toString()));
    let given: boolean | undefined;

    await withContext(
      async (context) => {
        given = await context.confirm('Delete everything?');
      },
      [],
      { stdin, stderr },
    );

    expect([text, String(given)]).toEqual(['Delete everything? [y/N] ', expected]);
  });

  test('a question without a terminal is a usage error that names --yes', async () => {
    const ask = async (context: Context): Promise<void> => {
      context.note(String(await context.confirm('Delete everything?')));
    };
    const refused = await withContext(ask);

    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('--yes');
    expect((await withContext(ask, ['-y'])).stderr).toBe('true\n');
  });

  test.each([
    [true, false],
    [false, true],
  ])('both the question and the answer need a terminal (stdin %s, stderr %s)', async (stdinIsTty, stderrIsTty) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: stdinIsTty });
    stdin.end('y\n');
    const stderr = Object.assign(new PassThrough(), { isTTY: stderrIsTty });
    const ask = async (context: Context): Promise<void> => void (await context.confirm('Delete everything?'));

    expect((await withContext(ask, [], { stdin, stderr: stderr.resume() })).status).toBe(2);
  });
});
