// Runs `fleetagent run`: checks, one agent per writer, the loop, and reports of each cycle.
import { formatTimestamp } from '../../../ui/format-time.js';
import { mkdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pkg from '../../../../package.json' with { type: 'json' };
import type { Context } from '../../../cli/context.js';
import { type EndedAgentCycle, runAgent } from '../../../core/fleet/agent/agent.js';
import { agentMemory, agentPath } from '../../../core/fleet/agent/agent-memory.js';
import { HeartbeatSender } from '../../../core/fleet/agent/heartbeat-sender.js';
import { checkCredentialsFile } from '../../../core/fleet/agent/credentials-file.js';
import { instanceIdOf } from '../../../core/fleet/agent/instance-id.js';
import type { AgentClock } from '../../../core/fleet/agent/wait-until.js';
import { errorText, isArchiverError } from '../../../core/platform/failures/errors.js';
import { escapeForTerminal } from '../../../core/platform/json/document.js';
import { StoreRefusals } from '../../../core/store/abilities.js';
import { withoutLogin } from '../../../core/store/endpoint-url.js';
import { joinStoreUrl, parseStoreUrl } from '../../../core/store/store-url.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { holdLock, type Lock } from '../../../core/platform/state/lock.js';
import { collectGarbage } from '../../../core/platform/threads/collect-garbage.js';
import { retainThreads } from '../../../core/platform/threads/threads.js';
import { lockOption } from '../../kit/place-options.js';
import { warnOfUnwritableHome } from '../../upload/unwritable-home.js';
import { agentDocument, agentText, cycleLine, cycleObject, exitStatus, troublesOf } from './agent-report.js';
import { agentSetup, DEFAULT_INTERVAL_MS } from './agent-setup.js';
import { sourceArchiver } from './archive-source.js';
import { cycleWithNotices } from './cycle-with-notices.js';
import { openFleet } from './open-fleet.js';
import type { AgentValues } from './agent-flags.js';

/** Policies change, so that refused operations are tried again once a day. */
const REFUSALS_HOLD_MS = 86_400_000;

type Args = readonly [source: string | undefined, url: string | undefined];

/** Runs until it is stopped, or for one cycle; returns the exit status. @throws what keeps an agent from beginning */
export async function runAgentCommand(
  values: AgentValues,
  args: Args,
  given: Context<'fleetagent run'>,
): Promise<number> {
  const context = withTimestamps(given);
  const warn = withoutRepeats(await warnOfUnwritableHome(context));
  const { baseUrl, writerId, plans } = await agentSetup(values, args, context, warn);
  lockOption(values, baseUrl); // refuses an invalid lock before anything begins
  if (parseStoreUrl(baseUrl).kind === 's3' && values.profile === undefined) checkCredentialsFile(context);
  const cycle = cycleWithNotices(values, joinStoreUrl(baseUrl, 'writers', writerId), context);
  const path = agentPath(context.home, { baseUrl, writerId });
  const lock = await lockOf(path, writerId, warn);
  const instanceId = instanceIdOf(writerId, values.once);
  const identity = { writerId, host: hostname(), instanceId, archiverVersion: pkg.version };
  const refusals = { open: new StoreRefusals(), sinceMs: context.now().getTime() };
  const known = (): StoreRefusals => {
    const nowMs = context.now().getTime();
    if (Math.abs(nowMs - refusals.sinceMs) > REFUSALS_HOLD_MS)
      Object.assign(refusals, { open: new StoreRefusals(), sinceMs: nowMs });
    return refusals.open;
  };
  const heartbeats = new HeartbeatSender({
    writerId,
    open: (signal) => openFleet(baseUrl, values, context, { signal, refusals: known() }),
    onTrouble: (text) => context.note(text),
  });
  const endThreads = retainThreads();
  let cycles = 0;
  try {
    const last = await runAgent({
      identity,
      plans,
      archive: sourceArchiver({ baseUrl, writerId, values, context, warn, refusals: known }),
      cycle,
      heartbeats,
      watching: {
        storeOf: (plan) => storeOf(plan.storeUrl ?? baseUrl, values, context),
        isResendExpected: !values.manifestCache,
      },
      memory: agentMemory(path, warn),
      clock: clockOf(context),
      signal: context.signal,
      intervalMs: values.interval ?? DEFAULT_INTERVAL_MS,
      once: values.once,
      onCycle(cycle) {
        cycles++;
        if (!values.once) collectGarbage(); // the memory of the cycle may be large, and the next cycle a day away
        reportCycle(cycle, values, context);
      },
    });
    // With --once, an aborted run has no result.
    if (values.once && context.signal.aborted) context.signal.throwIfAborted();
    const about = { writerId, baseUrl, cycles, last };
    context.outcome(agentDocument(about), () => agentText(about));
    return values.once ? exitStatus(last) : 0;
  } finally {
    await endThreads();
    await lock?.release();
  }
}

/** Returns the address of a store with that of its server, without a login, where it is not AWS. */
async function storeOf(url: string, { endpointUrl, profile }: AgentValues, { env }: Context): Promise<string> {
  if (parseStoreUrl(url).kind === 'file') return url;
  const { storeEndpoint } = await import('../../../core/store/s3/s3-profile.js');
  const server = withoutLogin(await storeEndpoint({ endpointUrl, profile, env }));
  return server === undefined ? url : `${url} at ${server}`;
}

const clockOf = ({ now }: Context): AgentClock => ({
  now,
  random: Math.random,
  sleep: (ms, signal) => sleep(ms, undefined, { signal }).catch(() => undefined),
});

/** Puts a timestamp before each message, as the lines of a service need. */
function withTimestamps(context: Context<'fleetagent run'>): Context<'fleetagent run'> {
  const at = (text: string): string => `${formatTimestamp(context.now())} ${text}`;
  return {
    ...context,
    note: (text) => context.note(at(text)),
    warn: (text) => context.warn(at(text)),
    debug: (text) => context.debug(at(text)),
  };
}

/** Skips a message that is the same as the last one, so that lasting trouble is not reported in each cycle. */
function withoutRepeats(tell: (text: string) => void): (text: string) => void {
  let last: string | undefined;
  return (text) => {
    if (text !== last) tell(text);
    last = text;
  };
}

/**
 * Takes the lock of the writer; undefined, with a warning, where locks cannot be kept. @throws conflict where another agent of this writer
 * runs
 */
async function lockOf(path: string, writerId: string, warn: (text: string) => void): Promise<Lock | undefined> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return await holdLock(`${path}.lock`, { host: hostname(), what: `writer ${writerId}` });
  } catch (error) {
    if (isArchiverError(error, 'conflict')) throw error;
    warn(`nothing keeps a second agent of this writer from running: ${errorText(error)}`);
    return undefined;
  }
}

function reportCycle(cycle: EndedAgentCycle, values: AgentValues, context: Context<'fleetagent run'>): void {
  const isJson = context.json || values.progressFormat === 'json';
  // With --once the document of the cycle is the result instead.
  if (isJson && !values.once) context.stderr.write(`${escapeForTerminal(JSON.stringify(cycleObject(cycle)))}\n`);
  if (isJson) return;
  context.note(cycleLine(cycle, values));
  for (const text of troublesOf(cycle.heartbeat)) context.warn(printable(text));
}
