// Shows the progress of a long operation. The reporters live with the screens and are loaded on first use, so that Ink is only loaded for a
// terminal.
import { type ArchiverError, errorText, isArchiverError, usageError } from '../core/platform/failures/errors.js';
import type { EventSink, Outcome } from '../core/events/events.js';
import { type EventConsumer, fanOut } from '../core/events/fan-out.js';
import type { Reporter } from '../stores/reporter.js';
import { createTransferStore, type TransferStore } from '../stores/transfer-store.js';
import { type Environment, lookOf } from '../ui/look.js';
import type { Exact } from '../json/documents.js';
import type { Context, ResultsOf } from './context.js';
import { noteTold } from './errors.js';

export type ProgressFormat = 'tui' | 'json' | 'text' | 'none';

export interface PickReporterOptions {
  readonly flags: {
    readonly quiet: boolean;
    readonly progressFormat?: ProgressFormat | undefined;
    /** With --trace, a line for each event goes to stderr, too: there is no room for a screen. */
    readonly trace?: boolean | undefined;
  };
  readonly stderr: { readonly isTTY?: boolean };
  readonly env: Environment;
}

/** Chooses the reporter: by the flag, or else none with --quiet, or else the screen on a terminal, or else text. */
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

/** Ink's own test: if it detects CI, it draws nothing until the end. */
export function isCi(env: Environment): boolean {
  return ['CI', 'CONTINUOUS_INTEGRATION'].some((name) => {
    const value = env[name];
    return value !== undefined && value !== '0' && value !== 'false';
  });
}

/** Runs work that needs the terminal, such as a question, in the middle of an operation: the screen makes room for it and comes back. */
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
  /** Returns the document of the result, which listeners get with the last event. */
  readonly documentOf?: ((result: T) => unknown) | undefined;
  /** Further listeners, which get the events even if nothing is shown. */
  readonly consumers?: readonly EventConsumer[];
  /** Delay (in ms) before anything is shown, also after making room for something else. */
  readonly showAfterMs?: number;
}

/**
 * Runs a long operation while a reporter on stderr shows its events; the terminal is restored when it settles. Listeners always get an
 * `end` as the last event.
 */
export async function runWithProgress<T>(
  ctx: ProgressContext,
  options: ProgressOptions<T>,
  run: (emit: EventSink, aside: Aside) => Promise<T>,
): Promise<T> {
  const display = openDisplay(ctx, options);
  const { consumers: others = [] } = options;
  const consumers = [...(ctx.followers ?? []), ...others, ...(display === undefined ? [] : [display.consumer])];
  // Warnings are printed after the display is gone; they would break it otherwise.
  const warnings: string[] = [];
  const { documentOf } = options;
  try {
    const onFailure = (text: string): void => void warnings.push(text);
    return await runOperation({ consumers, documentOf, onFailure, signal: ctx.signal }, (emit) =>
      run(emit, display?.aside ?? ((work) => work())),
    );
  } catch (error) {
    if (display?.tellsFailures === true && outcomeOf(error, ctx.signal).status === 'failed') noteTold(error);
    throw error;
  } finally {
    // The work is done, or has failed already: an error of the display does not change that.
    await display?.close().catch((error: unknown) => {
      warnings.push(`the progress display failed: ${errorText(error)}`);
    });
    for (const warning of warnings) ctx.warn(warning);
  }
}

interface Followed<T> extends Pick<ProgressOptions<T>, 'documentOf'> {
  readonly consumers: readonly EventConsumer[];
  /** Interrupts the operation. */
  readonly signal: AbortSignal;
  /** Called when a listener has failed. */
  readonly onFailure: (text: string) => void;
}

/** Runs a long operation and emits its events; the last one is always an `end`. @throws what `run` throws */
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

/** Final output of a command: a document with `--json`, otherwise text. */
export interface Shown<D extends object = object> {
  readonly document: D;
  readonly text: () => string;
  /** True if something is left to do or to know: it is printed with --quiet, too. */
  readonly isResult?: boolean;
}

/** Returns the output for a result; undefined if the command prints it in its own way. It must not print, as the display is still open. */
export type Show<T, D extends object = object> = (result: T) => Shown<D> | undefined | Promise<Shown<D> | undefined>;

/** Runs an operation whose result is that of the command, and prints it. Listeners get its document. */
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
  /** True if the failure of the operation is among what it writes. */
  readonly tellsFailures: boolean;
  /** Resolves when all of its output is written. */
  readonly close: () => Promise<void>;
}

/** Opens the transfer store and the reporter that shows it; undefined if nothing is to be shown. */
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
    tellsFailures: format === 'json',
    async aside(work) {
      // The other reporters write lines, which need no room.
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

/** A user who answers no to a question cancels the command as well, but that counts as failed, not as interrupted. */
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
