import { describe, expect, it } from 'vitest';
import {
  pickReporter,
  type ProgressContext,
  type ProgressFormat,
  runOperation,
  runToResult,
  runWithProgress,
} from '../../src/cli/progress.js';
import { ArchiverError, cancelledError } from '../../src/core/platform/failures/errors.js';
import type { TransferEvent } from '../../src/core/events/events.js';
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

  it('writes text where events are traced beside it, unless the screen is asked for', () => {
    const pick = (progressFormat?: ProgressFormat): ProgressFormat =>
      pickReporter({ flags: { quiet: false, trace: true, progressFormat }, stderr: terminal, env: {} });

    expect([pick(), pick('tui')]).toEqual(['text', 'tui']);
  });

  it('refuses the screen where there is no terminal, or where Ink would stay blank', () => {
    const flags = { quiet: false, progressFormat: 'tui' } as const;

    expect(() => pickReporter({ flags, stderr: pipe, env: {} })).toThrow(/needs a terminal on stderr/);
    expect(() => pickReporter({ flags, stderr: terminal, env: { CI: 'true' } })).toThrow(/CI is set/);
  });
});

interface World {
  readonly ctx: ProgressContext;
  readonly stderr: Recorder;
  readonly warnings: readonly string[];
  readonly abort: () => void;
}

function context(quiet = false): World {
  const stderr = new Recorder();
  const controller = new AbortController();
  const warnings: string[] = [];
  const ctx: ProgressContext = {
    signal: controller.signal,
    env: {},
    stderr,
    quiet,
    now: () => new Date(),
    colors: { stdout: false, stderr: false },
    warn: (text) => warnings.push(text),
  };
  return { ctx, stderr, warnings, abort: () => controller.abort(cancelledError()) };
}

describe('runWithProgress', () => {
  it('hands on the result and writes the last state', async () => {
    const { ctx, stderr } = context();

    const value = await runWithProgress(ctx, {}, async (emit) => {
      emit({ type: 'start', operation: 'verify', source: 's3://b/u', target: '' });
      emit({ type: 'progress', items: 7, bytes: 70 });
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

  it('does not call it an interruption when an answer refuses what was asked', async () => {
    const { ctx, stderr } = context();

    const running = runWithProgress(ctx, {}, async (emit) => {
      emit({ type: 'start', operation: 'scuttle', source: 's3://b', target: '' });
      throw new ArchiverError('cancelled', "the answer was 'no'", { exitCode: 1 });
    });

    await expect(running).rejects.toMatchObject({ exitCode: 1 });
    expect(stderr.text).not.toMatch(/interrupted|run it again/);
  });

  it('gives every consumer all events, the last with the result, also where nothing is shown', async () => {
    const { ctx, stderr } = context(true);
    const events: TransferEvent[] = [];
    const consumer = { name: 'ledger', take: (event: TransferEvent) => void events.push(event) };

    await runWithProgress(ctx, { consumers: [consumer], documentOf: (files) => ({ files }) }, async (emit) => {
      emit({ type: 'note', text: 'n' });
      return 7;
    });

    expect(events).toEqual([
      { type: 'note', text: 'n' },
      { type: 'end', outcome: { status: 'done', result: { files: 7 } } },
    ]);
    expect(stderr.text).toBe('');
  });

  it('tells consumers of a failure too', async () => {
    const { ctx } = context(true);
    const events: TransferEvent[] = [];
    const consumer = { name: 'ledger', take: (event: TransferEvent) => void events.push(event) };

    const running = runWithProgress(ctx, { consumers: [consumer] }, () => Promise.reject(new Error('no')));

    await expect(running).rejects.toThrow('no');
    expect(events).toEqual([
      { type: 'end', outcome: { status: 'failed', code: 'internal', message: 'no', hint: undefined } },
    ]);
  });

  it('goes on without a consumer that fails, and warns of it', async () => {
    const { ctx, warnings, stderr } = context();
    const take = (): never => {
      throw new Error('disk full');
    };

    const value = await runWithProgress(ctx, { consumers: [{ name: 'ledger', take }] }, async (emit) => {
      emit({ type: 'start', operation: 'verify', source: 's3://b/u', target: '' });
      emit({ type: 'progress', items: 7, bytes: 70 });
      return 42;
    });

    expect(value).toBe(42);
    expect(warnings).toEqual(['the ledger failed and was left out: disk full']);
    expect(stderr.text).toContain('note: the ledger failed and was left out: disk full');
    expect(stderr.lines().at(-1)).toMatch(/verify done after .*: 7 files, 70B/);
  });

  it('puts the result into the summary for machines', async () => {
    const { ctx, stderr } = context();
    const options = { progressFormat: 'json', documentOf: (files: number) => ({ files }) } as const;

    await runWithProgress(ctx, options, async (emit) => {
      emit({ type: 'start', operation: 'prune', source: 's3://b', target: '' });
      return 7;
    });

    expect(JSON.parse(stderr.lines().at(-1) ?? '')).toMatchObject({
      type: 'summary',
      operation: 'prune',
      outcome: 'done',
      result: { files: 7 },
    });
  });

  it('hands the result or the failure to those who take the events, without any display', async () => {
    const events: TransferEvent[] = [];
    const consumers = [{ name: 'ledger', take: (event: TransferEvent) => void events.push(event) }];
    const onFailure = (): void => undefined;
    const { signal } = new AbortController();
    const documentOf = (files: number) => ({ files });

    await runOperation({ consumers, documentOf, onFailure, signal }, () => Promise.resolve(7));
    const failing = runOperation({ consumers, onFailure, signal }, () =>
      Promise.reject(new Error('the store is gone')),
    );

    await expect(failing).rejects.toThrow('the store is gone');
    expect(events).toMatchObject([
      { type: 'end', outcome: { status: 'done', result: { files: 7 } } },
      { type: 'end', outcome: { status: 'failed', message: 'the store is gone' } },
    ]);
  });

  it('shows nothing of what is over before it would be shown', async () => {
    const { ctx, stderr } = context();

    await runWithProgress(ctx, { showAfterMs: 10_000 }, async (emit) =>
      emit({ type: 'start', operation: 'load', source: 's3://b/u', target: '' }),
    );

    expect(stderr.text).toBe('');
  });

  it('prints the result when the display is over', async () => {
    const { ctx, stderr } = context();
    const printed: unknown[] = [];
    const result = (document: unknown, text: () => string): void => {
      printed.push(document, text(), stderr.text.includes('verify done'));
    };

    await runToResult(
      { ...ctx, outcome: result, result },
      { show: (files) => ({ document: { files }, text: () => 't' }) },
      async (emit) => {
        emit({ type: 'start', operation: 'verify', source: 's3://b/u', target: '' });
        return 7;
      },
    );

    expect(printed).toEqual([{ files: 7 }, 't', true]);
  });

  it('writes nothing at all with --quiet', async () => {
    const { ctx, stderr } = context(true);

    await runWithProgress(ctx, {}, async (emit) => emit({ type: 'note', text: 'n' }));

    expect(stderr.text).toBe('');
  });
});
