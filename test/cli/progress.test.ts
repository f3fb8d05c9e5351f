import { describe, expect, it } from 'vitest';
import { pickReporter, type ProgressContext, type ProgressFormat, runWithProgress } from '../../src/cli/progress.js';
import { ArchiverError, cancelledError } from '../../src/core/failures/errors.js';
import { Recorder } from '../screens/progress/recorder.js';

const terminal = { isTTY: true };
const pipe = {};

describe('pickReporter', () => {
  it.each<[ProgressFormat | undefined, boolean, { isTTY?: boolean }, Record<string, string>, ProgressFormat]>([
    [undefined, false, terminal, {}, 'tui'],
    [undefined, false, pipe, {}, 'text'],
    [undefined, false, terminal, { CI: 'true' }, 'text'],
    [undefined, false, terminal, { CI: '' }, 'text'],
    [undefined, false, terminal, { CONTINUOUS_INTEGRATION: '1' }, 'text'],
    [undefined, false, terminal, { CI: 'false' }, 'tui'],
    [undefined, false, terminal, { CI: '0' }, 'tui'],
    [undefined, false, terminal, { TERM: 'dumb' }, 'text'],
    [undefined, true, terminal, {}, 'none'],
    [undefined, true, pipe, {}, 'none'],
    ['json', true, terminal, {}, 'json'],
    ['text', false, terminal, {}, 'text'],
    ['none', false, terminal, {}, 'none'],
    ['tui', true, terminal, {}, 'tui'],
    ['tui', false, terminal, { TERM: 'dumb' }, 'tui'],
  ])('with %s, quiet %s, on %j, in %j picks %s', (progressFormat, quiet, stderr, env, picked) => {
    expect(pickReporter({ flags: { progressFormat, quiet }, stderr, env })).toBe(picked);
  });

  it('refuses the screen where there is no terminal, or where Ink would stay blank', () => {
    const flags = { quiet: false, progressFormat: 'tui' } as const;

    expect(() => pickReporter({ flags, stderr: pipe, env: {} })).toThrow(/needs a terminal on stderr/);
    expect(() => pickReporter({ flags, stderr: terminal, env: { CI: 'true' } })).toThrow(/CI is set/);
  });
});

function context(quiet = false): { ctx: ProgressContext; stderr: Recorder; abort: () => void } {
  const stderr = new Recorder();
  const controller = new AbortController();
  const ctx: ProgressContext = {
    signal: controller.signal,
    env: {},
    stderr,
    quiet,
    now: () => new Date(),
    colors: { stdout: false, stderr: false },
  };
  return { ctx, stderr, abort: () => controller.abort(cancelledError()) };
}

describe('runWithProgress', () => {
  it('hands on the result and writes the last state', async () => {
    const { ctx, stderr } = context();

    const value = await runWithProgress(ctx, {}, async (emit) => {
      emit({ type: 'start', operation: 'verify', source: 's3://b/u', target: '' });
      emit({ type: 'progress', files: 7, bytes: 70 });
      return 42;
    });

    expect(value).toBe(42);
    expect(stderr.lines().at(-1)).toMatch(/verify done after .*: 7 files, 70B/);
  });

  it('hands on the failure, after the reporter has told of it', async () => {
    const { ctx, stderr } = context();
    const failure = new ArchiverError('access-denied', 'no', { hint: 'h' });

    const running = runWithProgress(ctx, { progressFormat: 'json' }, () => Promise.reject(failure));

    await expect(running).rejects.toBe(failure);
    expect(stderr.lines().map((line) => JSON.parse(line))).toMatchObject([
      { type: 'error', code: 'access-denied', message: 'no', hint: 'h' },
      { type: 'summary', outcome: 'failed' },
    ]);
  });

  it('tells of the interruption and lets go of the signal', async () => {
    const { ctx, stderr, abort } = context();

    const running = runWithProgress(ctx, {}, async (emit) => {
      emit({ type: 'start', operation: 'upload', source: '/d', target: 's3://b' });
      abort();
      throw cancelledError();
    });

    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
    expect(stderr.text).toContain('upload interrupted after');
    expect(stderr.text).toContain('kept  committed uploads are untouched');
  });

  it('writes nothing at all with --quiet', async () => {
    const { ctx, stderr } = context(true);

    await runWithProgress(ctx, {}, async (emit) => emit({ type: 'note', text: 'n' }));

    expect(stderr.text).toBe('');
  });
});
