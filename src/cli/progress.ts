// Shows what a long operation is doing. The reporters live with the screens and are loaded on first use, so that nothing
// but a terminal pays for Ink.
import { type ArchiverError, errorText, isArchiverError, usageError } from '../core/failures/errors.js';
import type { EventSink } from '../core/events.js';
import type { Outcome, Reporter } from '../stores/reporter.js';
import { createTransferStore, type TransferStore } from '../stores/transfer-store.js';
import { type Environment, lookOf } from '../ui/look.js';
import type { Context } from './context.js';

export type ProgressFormat = 'tui' | 'json' | 'text' | 'none';

export interface PickReporterOptions {
  readonly flags: { readonly quiet: boolean; readonly progressFormat?: ProgressFormat | undefined };
  readonly stderr: { readonly isTTY?: boolean };
  readonly env: Environment;
}

/** Which reporter shows the progress: the flag, else none when quiet, else the screen on a terminal, else text. */
export function pickReporter({ flags, stderr, env }: PickReporterOptions): ProgressFormat {
  if (flags.progressFormat === 'tui') requireScreen(stderr, env);
  if (flags.progressFormat !== undefined) return flags.progressFormat;
  if (flags.quiet) return 'none';
  return stderr.isTTY === true && !isCi(env) && env['TERM'] !== 'dumb' ? 'tui' : 'text';
}

function requireScreen(stderr: { readonly isTTY?: boolean }, env: Environment): void {
  const hint = 'use --progress-format text';
  if (stderr.isTTY !== true) throw usageError('--progress-format tui needs a terminal on stderr', hint);
  if (isCi(env)) throw usageError('--progress-format tui does not work where CI is set in the environment', hint);
}

/** Ink's own test, to the letter: where it sees CI it draws nothing until the end. */
export function isCi(env: Environment): boolean {
  return ['CI', 'CONTINUOUS_INTEGRATION'].some((name) => {
    const value = env[name];
    return value !== undefined && value !== '0' && value !== 'false';
  });
}

/** The part of a command's context that showing progress needs. */
export type ProgressContext = Pick<Context, 'signal' | 'env' | 'stderr' | 'quiet' | 'now' | 'colors'>;

export interface ProgressOptions {
  /** The value of `--progress-format`, if one was given. */
  readonly progressFormat?: ProgressFormat | undefined;
}

/** Runs a long operation while a reporter on stderr shows its events; the terminal is as before when it settles. */
export async function runWithProgress<T>(
  ctx: ProgressContext,
  { progressFormat }: ProgressOptions,
  run: (emit: EventSink) => Promise<T>,
): Promise<T> {
  const format = pickReporter({ flags: { quiet: ctx.quiet, progressFormat }, stderr: ctx.stderr, env: ctx.env });
  if (format === 'none') return run(() => undefined);

  const store = createTransferStore({ now: () => ctx.now().getTime() });
  const { apply, requestStop, close } = store.getState();
  // Not awaited: the work goes on while Ink loads.
  const starting = startReporter(format, ctx, store);
  starting.catch(() => undefined);
  if (ctx.signal.aborted) requestStop();
  else ctx.signal.addEventListener('abort', requestStop, { once: true });
  let outcome: Outcome = { status: 'done' };
  try {
    return await run(apply);
  } catch (error) {
    outcome = outcomeOf(error);
    throw error;
  } finally {
    ctx.signal.removeEventListener('abort', requestStop);
    close();
    await (await starting).stop(outcome);
  }
}

function outcomeOf(error: unknown): Outcome {
  if (isArchiverError(error, 'cancelled')) return { status: 'interrupted' };
  const known: ArchiverError | undefined = isArchiverError(error) ? error : undefined;
  return { status: 'failed', code: known?.code ?? 'internal', message: errorText(error), hint: known?.hint };
}

async function startReporter(
  format: Exclude<ProgressFormat, 'none'>,
  ctx: ProgressContext,
  store: TransferStore,
): Promise<Reporter> {
  const { stderr: stream, env, now, colors } = ctx;
  const look = lookOf(colors.stderr, env);
  switch (format) {
    case 'tui': {
      // oxlint-disable-next-line no-restricted-imports -- loaded on first use, and only for a terminal
      const { startProgressScreen } = await import('../screens/progress/progress-screen.js');
      return startProgressScreen({ store, stream, look });
    }
    case 'json': {
      // oxlint-disable-next-line no-restricted-imports -- loaded on first use
      const { startJsonReporter } = await import('../screens/progress/json-reporter.js');
      return startJsonReporter({ store, stream, now });
    }
    case 'text': {
      // oxlint-disable-next-line no-restricted-imports -- loaded on first use
      const { startTextReporter } = await import('../screens/progress/text-reporter.js');
      return startTextReporter({ store, stream, look, now });
    }
    default:
      return format satisfies never;
  }
}
