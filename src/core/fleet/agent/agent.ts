// The loop of an agent: plan, cycle, heartbeats, wait. Cycles never overlap because there is one loop; nothing is kept from one
// to the next but the last heartbeat.
import { isArchiverError } from '../../platform/failures/errors.js';
import type { Heartbeat, HeartbeatSource } from '../heartbeat.js';
import type { AgentMemory } from './agent-memory.js';
import { type AgentPlan, deleteRefusal, type PlanSource, type PlanState } from './agent-plan.js';
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
import { catchUpMs, nextStartMs } from './schedule.js';
import { type AgentClock, waitUntil } from './wait-until.js';

/** Between two heartbeats of a long cycle. */
const BEAT_MS = 180_000;
/** How long the last heartbeat may take, of the ten seconds that a stopped agent has. */
const LAST_BEAT_MS = 2_000;
/** The same after an ordinary cycle. */
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
  /** Instead of `runCycle`, around which it may do more. */
  readonly cycle?: RunCycle | undefined;
  readonly heartbeats: HeartbeatSender;
  readonly memory: AgentMemory;
  readonly clock: AgentClock;
  readonly signal: AbortSignal;
  /** While there is no plan that says it. */
  readonly intervalMs: number;
  /** One cycle and no more. */
  readonly once: boolean;
  /** Told when a cycle has ended. */
  readonly onCycle: (cycle: EndedAgentCycle) => void;
}

/** What became of one cycle. */
export interface EndedAgentCycle {
  /** As the heartbeat says it. */
  readonly heartbeat: Heartbeat;
  readonly outcomes: readonly SourceOutcome[];
  readonly plan: AgentPlan | undefined;
  /** Ms since 1970; undefined where there is none. */
  readonly nextMs: number | undefined;
}

/** Runs until `signal` aborts, or once. Gives the last cycle that ended, if one did. */
export async function runAgent(options: AgentOptions): Promise<EndedAgentCycle | undefined> {
  return await new Agent(options, await options.memory.read()).run();
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
    before: Heartbeat | undefined,
  ) {
    this.lastSuccessAt = before?.lastSuccessAt ?? null;
    this.sources = before?.sources ?? [];
    this.cycle = { startedAt: this.nowText(), endedAt: null, isHealthy: before?.cycle.isHealthy ?? null };
  }

  async run(): Promise<EndedAgentCycle | undefined> {
    const { signal, once, heartbeats } = this.options;
    heartbeats.send(() => this.heartbeat());
    // At once: what is under way may take all of the time that is left.
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
    // The last thing that is said of an agent that runs once is how its cycle ended.
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

  /** One cycle; gives when the next one begins. @throws cancelled */
  private async once(): Promise<number> {
    const { plans, archive, cycle = runCycle, heartbeats, memory, clock, signal, onCycle } = this.options;
    const startedMs = clock.now().getTime();
    this.cycle = { ...this.cycle, startedAt: this.nowText(), endedAt: null };
    const beating = this.beating();
    let outcomes: readonly SourceOutcome[] = [];
    const { plan } = (this.state = await plans.next(signal));
    try {
      if (!signal.aborted) this.phase = 'running';
      this.takeSources(plan);
      heartbeats.send(() => this.heartbeat(), true);
      const onEnd = (outcome: SourceOutcome): void => this.take(outcome);
      if (plan !== undefined) outcomes = await cycle({ plan, archive, signal, onEnd });
    } finally {
      clearInterval(beating);
    }
    this.end(plan, outcomes);
    await memory.write(this.heartbeat());
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
    await waitUntil(dueMs, clock, signal);
    const moreMs = catchUpMs(dueMs, clock.now().getTime(), this.intervalMs(), clock.random);
    if (moreMs > 0 && !signal.aborted) await clock.sleep(moreMs, signal);
  }

  private intervalMs(): number {
    return this.state.plan?.intervalMs ?? this.options.intervalMs;
  }

  /** A config may have other sources than the one before. */
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
    };
  }

  /** What keeps it from its work; a config that was refused has a place of its own, unless there is no other one. */
  private problem(): string | null {
    const { plan, error } = this.state;
    const failed = this.sources.filter(({ isHealthy }) => isHealthy === false);
    const [first] = failed;
    const of = failed.length === 1 ? '' : ` (and ${failed.length - 1} more of ${this.sources.length} sources)`;
    const parts = [
      this.options.heartbeats.clone,
      plan === undefined ? error : deleteRefusal(plan),
      first && `${first.path}: ${first.error ?? 'failed'}${of}`,
    ].filter((part) => part !== undefined);
    return parts.length === 0 ? null : parts.join('; ');
  }
}
