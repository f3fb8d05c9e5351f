// What a run may be watched with: flags of every command. What does it is loaded where one of them is given.
import type { EventConsumer } from '../core/events/fan-out.js';
import { usageError } from '../core/platform/failures/errors.js';
import { flag, type Flags } from './flag.js';
import type { Resolved } from './layers.js';
import { dashed, inWords } from './rule.js';

/** The words of a log's levels; `core/diagnostics/observe/log-file.ts` has what they mean. */
const LEVELS = ['error', 'warn', 'info', 'debug'] as const;

export const observeFlags = {
  selfProfile: flag.on({
    alias: 'profile',
    describe: 'write profiles of CPU time and memory into a temp folder when the run has ended',
  }),
  pprof: flag.on({
    describe: 'serve profiles of the running process over HTTP, for go tool pprof and profile collect',
  }),
  pprofAddr: flag.text({
    placeholder: 'HOST:PORT',
    sample: 'localhost:6061',
    default: 'localhost:6060',
    describe: 'where --pprof listens; port 0 takes a free one',
  }),
  allowPublicObservability: flag.on({
    describe: 'let profiles and metrics be served to other computers; they ask for no password',
  }),
  logFile: flag.file({
    placeholder: 'FILE',
    describe: 'append a JSON line for each event of the run; made with mode 0600',
  }),
  logLevel: flag.choice(LEVELS, { default: 'info', describe: 'which lines --log-file gets' }),
};

/** Which flags each of these says more about. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  pprofAddr: ['pprof'],
  logLevel: ['logFile'],
  allowPublicObservability: ['pprof', 'prometheusAddr'],
};

/** @throws usage for what is typed and says more about what is not given. `own`: flags of the command itself */
export function refuseIdleObserving(
  own: Flags,
  values: Readonly<Record<string, unknown>>,
  isTyped: (key: string) => boolean,
): void {
  for (const [key, needs] of Object.entries(NEEDS)) {
    if (key in own || !isTyped(key) || values[key] === false) continue;
    if (needs.some((need) => values[need] !== undefined && values[need] !== false)) continue;
    const there = needs.filter((need) => need in own || need in observeFlags);
    throw usageError(`${dashed(key)} can do nothing without ${inWords(there.map(dashed), 'or')}`);
  }
}

/** What watches a run. */
export interface Observed {
  readonly consumers: readonly EventConsumer[];
  /** Told what people are told. */
  readonly said: ((level: 'info' | 'warn' | 'debug', text: string) => void) | undefined;
  /** `end`: the exit status, or what the run failed with. Never throws. */
  readonly close: (end: unknown) => Promise<void>;
}

const SWITCHED_BY = ['selfProfile', 'pprof', 'logFile', 'trace'] as const;
const DETAILS = ['pprofAddr', 'allowPublicObservability', 'logLevel'] as const;

/**
 * What of it is asked for, and the details; undefined for nothing. A call within another one is watched with that, unless
 * it says so itself. A command's own flag of the same name means something else.
 */
export function observedBy(
  { values, origins }: Pick<Resolved, 'values' | 'origins'>,
  own: ReadonlySet<string>,
  isInner: boolean,
): Readonly<Record<string, unknown>> | undefined {
  const isOn = (key: string): boolean =>
    !own.has(key) && values[key] !== undefined && values[key] !== false && (!isInner || origins[key] === 'flag');
  const on = SWITCHED_BY.filter(isOn);
  const details = DETAILS.filter((key) => !own.has(key));
  return on.length === 0 ? undefined : Object.fromEntries([...on, ...details].map((key) => [key, values[key]]));
}

/** Metrics or traces are asked for, by flags of the command itself. */
export const isWatched = (own: Flags | undefined, values: Readonly<Record<string, unknown>>): boolean =>
  own?.['prometheusAddr'] !== undefined && (values['prometheusAddr'] !== undefined || values['tracing'] === true);
