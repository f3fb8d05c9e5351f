// Runs an upload with what others are told of it: a ping and the hook `before` when it begins; the hook `after` or `onFailure`,
// a ping and the metrics file when it has ended. The front door of core/notify. Only `before` can fail a run.
import { ArchiverError, errorText } from '../platform/failures/errors.js';
import { type HookName, hookCommand, type HookSettings, NO_HOOKS } from './hook-settings.js';
import { writeRunMetrics } from './metrics-file.js';
import type { PingWorld } from './ping.js';
import type { EndedRun, NotedRun, RunFacts, RunStatus } from '../events/run-facts.js';

export interface NoticeSettings {
  /** `pingAddress` makes it. */
  readonly pingUrl?: URL | undefined;
  /** Of this computer's own config file only. */
  readonly hooks?: HookSettings | undefined;
  /** Absolute. */
  readonly textfile?: string | undefined;
  /** Told of the end; must not throw. */
  readonly onEnd?: ((run: NotedRun, ended: EndedRun) => void) | undefined;
}

export interface NoticeWorld extends Omit<PingWorld, 'network'> {
  /** How servers are reached; asked for where there are pings. @throws usage for what cannot be used */
  readonly network: () => Promise<PingWorld['network']>;
  readonly cwd: string;
  /** Fires when a hook has had its time. */
  readonly hookDeadline?: ((ms: number) => AbortSignal) | undefined;
  /** Gets what hooks print. */
  readonly tell: (text: string) => void;
  /** Gets what went wrong with a notice. */
  readonly warn: (text: string) => void;
  /** Ends the hook `before`, as it ends the run. */
  readonly signal: AbortSignal;
}

/** How the run ended, as its caller sees it. */
export interface Judged {
  readonly exitStatus: number;
  readonly status: RunStatus;
  readonly problem?: string | undefined;
}

export interface NotedWork<T> {
  readonly run: NotedRun;
  readonly work: () => Promise<T>;
  readonly ofResult: (result: T) => Judged & RunFacts;
  readonly ofFailure: (error: unknown) => Judged & RunFacts;
}

/** True when there is anything to tell. */
export const hasNotices = ({ pingUrl, hooks, textfile, onEnd }: NoticeSettings): boolean =>
  pingUrl !== undefined ||
  textfile !== undefined ||
  onEnd !== undefined ||
  (hooks !== undefined && hooks.before.length + hooks.after.length + hooks.onFailure.length > 0);

const HOOKS: readonly HookName[] = ['before', 'after', 'onFailure'];

/**
 * Gives what `work` gives. @throws what `work` throws; usage for a hook that is no command; `io` where the hook `before` failed:
 * then `work` has not begun
 */
export async function withNotices<T>(settings: NoticeSettings, world: NoticeWorld, noted: NotedWork<T>): Promise<T> {
  if (!hasNotices(settings)) return await noted.work();
  const { pingUrl, hooks = NO_HOOKS } = settings;
  const { run } = noted;
  for (const name of HOOKS) hookCommand(name, hooks); // refused before anything begins
  const startedAt = world.now().getTime();
  const pings = pingUrl && (await openPings(pingUrl, run, world));
  const started = pings?.start(); // nothing waits for it but the next one
  const end = async (judged: Judged & RunFacts): Promise<void> => {
    const endedAt = world.now();
    const ended: EndedRun = { ...judged, durationMs: endedAt.getTime() - startedAt, endedAt };
    settings.onEnd?.(run, ended);
    await tellEnd(settings, world, run, ended);
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

/** @throws io where it failed */
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

/** All but the ping. Never throws. */
async function tellEnd(
  { hooks = NO_HOOKS, textfile }: NoticeSettings,
  world: NoticeWorld,
  run: NotedRun,
  ended: EndedRun,
): Promise<void> {
  const { warn } = world;
  const isFailure = ended.status === 'failed' || ended.status === 'interrupted';
  const { signal: _over, ...after } = world; // an interruption has ended the run, and is to be told of
  const name = isFailure ? 'onFailure' : 'after';
  const { runHook } = await import('./run-hook.js');
  const problem = await runHook({ name, settings: hooks, run, ended, ...after }).catch(errorText);
  if (problem !== undefined) warn(problem);
  if (textfile === undefined) return;
  await writeRunMetrics(textfile, run, ended).catch((error: unknown) =>
    warn(`no metrics were written: ${errorText(error)}`),
  );
}
