// Which steps there are, how often, and histories of several steps that once lost a version.
import { LANES, type Lane } from './commands.js';
import type { Rng } from './prng.js';

export const HOUR_MS = 3_600_000;

/** How often each step is drawn that has a place of its own (trial.ts). */
export const TRIALS = {
  sleeper: 8,
  clone: 7,
  forged: 6,
  vanished: 5,
  'old-store': 5,
  rot: 5,
  scuttled: 4,
  shrunk: 4,
  moved: 4,
} as const;

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
  ...TRIALS,
} as const;

export type StepKind = keyof typeof WEIGHTS;

/** In words, for --help. */
export const KINDS: Readonly<Record<StepKind, string>> = {
  write: 'any command that writes, under any fault',
  race: 'two or three commands at once, one of them stopped for a while, perhaps',
  interrupt: 'a writer dies near its end, something else happens, and it goes on',
  prune: 'a prune, with and without a grace',
  resume: 'a machine takes up what it has saved',
  elsewhere: 'a machine takes up what another one has begun',
  balance: 'shards are made even',
  repair: 'a manifest is damaged and repaired',
  copy: 'a copy of the store is damaged, repaired and pruned',
  stale: 'a machine works with the home that it had two versions ago',
  time: 'hours or days pass in the store',
  home: 'a home is lost, saved, or put back',
  migrate: 'a tar archive becomes a version',
  'force-repair': 'a repair of what is sound',
  scuttle: 'a base inside of the base is wiped',
  again: 'the last command once more (in histories only)',
  backup: 'a home is saved (in histories only)',
  'old-home': 'a home is put back (in histories only)',
  sleeper: 'a writer is stopped beside a chunk, its manifest or its record while two prunes take it for abandoned',
  clone: 'a copied home, or one that two containers (pid namespaces) share, resumes one upload twice at once',
  forged: 'a key that may only put adds empty versions of any date, and prunes by any rule follow',
  vanished: 'the store is gone for a while: writers refuse and put nothing',
  'old-store': 'the store is brought back from an older copy, or an empty one',
  rot: 'a manifest or a chunk is damaged below a warm cache: never "no changes"',
  scuttled: 'everything is wiped while a writer is stopped',
  shrunk: 'the source is empty, or nearly: refused unless that was allowed',
  moved: 'everything got other times and names: seen, and not sent again',
};

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
