// All scenarios on one server, one after the other.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KnownServer } from '../servers/known-servers.js';
import type { S3Server } from '../servers/s3-server.js';
import { judge, type Outcome, type Scenario } from './scenario.js';
import { World } from './world.js';

export interface RunOptions {
  readonly seed: string;
  readonly say: (line: string) => void;
  /** Leave what scenarios left when one of them failed. */
  readonly keep: boolean;
}

const running = new Set<S3Server>();

/** Ends every server that runs. */
export async function stopServers(): Promise<void> {
  await Promise.all([...running].map((server) => server.stop()));
}

const MARKS = { holds: '✓', 'says so': '–', fails: '✗', fault: '✗' } as const;

/** Starts the server and runs them. @throws with its reason when it does not start */
export async function runServer(
  server: KnownServer,
  scenarios: readonly Scenario[],
  { seed, say, keep }: RunOptions,
): Promise<ReadonlyMap<string, Outcome>> {
  const started = await server.start?.();
  if (started !== undefined) running.add(started);
  const folder = mkdtempSync(join(tmpdir(), `archiver-stores-${server.id}-`));
  const world = new World(server, started, folder, `${seed}/${server.id}`);
  const outcomes = new Map<string, Outcome>();
  try {
    for (const scenario of scenarios) {
      const outcome = await judge(scenario, world);
      outcomes.set(scenario.name, outcome);
      say(`${MARKS[outcome.verdict]} ${server.name}: ${scenario.name} (${(outcome.durationMs / 1000).toFixed(1)} s)`);
      if (outcome.verdict === 'fault') say(`${server.name} > ${scenario.name}: ${outcome.reason}`);
      if (outcome.verdict === 'fails') say(`FAILED ${server.name} > ${scenario.name}: ${outcome.reason}`);
    }
  } finally {
    world.close();
    await started?.stop();
    if (started !== undefined) running.delete(started);
  }
  const hasFailed = [...outcomes.values()].some(({ verdict }) => verdict === 'fails');
  if (hasFailed && keep) say(`${server.name}: what it left is in ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
  return outcomes;
}
