// What an agent finds of itself, beside its sources.
import type { Finding } from '../heartbeat.js';

export interface AgentFacts {
  /** Why the config that lies there is not used. */
  readonly configError: string | undefined;
  /** A version of its config that somebody else has noted, in a sentence. */
  readonly forged?: string | undefined;
  /** Who else writes as this writer, in a sentence. */
  readonly clone: string | undefined;
  /** How far the clock of this computer is ahead of that of the store, negative when it is behind; undefined when the store does not say. */
  readonly clockAheadMs: number | undefined;
}

/** Clocks that differ by less are no finding: requests are signed well until then. */
const TOLERANCE_MS = 5 * 60_000;

export function agentFindings({ configError, forged, clone, clockAheadMs = 0 }: AgentFacts): readonly Finding[] {
  const minutes = Math.round(Math.abs(clockAheadMs) / 60_000);
  const clock = `its clock is ${minutes} minutes ${clockAheadMs > 0 ? 'ahead of' : 'behind'} the store's: set it`;
  const of = (kind: Finding['kind'], detail: string): Finding => ({ kind, source: null, detail });
  return [
    ...(configError === undefined
      ? []
      : [of('config-refused', `it does not take the config that lies there for it: ${configError}`)]),
    ...(forged === undefined ? [] : [of('version-forged', forged)]),
    ...(clone === undefined ? [] : [of('cloned', clone)]),
    ...(Math.abs(clockAheadMs) < TOLERANCE_MS ? [] : [of('clock-skewed', clock)]),
  ];
}
