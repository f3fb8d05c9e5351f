// The loop of an agent: plan, cycle, heartbeats, wait. Cycles never overlap because there is only one loop; only the last heartbeat is kept
// from one cycle to the next.
import { isArchiverError } from '../../platform/failures/errors.js';
import type { Heartbeat, HeartbeatSource, ReadFinding } from '../heartbeat.js';
import type { AgentMemory } from './agent-memory.js';
import { type AgentPlan, type AgentSource, type PlanSource, type PlanState } from './agent-plan.js';
import { agentFindings } from './agent-findings.js';
import type { HeartbeatSender } from './heartbeat-sender.js';
import {
  type ArchiveSource,
  heartbeatSource,
  isOutage,
  runCycle,
  type RunCycle,
  type SourceOutcome,
  unknownSource,
} from './cycle.js';
import { catchUpMs, isRunDue, nextStartMs } from './schedule.js';
import { SourceWatch, type SourceWatchOptions } from './source-watch.js';
import { type AgentClock, waitUntil } from './wait-until.js';

/** Time between two heartbeats of a long cycle. */
const BEAT_MS = 180_000;
/** Time between two looks for another config while the agent waits. */
const LOOK_MS = 300_000;
/** Time limit of the last heartbeat, since a stopped agent has ten seconds in all. */
const LAST_BEAT_MS = 2_000;
/** Time limit of the heartbeat after an ordinary cycle. */
const BEAT_PATIENCE_MS = 40_000;

export interface AgentIdentity {
  readonly writerId: string;
  readonly host: string;
  readonly instanceId: string;
  readonly archiverVersion: string;
}

export interface AgentOptions {
  readonly identity: AgentIdentity;
  readonly plans: PlanSource;
  readonly archive: ArchiveSource;
  /** Replaces `runCycle`; may do more around it. */
  readonly cycle?: RunCycle | undefined;
  readonly heartbeats: HeartbeatSender;
  readonly watching: Pick<SourceWatchOptions, 'storeOf' | 'isResendExpected'>;
  readonly memory: AgentMemory;
  readonly clock: AgentClock;
  readonly signal: AbortSignal;
  /** Used while no plan has an interval. */
  readonly intervalMs: number;
  /** Run only one cycle. */
  readonly once: boolean;
  /** Called when a cycle has ended. */
  readonly onCycle: (cycle: EndedAgentCycle) => void;
}

/** The result of one cycle. */
export interface EndedAgentCycle {
  /** The state as a heartbeat reports it. */
  readonly heartbeat: Heartbeat;
  readonly outcomes: readonly SourceOutcome[];
  readonly plan: AgentPlan | undefined;
  /** Start of the next cycle in ms since 1970; undefined when there is none. */
  readonly nextMs: number | undefined;
}

/** Runs until `signal` aborts, or once. Returns the last cycle that ended, if any. */
export async function runAgent(options: AgentOptions): Promise<EndedAgentCycle | undefined> {
  const { memory, watching, clock } = options;
  const [before, watched] = [await memory.read(), await memory.watched()];
  const watch = new SourceWatch({ watched, findings: before?.findings ?? [] }, { ...watching, now: clock.now });
  return await new Agent(options, watch, before).run();
}

class Agent {
  private phase: Heartbeat['phase'] = 'starting';
  private state: PlanState = { plan: undefined, error: undefined };
  private cycle: Heartbeat['cycle'];
  private lastSuccessAt: string | null;
  private sources: readonly HeartbeatSource[];
  private outages = 0;
  private last: EndedAgentCycle | undefined;

  constructor(
    private readonly options: AgentOptions,
    private readonly watch: SourceWatch,
    before: Heartbeat | undefined,
  ) {
    this.lastSuccessAt = before?.lastSuccessAt ?? null;
    this.sources = before?.sources ?? [];
    this.cycle = { startedAt: this.nowText(), endedAt: null, isHealthy: before?.cycle.isHealthy ?? null };
  }

  async run(): Promise<EndedAgentCycle | undefined> {
    const { signal, once, heartbeats } = this.options;
    heartbeats.send(() => this.heartbeat());
    // Report the stop immediately: the running work may take all of the remaining time.
    const stop = (): void => this.stop();
    signal.addEventListener('abort', stop);
    try {
      while (!signal.aborted) {
        const nextMs = await this.once();
        if (once) break;
        await this.wait(nextMs);
      }
    } catch (error) {
      if (!signal.aborted || !isArchiverError(error, 'cancelled')) throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
    // For an agent that runs once, the last heartbeat is the one with the result of its cycle.
    if (signal.aborted) {
      this.stop();
      await heartbeats.settled(LAST_BEAT_MS);
    }
    return this.last;
  }

  private stop(): void {
    this.phase = 'stopped';
    this.options.heartbeats.send(() => this.heartbeat());
  }

  /** Runs one cycle; returns when the next one begins, in ms since 1970. @throws cancelled */
  private async once(): Promise<number> {
    const { plans, archive, cycle = runCycle, heartbeats, memory, clock, signal, onCycle } = this.options;
    const startedMs = clock.now().getTime();
    this.cycle = { ...this.cycle, startedAt: this.nowText(), endedAt: null };
    const beating = this.beating();
    const answered = await memory.takeAnswer();
    if (answered !== undefined) this.watch.answer(answered.sources);
    let outcomes: readonly SourceOutcome[] = [];
    const { plan } = (this.state = await plans.next(signal));
    try {
      if (!signal.aborted) this.phase = 'running';
      this.takeSources(plan);
      heartbeats.send(() => this.heartbeat(), true);
      const onEnd = (outcome: SourceOutcome): void => this.take(outcome);
      if (plan !== undefined) {
        const run = async (source: AgentSource): Promise<SourceOutcome> => await this.watch.run(source, plan, archive);
        outcomes = await cycle({ plan, archive: run, findings: () => this.findings(), signal, onEnd });
      }
    } finally {
      clearInterval(beating);
    }
    this.end(plan, outcomes);
    await memory.write(this.heartbeat(), this.watch.list());
    heartbeats.send(() => this.heartbeat());
    await heartbeats.settled(BEAT_PATIENCE_MS);
    const endedMs = clock.now().getTime();
    this.outages = plan === undefined || isOutage(outcomes) ? this.outages + 1 : 0;
    const intervalMs = this.intervalMs();
    const nextMs = nextStartMs({ startedMs, endedMs, intervalMs, outages: this.outages }, clock.random);
    this.last = { heartbeat: this.heartbeat(), outcomes, plan, nextMs: this.options.once ? undefined : nextMs };
    onCycle(this.last);
    return nextMs;
  }

  private beating(): NodeJS.Timeout {
    return setInterval(() => this.options.heartbeats.send(() => this.heartbeat()), BEAT_MS).unref();
  }

  private async wait(dueMs: number): Promise<void> {
    const { clock, signal } = this.options;
    const isAsked = await waitUntil(dueMs, clock, signal, { everyMs: LOOK_MS, look: () => this.look() });
    if (isAsked) return;
    const moreMs = catchUpMs(dueMs, clock.now().getTime(), this.intervalMs(), clock.random);
    if (moreMs > 0 && !signal.aborted) await clock.sleep(moreMs, signal);
  }

  /** Looks for another config; returns true when it asks for a cycle at once. It is used from the next cycle on, when `once` asks for it. */
  private async look(): Promise<boolean> {
    const { plans, heartbeats, clock, signal } = this.options;
    const found = await plans.look?.(signal);
    if (found === undefined) return false;
    const { error, runNowMs } = found;
    if (error !== this.state.error) {
      this.state = { ...this.state, error };
      heartbeats.send(() => this.heartbeat());
    }
    return runNowMs !== undefined && isRunDue(runNowMs, Date.parse(this.cycle.startedAt), clock.now().getTime());
  }

  private intervalMs(): number {
    return this.state.plan?.intervalMs ?? this.options.intervalMs;
  }

  /** Takes over the sources of the plan, which may differ from those before. */
  private takeSources(plan: AgentPlan | undefined): void {
    if (plan === undefined) return;
    const before = new Map(this.sources.map((source) => [source.path, source]));
    this.sources = plan.sources.map(({ path }) => before.get(path) ?? unknownSource(path));
  }

  private take(outcome: SourceOutcome): void {
    const now = this.options.clock.now();
    this.sources = this.sources.map((before) =>
      before.path === outcome.source.path ? heartbeatSource(outcome, before, now) : before,
    );
  }

  private end(plan: AgentPlan | undefined, outcomes: readonly SourceOutcome[]): void {
    const isHealthy = plan !== undefined && outcomes.every(({ result }) => result !== undefined);
    this.phase = 'waiting';
    this.cycle = { ...this.cycle, endedAt: this.nowText(), isHealthy };
    if (isHealthy) this.lastSuccessAt = this.cycle.endedAt;
  }

  private nowText(): string {
    return this.options.clock.now().toISOString();
  }

  private heartbeat(): Heartbeat {
    const { identity } = this.options;
    const { plan, error } = this.state;
    return {
      formatVersion: 1,
      ...identity,
      configVersion: plan?.version ?? null,
      configError: error ?? null,
      checkedInAt: this.nowText(),
      phase: this.phase,
      lastSuccessAt: this.lastSuccessAt,
      intervalSeconds: Math.round(this.intervalMs() / 1000),
      cycle: this.cycle,
      problem: this.problem(),
      sources: this.sources,
      findings: this.findings(),
    };
  }

  private findings(): readonly ReadFinding[] {
    const { clone, clockAheadMs } = this.options.heartbeats;
    const { plan, error, forged } = this.state;
    return [
      // Where there is no other plan, a refused config is the problem already.
      ...agentFindings({ configError: plan === undefined ? undefined : error, forged, clone, clockAheadMs }),
      ...this.watch.findings(plan?.sources ?? this.sources),
    ];
  }

  /** Describes what keeps the agent from its work. A refused config is reported separately, unless there is no other plan. */
  private problem(): string | null {
    const { plan, error } = this.state;
    const failed = this.sources.filter(({ isHealthy }) => isHealthy === false);
    const [first] = failed;
    const of = failed.length === 1 ? '' : ` (and ${failed.length - 1} more of ${this.sources.length} sources)`;
    const parts = [
      plan === undefined ? error : undefined,
      first && `${first.path}: ${first.error ?? 'failed'}${of}`,
    ].filter((part) => part !== undefined);
    return parts.length === 0 ? null : parts.join('; ');
  }
}
