// What the suite asks of every server, and what comes of it.
import type { Ability } from '../servers/known-servers.js';
import type { World } from './world.js';

type Step = (world: World) => Promise<void>;

/** A line of the table. */
export interface Scenario {
  readonly name: string;
  /** Throws where something does not hold. */
  readonly run: Step;
  /** Without this ability the command can not do it, and says so: that is what `withoutIt` checks. */
  readonly needs?: Ability;
  readonly withoutIt?: Step;
}

export type Verdict = 'holds' | 'says so' | 'fails';

export interface Outcome {
  readonly verdict: Verdict;
  readonly durationMs: number;
  /** Why it fails. */
  readonly reason?: string;
}

/** Runs a scenario on a server, or on one that lacks what it needs the check that the command says so. */
export async function judge({ run, needs, withoutIt }: Scenario, world: World): Promise<Outcome> {
  const startedAt = performance.now();
  const isLacking = needs !== undefined && !world.can(needs);
  const step = isLacking ? withoutIt : run;
  const ended = (): number => performance.now() - startedAt;
  try {
    if (step === undefined) throw new Error(`nothing says what becomes of it without ${needs}`);
    await step(world);
    return { verdict: isLacking ? 'says so' : 'holds', durationMs: ended() };
  } catch (error) {
    return { verdict: 'fails', durationMs: ended(), reason: reasonOf(error) };
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Failure ? error.message : String((error as Error).stack);

/** Something does not hold. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** @throws Failure unless it is so */
export function expect(isSo: boolean, what: string): asserts isSo {
  if (!isSo) throw new Failure(what);
}

/** @throws Failure unless both are the same, as JSON says them */
export function expectSame(actual: unknown, expected: unknown, what: string): void {
  const [found, wanted] = [JSON.stringify(actual), JSON.stringify(expected)];
  expect(found === wanted, `${what}: ${found} instead of ${wanted}`);
}
