// Flags of every command for observing a run. The code behind them is loaded only when one of them is given.
import type { Context } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import type { BegunCall, SlotValues } from '../../cli/slots.js';

/** Names of the log levels; `core/diagnostics/observe/log-file.ts` says what they mean. */
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

/** The flags that each of these adds details to. */
export const OBSERVE_NEEDS = {
  pprofAddr: ['pprof'],
  logLevel: ['logFile'],
  allowPublicObservability: ['pprof', 'prometheusAddr'],
};

const SWITCHED_BY = ['selfProfile', 'pprof', 'logFile', 'trace'] as const;
const DETAILS = ['pprofAddr', 'allowPublicObservability', 'logLevel'] as const;

/**
 * Returns the observing flags that are on, with their details; undefined for none. A call within another one is observed with it, unless it
 * has such flags itself. A command's own flag of the same name means something else.
 */
export function observedBy({
  values,
  origins,
  own,
  isInner,
}: Pick<BegunCall<Context>, 'values' | 'origins' | 'own' | 'isInner'>): SlotValues | undefined {
  const isOn = (key: string): boolean =>
    !(key in own) && values[key] !== undefined && values[key] !== false && (!isInner || origins[key] === 'flag');
  const on = SWITCHED_BY.filter(isOn);
  const details = DETAILS.filter((key) => !(key in own));
  return on.length === 0 ? undefined : Object.fromEntries([...on, ...details].map((key) => [key, values[key]]));
}

/** True when flags of the command itself ask for metrics or traces. */
export const isWatched = ({ own, values }: Pick<BegunCall<Context>, 'own' | 'values'>): boolean =>
  own['prometheusAddr'] !== undefined && (values['prometheusAddr'] !== undefined || values['tracing'] === true);
