// What a run may be watched with: flags of every command. What does it is loaded where one of them is given.
import type { Context } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import type { BegunCall, SlotValues } from '../../cli/slots.js';

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
export const OBSERVE_NEEDS = {
  pprofAddr: ['pprof'],
  logLevel: ['logFile'],
  allowPublicObservability: ['pprof', 'prometheusAddr'],
};

const SWITCHED_BY = ['selfProfile', 'pprof', 'logFile', 'trace'] as const;
const DETAILS = ['pprofAddr', 'allowPublicObservability', 'logLevel'] as const;

/**
 * What of it is asked for, and the details; undefined for nothing. A call within another one is watched with that, unless
 * it says so itself. A command's own flag of the same name means something else.
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

/** Metrics or traces are asked for, by flags of the command itself. */
export const isWatched = ({ own, values }: Pick<BegunCall<Context>, 'own' | 'values'>): boolean =>
  own['prometheusAddr'] !== undefined && (values['prometheusAddr'] !== undefined || values['tracing'] === true);
