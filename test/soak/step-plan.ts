// Which steps there are, how often, and histories of several steps that once lost a version.
import { LANES, type Lane } from './commands.js';
import type { Rng } from './prng.js';

export const HOUR_MS = 3_600_000;

/** How often each step is drawn. */
export const WEIGHTS = {
  write: 26,
  race: 20,
  interrupt: 20,
  prune: 9,
  resume: 6,
  elsewhere: 5,
  balance: 5,
  repair: 4,
  copy: 4,
  stale: 4,
  time: 4,
  home: 4,
  migrate: 3,
  'force-repair': 2,
  scuttle: 2,
  // Only as parts of histories:
  again: 0,
  backup: 0,
  'old-home': 0,
} as const;

export type StepKind = keyof typeof WEIGHTS;

export interface Planned {
  readonly kind: StepKind;
  /** Who, or whose dataset. */
  readonly lane?: Lane;
  readonly fault?: 'late' | 'none';
  readonly ms?: number;
  readonly keep?: number;
}

/** What may come between a writer that died near its end and its next try, and that try. */
export function afterInterruption(rng: Rng, lane: Lane): readonly Planned[] {
  const plain = { lane, fault: 'none' } as const;
  const rival = rng.pick([
    lane,
    ...LANES.filter(({ base, datasetId }) => base === lane.base && datasetId === lane.datasetId),
  ]);
  const between = rng.pick<readonly Planned[]>([
    [],
    [{ kind: 'prune', lane, keep: 1 }],
    [{ kind: 'write', lane: rival, fault: 'none' }],
    [
      { kind: 'write', ...plain },
      { kind: 'prune', ...plain, keep: 1 },
    ],
    [
      { kind: 'write', ...plain },
      { kind: 'time', ms: 26 * HOUR_MS },
      { kind: 'prune', ...plain, keep: 1 },
    ],
    [{ kind: 'resume', lane, fault: 'late' }],
    [
      { kind: 'resume', lane },
      { kind: 'resume', lane },
    ],
    [
      { kind: 'resume', lane, fault: 'late' },
      { kind: 'time', ms: 8 * 24 * HOUR_MS },
      { kind: 'prune', fault: 'none' },
    ],
    [{ kind: 'elsewhere' }],
    [{ kind: 'balance', lane }],
    [
      { kind: 'time', ms: 8 * 24 * HOUR_MS },
      { kind: 'prune', ...plain },
      { kind: 'prune', ...plain },
    ],
  ]);
  const next = rng.weighted({ again: 40, resume: 40, write: 20 });
  return [...between, { kind: next, ...plain }];
}

/** A machine that works with what it knew two versions ago. */
export function staleHome(rng: Rng): readonly Planned[] {
  const lane = rng.chance(0.6) ? (LANES.at(-1) as Lane) : rng.pick(LANES);
  const plain = { lane, fault: 'none' } as const;
  const write = { kind: 'write', ...plain } as const;
  const meanwhile = rng.pick<readonly Planned[]>([
    [write, write, { kind: 'prune', lane, keep: 1 }],
    [
      write,
      write,
      { kind: 'prune', lane, keep: 1 },
      { kind: 'time', ms: 26 * HOUR_MS },
      { kind: 'prune', lane, keep: 1 },
    ],
    [write, { kind: 'balance', lane }],
    [{ kind: 'balance', lane }, write],
    [write, { kind: 'prune', lane, keep: 2 }, write],
  ]);
  return [write, { kind: 'backup', lane }, ...meanwhile, { kind: 'old-home', lane }, write, write];
}
