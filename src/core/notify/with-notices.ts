// Runs an upload with its notices: a ping and the hook `before` when it begins; the hook `after` or `onFailure`, a ping and the metrics
// file when it has ended. The entry point of core/notify. Only `before` can fail a run.
import { ArchiverError, errorText } from '../platform/failures/errors.js';
import { type HookName, hookCommand, type HookSettings, NO_HOOKS } from './hook-settings.js';
import { writeRunMetrics } from './metrics-file.js';
import type { PingWorld } from './ping.js';
import type { EndedRun, NotedRun, RunFacts, RunStatus } from '../events/run-facts.js';

export interface NoticeSettings {
  /** Made by `pingAddress`. */
  readonly pingUrl?: URL | undefined;
  /** Only from this computer's own config file. */
  readonly hooks?: HookSettings | undefined;
  /** Absolute path. */
  readonly textfile?: string | undefined;
  /** Called at the end; must not throw. */
  readonly onEnd?: ((run: NotedRun, ended: EndedRun) => void) | undefined;
}

export interface NoticeWorld extends Omit<PingWorld, 'network'> {
  /** Returns the network settings; called only when there are pings. @throws usage for unusable settings */
  readonly network: () => Promise<PingWorld['network']>;
  readonly cwd: string;
  /** Returns a signal that fires at a hook's time limit. */
  readonly hookDeadline?: ((ms: number) => AbortSignal) | undefined;
  /** Gets the output of hooks. */
  readonly tell: (text: string) => void;
  /** Gets problems with notices. */
  readonly warn: (text: string) => void;
  /** Ends the hook `before`, like the run itself. */
  readonly signal: AbortSignal;
}

/** The outcome of the run, as its caller judges it. */
export interface RunOutcome {
  readonly exitStatus: number;
  readonly status: RunStatus;
  readonly problem?: string | undefined;
}

export interface NotedWork<T> {
  readonly run: NotedRun;
  readonly work: () => Promise<T>;
  readonly ofResult: (result: T) => RunOutcome & RunFacts;
  readonly ofFailure: (error: unknown) => RunOutcome & RunFacts;
}

/** True when there is anything to notify. */
export const hasNotices = ({ pingUrl, hooks, textfile, onEnd }: NoticeSettings): boolean =>
  pingUrl !== undefined ||
  textfile !== undefined ||
  onEnd !== undefined ||
  (hooks !== undefined && hooks.before.length + hooks.after.length + hooks.onFailure.length > 0);

const HOOKS: readonly HookName[] = ['before', 'after', 'onFailure'];

/**
 * Returns the result of `work`. @throws what `work` throws; usage for an invalid hook command; `io` when the hook `before` failed, in which
 * case `work` was not started
 */
export async function withNotices<T>(settings: NoticeSettings, world: NoticeWorld, noted: NotedWork<T>): Promise<T> {
  if (!hasNotices(settings)) return await noted.work();
  const { pingUrl, hooks = NO_HOOKS } = settings;
  const { run } = noted;
  for (const name of HOOKS) hookCommand(name, hooks); // refuse invalid hooks before anything begins
  const startedAt = world.now().getTime();
  const pings = pingUrl && (await openPings(pingUrl, run, world));
  const started = pings?.start(); // not awaited before the final ping
  const end = async (judged: RunOutcome & RunFacts): Promise<void> => {
    const endedAt = world.now();
    const ended: EndedRun = { ...judged, durationMs: endedAt.getTime() - startedAt, endedAt };
    settings.onEnd?.(run, ended);
    await sendEndNotices(settings, world, run, ended);
    for (const problem of [await started, await pings?.end(ended)]) if (problem !== undefined) world.warn(problem);
  };
  let result: T;
  try {
    await runBefore(hooks, run, world);
    result = await noted.work();
  } catch (error) {
    await end(noted.ofFailure(error));
    throw error;
  }
  await end(noted.ofResult(result));
  return result;
}

/** @throws io when the hook failed */
async function runBefore(settings: HookSettings, run: NotedRun, world: NoticeWorld): Promise<void> {
  const { runHook } = await import('./run-hook.js');
  const problem = await runHook({ name: 'before', settings, run, ...world });
  if (problem === undefined) return;
  throw new ArchiverError('io', `${problem}: nothing was uploaded`, {
    hint: 'see what it printed; hooks.before in the config file names it',
  });
}

/** @throws usage for a CA bundle that cannot be used */
async function openPings(url: URL, run: NotedRun, { network: networkOf, ...others }: NoticeWorld) {
  const { pingEnd, pingStart } = await import('./ping.js');
  const world = { ...others, network: await networkOf() };
  return {
    start: () => pingStart(url, run, world),
    end: (ended: EndedRun) => pingEnd(url, run, ended, world),
  };
}

/** Sends all notices of the end except the ping. Never throws. */
async function sendEndNotices(
  { hooks = NO_HOOKS, textfile }: NoticeSettings,
  world: NoticeWorld,
  run: NotedRun,
  ended: EndedRun,
): Promise<void> {
  const { warn } = world;
  const isFailure = ended.status === 'failed' || ended.status === 'interrupted';
  const { signal: _over, ...after } = world; // the signal has already ended the run, but the notices are still to be sent
  const name = isFailure ? 'onFailure' : 'after';
  const { runHook } = await import('./run-hook.js');
  const problem = await runHook({ name, settings: hooks, run, ended, ...after }).catch(errorText);
  if (problem !== undefined) warn(problem);
  if (textfile === undefined) return;
  await writeRunMetrics(textfile, run, ended).catch((error: unknown) =>
    warn(`no metrics were written: ${errorText(error)}`),
  );
}
