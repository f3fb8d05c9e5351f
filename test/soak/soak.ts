// npm run soak: random commands, faults and races on one store by three machines; after each step every version must be
// there, restore to the tree it was made from, and verify. Drives dist/cli.js as users do. See --help.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Checker } from './check.js';
import { CLI, stopAll } from './machine.js';
import { Rng } from './prng.js';
import { openSoakStore, STORES } from './servers.js';
import { KINDS, TRIALS, WEIGHTS, type StepKind } from './step-plan.js';
import { Steps } from './steps.js';
import { makeMachines, SoakFailure, World } from './world.js';

const isTrial = (kind: StepKind): boolean => kind in TRIALS;
const describeKinds = (isIncluded: (kind: StepKind) => boolean): string =>
  (Object.entries(KINDS) as [StepKind, string][])
    .filter(([kind]) => isIncluded(kind))
    .map(([kind, text]) => `  ${kind.padEnd(17)} ${text}`)
    .join('\n');

const HELP = `npm run soak -- [flags]     (after npm run build)
  --minutes N       how long (default 10; no limit with --steps alone)
  --steps N         at most so many steps
  --seed N          replays the steps of this seed (default: a new one)
  --store KIND      ${STORES.join(' | ')} (default folder; s3 is a server in this process)
  --without A,B     leave out these kinds of steps, such as elsewhere,copy
  --only A,B        no others than these
  --keep            keep the work folder also when nothing failed
Each line of steps.log begins with seed and step: --seed and --steps replay up to it.
Kinds of steps: on the store that all share, three machines
${describeKinds((kind) => !isTrial(kind))}
and in a place of its own, which the step begins and judges by itself:
${describeKinds(isTrial)}
ceph and moto use ARCHIVER_TEST_RGW and ARCHIVER_TEST_MOTO when these name a running server, else they start one.
`;

interface Settings {
  readonly seed: string;
  readonly store: string;
  readonly steps: number;
  readonly untilMs: number;
  readonly keep: boolean;
  readonly isLeftOut: (kind: StepKind) => boolean;
}

/** @throws for a kind of step that does not exist */
function kinds(text: string | undefined): readonly string[] {
  const named = text?.split(',') ?? [];
  const unknown = named.find((name) => !(name in WEIGHTS));
  if (unknown !== undefined)
    throw new Error(`no kind of step is called '${unknown}': ${Object.keys(WEIGHTS).join(', ')}`);
  return named;
}

function settings(): Settings | undefined {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    options: {
      minutes: text,
      steps: text,
      seed: text,
      store: text,
      without: text,
      only: text,
      keep: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return undefined;
  const number = (value: string | undefined, fallback: number): number => {
    if (value === undefined) return fallback;
    if (!(Number(value) > 0)) throw new Error(`'${value}' is not a positive number`);
    return Number(value);
  };
  const store = STORES.find((kind) => kind === (values.store ?? 'folder'));
  if (store === undefined) throw new Error(`--store is one of ${STORES.join(', ')}`);
  const [without, only] = [kinds(values.without), kinds(values.only)];
  const minutes = number(values.minutes, values.steps === undefined ? 10 : Infinity);
  return {
    seed: values.seed ?? String(Math.floor(Math.random() * 1e9)),
    store,
    steps: number(values.steps, Infinity),
    untilMs: Date.now() + minutes * 60_000,
    keep: values.keep === true,
    isLeftOut: (kind) => without.includes(kind) || (only.length > 0 && !only.includes(kind)),
  };
}

const summary = ({ step, counts }: World): string =>
  `${step} steps, ${counts.restored} versions restored, ${counts.kills} kills, ${counts.faults} faults`;

function report(world: World, error: unknown): void {
  const what = error instanceof SoakFailure ? error.message : (error as Error).stack;
  const lines = [
    `FAILED: seed ${world.seed}, step ${world.step}`,
    String(what),
    'the last lines:',
    ...world.recent,
    `evidence: ${world.folder} (store, homes, sources, runs/, steps.log)`,
    `${summary(world)}: failed at step ${world.step} of seed ${world.seed}`,
  ];
  writeFileSync(join(world.folder, 'failure.txt'), `${lines.join('\n')}\n`);
  process.stdout.write(`${lines.join('\n')}\n`);
}

async function soak(world: World, { steps, untilMs, seed, isLeftOut }: Settings): Promise<void> {
  const checker = new Checker(world);
  const work = new Steps(world, checker, isLeftOut);
  const rng = new Rng(seed);
  while (world.step < steps && Date.now() < untilMs) {
    world.step += 1;
    const ofStep = rng.fork(`step ${world.step}`);
    const result = await work.step(ofStep);
    await checker.check(ofStep.fork('check'), result);
  }
  world.say('the faults are over');
  await checker.check(rng.fork('last'), await work.finish(), true);
}

async function main(): Promise<number> {
  const wanted = settings();
  if (wanted === undefined) {
    process.stdout.write(HELP);
    return 0;
  }
  if (!existsSync(CLI)) throw new Error('there is no dist/cli.js: npm run build');
  const { seed } = wanted;
  const folder = mkdtempSync(join(tmpdir(), `archiver-soak-${seed}-`));
  const rng = new Rng(seed);
  const { store, close } = await openSoakStore(wanted.store, folder, `soak-${seed.toLowerCase()}-${Date.now()}`);
  try {
    const help = execFileSync(process.execPath, [CLI, 'dataset', 'prune', '--help'], { encoding: 'utf8' });
    const machines = makeMachines(rng.fork('machines'), folder, wanted.store);
    const world = new World({ seed, folder, store, machines, hasGrace: help.includes('--grace') });
    world.say(`store ${store.url}, work folder ${folder}`);
    try {
      await soak(world, wanted);
    } catch (error) {
      report(world, error);
      return 1;
    } finally {
      world.close();
    }
    process.stdout.write(`${summary(world)}: no failure\n`);
    if (!wanted.keep) rmSync(folder, { recursive: true, force: true });
    return 0;
  } finally {
    await close();
  }
}

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    stopAll();
    process.kill(process.pid, signal);
  });
process.exitCode = await main();
