// Pings, hooks and metrics of an agent: for those who are notified, each cycle is a run.
import type { Context } from '../../../cli/context.js';
import {
  type CycleInput,
  failureText,
  type RunCycle,
  runCycle,
  type SourceOutcome,
} from '../../../core/fleet/agent/cycle.js';
import { withoutSecrets } from '../../../core/platform/failures/hide-secrets.js';
import type { RunFacts } from '../../../core/events/run-facts.js';
import { pingAddress } from '../../../core/notify/ping-address.js';
import { hasNotices, type RunOutcome, withNotices } from '../../../core/notify/with-notices.js';
import { throwIfCancelled } from '../../../core/store/store-error.js';
import { noticeSettings, noticeWorld } from '../../notify/run-notices.js';
import { outcomeOfFailure } from '../../upload/notified-run.js';
import type { ReadFinding } from '../../../core/fleet/heartbeat.js';
import type { AgentValues } from './agent-flags.js';
import { statusOf } from './agent-report.js';

/**
 * Returns the cycle with notifications: those of this computer, and the ping of the config where this computer names none. `store` is the
 * place of the writer. @throws usage for an invalid address
 */
export function cycleWithNotices(values: AgentValues, store: string, context: Context): RunCycle {
  const own = noticeSettings(values, context);
  const world = noticeWorld({ ...values }, context);
  return async (input) => {
    const { pingUrl } = input.plan;
    const settings = pingUrl === undefined ? own : { ...own, pingUrl: own.pingUrl ?? pingAddress(pingUrl) };
    if (!hasNotices(settings)) return await runCycle(input);
    const source = input.plan.sources.map(({ path }) => path).join(' ');
    try {
      return await withNotices(settings, world, {
        run: { command: 'fleetagent run', source, store },
        work: () => runCycle(input),
        ofResult: (outcomes) => cycleOutcome(outcomes, input.findings()),
        ofFailure: (error) => outcomeOfFailure(error, context.signal),
      });
    } catch (failure) {
      throwIfCancelled(input.signal);
      return failAll(input, failure);
    }
  };
}

/** Fails all sources after a hook that failed before the cycle, which is no reason for a service to end. */
function failAll({ plan, onEnd }: CycleInput, failure: unknown): readonly SourceOutcome[] {
  const outcomes = plan.sources.map((source) => ({ source, failure }));
  for (const outcome of outcomes) onEnd(outcome);
  return outcomes;
}

/** The outcome of a cycle: sums over all sources, and the names of the upload if there is just one source. */
function cycleOutcome(outcomes: readonly SourceOutcome[], findings: readonly ReadFinding[]): RunOutcome & RunFacts {
  const exitStatus = statusOf(outcomes, findings);
  const results = outcomes.flatMap(({ result }) => (result === undefined ? [] : [result]));
  const [failed] = outcomes.filter(({ result }) => result === undefined);
  const sum = (of: (result: (typeof results)[number]) => number): number =>
    results.reduce((total, result) => total + of(result), 0);
  const [only] = outcomes.length === 1 ? results : [];
  return {
    exitStatus,
    status: exitStatus === 0 ? 'done' : exitStatus === 3 ? 'partial' : 'failed',
    problem: withoutSecretsOf(
      failed === undefined ? findings[0]?.detail : `${failed.source.path}: ${failureText(failed.failure)}`,
    ),
    datasetId: only?.datasetId,
    uploadId: only?.uploadId,
    version: only?.version,
    files: sum(({ files }) => files),
    bytes: sum(({ bytes }) => bytes),
    storedBytes: sum(({ storedBytes }) => storedBytes),
  };
}

const withoutSecretsOf = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : withoutSecrets(text);
