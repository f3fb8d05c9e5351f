// Shows what a long operation is doing. The reporters live with the screens and are loaded on first use, so that nothing
// but a terminal pays for Ink.
import { type ArchiverError, errorText, isArchiverError, usageError } from '../core/platform/failures/errors.js';
import type { EventSink, Outcome } from '../core/events/events.js';
import { type EventConsumer, fanOut } from '../core/events/fan-out.js';
import type { Reporter } from '../stores/reporter.js';
import { createTransferStore, type TransferStore } from '../stores/transfer-store.js';
import { type Environment, lookOf } from '../ui/look.js';
import type { Exact } from '../json/documents.js';
import type { Context, ResultsOf } from './context.js';

export type ProgressFormat = 'tui' | 'json' | 'text' | 'none';

export interface PickReporterOptions {
  readonly flags: {
    readonly quiet: boolean;
    readonly progressFormat?: ProgressFormat | undefined;
    /** Lines for each event are written beside it: no place for a screen. */
    readonly trace?: boolean | undefined;
  };
  readonly stderr: { readonly isTTY?: boolean };
  readonly env: Environment;
}

/** Which reporter shows the progress: the flag, else none when quiet, else the screen on a terminal, else text. */
export function pickReporter({ flags, stderr, env }: PickReporterOptions): ProgressFormat {
  if (flags.progressFormat === 'tui') requireScreen(stderr, env);
  if (flags.progressFormat !== undefined) return flags.progressFormat;
  if (flags.quiet) return 'none';
  return stderr.isTTY === true && flags.trace !== true && !isCi(env) && env['TERM'] !== 'dumb' ? 'tui' : 'text';
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

/** Does something with the terminal meanwhile, such as a question: the screen makes room for it and comes back. */
export type Aside = <R>(work: () => Promise<R>) => Promise<R>;

/** The part of a command's context that showing progress needs. */
export type ProgressContext = Pick<
  Context,
  'signal' | 'env' | 'stderr' | 'quiet' | 'now' | 'colors' | 'warn' | 'followers'
> &
  Partial<Pick<Context, 'trace'>>;

export interface ProgressOptions<T> {
  /** The value of `--progress-format`, if one was given. */
  readonly progressFormat?: ProgressFormat | undefined;
  /** The document of the result, for whoever takes the events: it comes with the last of them. */
  readonly documentOf?: ((result: T) => unknown) | undefined;
  /** Who else takes the events, and is told also where nothing is shown. */
  readonly consumers?: readonly EventConsumer[];
  /** Show nothing of what is over sooner, or makes room for something else again. */
  readonly showAfterMs?: number;
}

/**
 * Runs a long operation while a reporter on stderr shows its events; the terminal is as before when it settles. Whoever
 * takes the events gets an `end` as the last one, whatever happens.
 */
export async function runWithProgress<T>(
  ctx: ProgressContext,
  options: ProgressOptions<T>,
  run: (emit: EventSink, aside: Aside) => Promise<T>,
): Promise<T> {
  const display = openDisplay(ctx, options);
  const { consumers: others = [] } = options;
  const consumers = [...(ctx.followers ?? []), ...others, ...(display === undefined ? [] : [display.consumer])];
  // Said when the display is gone, or they would stand in the middle of it.
  const warnings: string[] = [];
  const { documentOf } = options;
  try {
    const onFailure = (text: string): void => void warnings.push(text);
    return await runOperation({ consumers, documentOf, onFailure, signal: ctx.signal }, (emit) =>
      run(emit, display?.aside ?? ((work) => work())),
    );
  } finally {
    // The work is done, or its failure is on its way: a display does not change that.
    await display?.close().catch((error: unknown) => {
      warnings.push(`the progress display failed: ${errorText(error)}`);
    });
    for (const warning of warnings) ctx.warn(warning);
  }
}

interface Followed<T> extends Pick<ProgressOptions<T>, 'documentOf'> {
  readonly consumers: readonly EventConsumer[];
  /** Interrupts it. */
  readonly signal: AbortSignal;
  /** Told of a consumer that failed. */
  readonly onFailure: (text: string) => void;
}

/** Runs a long operation for those who take its events; the last one is an `end`, whatever happens. @throws what `run` throws */
export async function runOperation<T>(
  { consumers, documentOf, onFailure, signal }: Followed<T>,
  run: (emit: EventSink) => Promise<T>,
): Promise<T> {
  const emit = fanOut(consumers, onFailure);
  let isOver = false;
  let outcome: Outcome = { status: 'done' };
  try {
    const result = await run((event) => void (isOver || emit(event)));
    if (documentOf !== undefined) outcome = { status: 'done', result: await documentOf(result) };
    return result;
  } catch (error) {
    outcome = outcomeOf(error, signal);
    throw error;
  } finally {
    isOver = true;
    emit({ type: 'end', outcome });
  }
}

/** What a command prints in the end: a document with `--json`, else text. */
export interface Shown<D extends object = object> {
  readonly document: D;
  readonly text: () => string;
  /** Something is left to do or to know: it is printed with --quiet, too. */
  readonly isResult?: boolean;
}

/** Undefined for a result that the command prints in its own way. Nothing is printed by it: the display is still there. */
export type Show<T, D extends object = object> = (result: T) => Shown<D> | undefined | Promise<Shown<D> | undefined>;

/** The same for a command whose result is the operation's: everybody who follows it gets what is printed then. */
export async function runToResult<F extends object, T, D extends F>(
  ctx: ProgressContext & Omit<ResultsOf<F>, 'json'>,
  { show, ...options }: Omit<ProgressOptions<T>, 'documentOf'> & { readonly show: Show<T, Exact<D, F>> },
  run: (emit: EventSink, aside: Aside) => Promise<T>,
): Promise<T> {
  let shown: Shown<Exact<D, F>> | undefined;
  const documentOf = async (result: T): Promise<unknown> => (shown = await show(result))?.document;
  const result = await runWithProgress(ctx, { ...options, documentOf }, run);
  if (shown?.isResult === true) ctx.result<D>(shown.document, shown.text);
  else if (shown !== undefined) ctx.outcome<D>(shown.document, shown.text);
  return result;
}

interface Display {
  readonly consumer: EventConsumer;
  readonly aside: Aside;
  /** Resolves when the last of it is written. */
  readonly close: () => Promise<void>;
}

/** The store and the reporter that shows it; undefined where nothing is to be shown. */
function openDisplay<T>(ctx: ProgressContext, options: ProgressOptions<T>): Display | undefined {
  const { progressFormat, showAfterMs = 0 } = options;
  const format = pickReporter({
    flags: { quiet: ctx.quiet, progressFormat, trace: ctx.trace },
    stderr: ctx.stderr,
    env: ctx.env,
  });
  if (format === 'none') return undefined;
  const store = createTransferStore({ now: () => ctx.now().getTime() });
  const { apply, requestStop, close } = store.getState();
  // Not awaited: the work goes on while Ink loads.
  let starting: Promise<Reporter> | undefined;
  let timer: NodeJS.Timeout | undefined;
  const start = (notesTold: number): void => {
    starting = startReporter(format, ctx, { store, notesTold });
    starting.catch(() => undefined);
  };
  const startLater = (notesTold = 0): void => {
    if (showAfterMs > 0) timer = setTimeout(start, showAfterMs, notesTold);
    else start(notesTold);
  };
  startLater();
  if (ctx.signal.aborted) requestStop();
  else ctx.signal.addEventListener('abort', requestStop, { once: true });
  return {
    consumer: { name: 'progress display', take: apply },
    async aside(work) {
      // The other displays write lines, which stand in nobody's way.
      if (format !== 'tui') return await work();
      clearTimeout(timer);
      store.getState().refresh();
      const notesTold = starting === undefined ? 0 : store.getState().snapshot.notes.length;
      await (await starting)?.stop();
      starting = undefined;
      try {
        return await work();
      } finally {
        startLater(notesTold);
      }
    },
    async close() {
      clearTimeout(timer);
      ctx.signal.removeEventListener('abort', requestStop);
      close();
      await (await starting)?.stop();
    },
  };
}

/** An answer that refuses what was asked cancels the command, too: nobody interrupted it. */
function outcomeOf(error: unknown, { aborted }: AbortSignal): Outcome {
  if (aborted && isArchiverError(error, 'cancelled')) return { status: 'interrupted' };
  const known: ArchiverError | undefined = isArchiverError(error) ? error : undefined;
  return { status: 'failed', code: known?.code ?? 'internal', message: errorText(error), hint: known?.hint };
}

async function startReporter(
  format: Exclude<ProgressFormat, 'none'>,
  ctx: ProgressContext,
  { store, notesTold }: { readonly store: TransferStore; readonly notesTold: number },
): Promise<Reporter> {
  const { stderr: stream, env, now, colors } = ctx;
  const look = lookOf(colors.stderr, env);
  switch (format) {
    case 'tui': {
      // oxlint-disable-next-line no-restricted-imports -- loaded on first use, and only for a terminal
      const { startProgressScreen } = await import('../screens/progress/progress-screen.js');
      return startProgressScreen({ store, stream, look, notesTold });
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
