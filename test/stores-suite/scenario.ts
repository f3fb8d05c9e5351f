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

/** `fault`: what does not hold is known to be the server's own. */
export type Verdict = 'holds' | 'says so' | 'fails' | 'fault';

export interface Outcome {
  readonly verdict: Verdict;
  readonly durationMs: number;
  /** Why it fails. */
  readonly reason?: string;
}

/** Runs a scenario on a server, or on one that lacks what it needs the check that the command says so. */
export async function judge({ name, run, needs, withoutIt }: Scenario, world: World): Promise<Outcome> {
  const startedAt = performance.now();
  const isLacking = needs !== undefined && !world.can(needs);
  const step = isLacking ? withoutIt : run;
  const fault = world.server.faults?.[name];
  const ended = (): number => performance.now() - startedAt;
  try {
    if (step === undefined) throw new Error(`nothing says what becomes of it without ${needs}`);
    await step(world);
    if (fault !== undefined)
      throw new Failure(`it holds, though ${fault}: test/servers/known-servers.ts is out of date`);
    return { verdict: isLacking ? 'says so' : 'holds', durationMs: ended() };
  } catch (error) {
    if (fault !== undefined && !isOutdated(error)) return { verdict: 'fault', durationMs: ended(), reason: fault };
    return { verdict: 'fails', durationMs: ended(), reason: reasonOf(error) };
  }
}

const isOutdated = (error: unknown): boolean => error instanceof Failure && error.message.startsWith('it holds');

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
