// Random arrays of tasks over random folders, by a launcher of the test's own: tasks are started in random order, some twice, some never; some are
// killed, some asked to end, some stand still until the commit is over, and answers of the store are lost. Whatever happens, the commit names the
// parts that it lacks, or the version is the folder; and a prune leaves what the version needs. ARCHIVER_TEST_ARRAYS says how many (default 3),
// ARCHIVER_TEST_SEED which is the first (24): the number of an array is its seed. Where it is said how many, what has happened is counted on stdout.
import { truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { RandomTree } from '../core/archive/random-tree.js';
import { describeTree } from '../core/archive/trees.js';
import { json } from '../support/run-command.js';
import { smallSegments } from '../support/small-segments.js';
import { Dice, type Fate, type Figures, type Site, siteOf } from './task-launcher.js';
import type { Ran } from './upload-cli.js';

const ARRAYS = Number(process.env['ARCHIVER_TEST_ARRAYS'] ?? 3);
const FIRST_SEED = Number(process.env['ARCHIVER_TEST_SEED'] ?? 24);

/** How schedulers tell a task its number, and the number that the first one has. */
const VARIABLES = [
  ['SLURM_ARRAY_TASK_ID', 0],
  ['JOB_COMPLETION_INDEX', 0],
  ['AWS_BATCH_JOB_ARRAY_INDEX', 0],
  ['PBS_ARRAY_INDEX', 0],
  ['SGE_TASK_ID', 1],
] as const;

const all: Figures[] = [];

afterAll(() => {
  if (process.env['ARCHIVER_TEST_ARRAYS'] === undefined) return;
  const names = Object.keys(all[0] ?? {}) as (keyof Figures)[];
  const lines = all.map((one) => names.map((name) => `${name} ${one[name]}`).join(', '));
  const sums = names.slice(1).map((name) => `${name} ${Math.round(all.reduce((sum, one) => sum + one[name], 0))}`);
  process.stdout.write([...lines, `${all.length} arrays: ${sums.join(', ')}`, ''].join('\n'));
});

const TASK_SIGNALS = ['SIGKILL', 'SIGKILL', 'SIGTERM', 'SIGTERM', 'SIGSTOP', ...Array<undefined>(6)] as const;

/** Every part's number as `--array` takes it, by hand: `0,2-4`. */
function arrayText(parts: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const part of parts) {
    const last = runs.at(-1);
    if (last?.[1] === part - 1) last[1] = part;
    else runs.push([part, part]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
}

/** The numbers in it. */
const partsIn = (text: string): readonly number[] =>
  text.split(',').flatMap((run) => {
    const [from = 0, to = from] = run.split('-').map(Number);
    return Array.from({ length: to - from + 1 }, (_, at) => from + at);
  });

const keysBelow = ({ bucket }: Site, prefix: string): readonly string[] =>
  [...bucket.keys()].filter((key) => key.startsWith(prefix)).toSorted();

const textOf = ({ bucket }: Site, key: string): string => {
  const body = bucket.get(key)?.body ?? Buffer.alloc(0);
  return (key.endsWith('.gz') ? gunzipSync(body) : body).toString();
};

/** The attempts that have a result of the plan. */
const resultsOf = (site: Site, plan: string): ReadonlyMap<string, number> =>
  new Map(
    keysBelow(site, `a/uploads/${plan}/parts/`).map((key) => {
      const { uploadId, part } = json(textOf(site, key)) as { uploadId: string; part: number };
      return [uploadId, part];
    }),
  );

interface Manifest {
  readonly chunks: readonly { readonly key: string }[];
  readonly segments?: readonly { readonly key: string }[];
}

/** All that lies in the store for a full listing. */
function neededBy(site: Site, uploadId: string): ReadonlySet<string> {
  const needed = new Set<string>();
  const add = (id: string, name: string): void => {
    const own = `a/uploads/${id}/`;
    needed.add(own + name);
    const { chunks, segments = [] } = JSON.parse(textOf(site, own + name)) as Manifest;
    for (const { key } of chunks) needed.add(key.startsWith('../') ? `a/uploads/${key.slice(3)}` : own + key);
    for (const { key } of segments) {
      const [of = '', ...rest] = key.startsWith('../') ? key.slice(3).split('/') : [id, ...key.split('/')];
      add(of, rest.join('/'));
    }
  };
  add(uploadId, 'manifest.json.gz');
  for (const key of keysBelow(site, `a/uploads/${uploadId}/manifest.json.gz.copy-`)) needed.add(key);
  return needed;
}

/** What marks name, and the marks. */
function markedIn(site: Site): ReadonlySet<string> {
  const marked = new Set<string>();
  for (const key of keysBelow(site, 'a/uploads/')) {
    if (!/\/sweep-[^/]+\.json$/.test(key)) continue;
    const { uploadId, keys } = json(textOf(site, key)) as { uploadId: string; keys: readonly string[] };
    for (const name of [...keys.map((one) => `a/uploads/${uploadId}/${one}`), key]) marked.add(name);
  }
  return marked;
}

interface ArrayRun {
  readonly site: Site;
  readonly dice: Dice;
  readonly plan: string;
  readonly url: string;
}

/** Runs an array of tasks, as a cluster does on a bad day. Returns those that stand still. */
async function runArray({ site, dice, url, plan }: ArrayRun, parts: readonly number[]) {
  const { figures, start } = site;
  const [variable, first] = dice.of(VARIABLES);
  const perTask = dice.of([1, 1, 1, 2]);
  const isPartial = parts.some((part, index) => part !== index);
  // Schedulers take the list as their array, or the launcher deals out the list.
  const isListed = perTask > 1 && isPartial;
  const args = ['work', url, '--part', isListed ? `auto:${arrayText(parts)}` : 'auto'];
  if (perTask > 1) args.push('--per-task', String(perTask));
  const tasks = perTask > 1 ? Array.from({ length: Math.ceil(parts.length / perTask) }, (_, task) => task) : parts;

  interface Start {
    readonly task: number;
    readonly fate: Fate;
    /** What becomes of it where the scheduler puts it back. */
    readonly again: readonly Fate[];
  }
  const still: { readonly ended: Promise<Ran>; readonly goOn: () => void }[] = [];
  const begin = (task: number): Start => ({
    task,
    fate: dice.fate(TASK_SIGNALS),
    again: Array.from({ length: dice.upTo(2) }, () => dice.fate(TASK_SIGNALS)),
  });
  const waiting = dice.shuffled(tasks).flatMap((task) => {
    if (dice.isLess(0.1)) return (figures.neverStarted++, []);
    if (!dice.isLess(0.25)) return [begin(task)];
    figures.twice++;
    return [begin(task), begin(task)];
  });
  const doneBy = (task: number): readonly number[] =>
    perTask > 1 ? parts.slice(task * perTask, (task + 1) * perTask) : [task];
  const lane = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { task, fate, again } = next;
      figures.tasks++;
      const begun = await start(args, fate, { [variable]: String(task + first) });
      const ran = await Promise.race([begun.ended, begun.stopped.then(() => undefined)]);
      if (ran === undefined) {
        figures.stopped++;
        still.push(begun);
      } else {
        if (!isAllowedEnd(ran, fate, begun.isSignalled()))
          throw new Error(`task ${task} ended with ${ran.status}: ${ran.stderr}`);
        if (ran.status === null) figures.killed++;
        else if (begun.isSignalled()) figures.terminated++;
        if (ran.status === 75) figures.tryAgain++;
        if (ran.stdout.includes('another attempt was first')) figures.beaten++;
        if (ran.status === 0) {
          const stored = new Set(resultsOf(site, plan).values());
          const without = doneBy(task).filter((part) => !stored.has(part));
          if (without.length > 0)
            throw new Error(`task ${task} ended with 0, and there is no result of ${without.join()}`);
          continue;
        }
      }
      const [fateAgain, ...rest] = again;
      if (fateAgain === undefined) continue;
      figures.requeued++;
      waiting.splice(dice.upTo(waiting.length), 0, { task, fate: fateAgain, again: rest });
    }
  };
  await Promise.all([lane(), lane(), lane()]);
  return still;
}

/** Whether a process may end so. */
function isAllowedEnd({ status }: Ran, { signal, lost }: Fate, isSignalled: boolean): boolean {
  if (status === 0) return true;
  if (isSignalled && signal === 'SIGKILL') return status === null;
  // A store whose answers are lost again and again could not be reached.
  return (isSignalled || lost > 0) && status === 75;
}

/** Commits as jobs do: some are killed, some run twice. Returns the last one that came to an end. */
async function commitOnce({ site, dice, url }: ArrayRun): Promise<Ran> {
  const { run, start, figures } = site;
  const fate = dice.fate(['SIGKILL', undefined]);
  const [isTwice, isKilled] = [dice.isLess(0.3), fate.signal !== undefined];
  const sized = dice.isLess(0.5) ? smallSegments(20, 8)() : () => undefined;
  try {
    const both = await Promise.all([
      isKilled ? start(['commit', url, '--allow-mass-delete'], fate).then(({ ended }) => ended) : undefined,
      isTwice || !isKilled ? run(['commit', url, '--allow-mass-delete'], fate) : undefined,
    ]);
    const [killed, whole] = both;
    if (killed?.status === null) figures.killedCommits++;
    return whole ?? (killed?.status === null ? await run(['commit', url, '--allow-mass-delete']) : (killed as Ran));
  } finally {
    sized();
  }
}

/** A folder with all kinds of entries, the dataset as it was before, and a plan of what it is now. */
async function planned(site: Site, dice: Dice): Promise<ArrayRun> {
  const { source, done, figures } = site;
  const tree = new RandomTree(source, dice.next, 2 ** 17);
  tree.edit(40 + dice.upTo(60));
  for (const name of ['empty-1', 'empty-2']) writeFileSync(join(source, name), '');
  tree.settle();
  const flags = ['--dataset-id', 'd', '--track-deletes', '--allow-mass-delete'];
  const dedup = dice.isLess(0.25) ? ['--enable-dedup'] : [];
  if (dice.isLess(0.5)) {
    const sized = dice.isLess(0.5) ? smallSegments(20, 8)() : () => undefined;
    const isPlanned = dice.isLess(0.5);
    figures.onVersion++;
    try {
      if (isPlanned) {
        const before = json((await done(['plan', source, 's3://lab/a', '--parts', '3', ...flags, '--json'])).stdout);
        const parts = `0-${Number(before['partCount']) - 1}`;
        await done(['work', String(before['location']), '--part', parts]);
        await done(['commit', String(before['location'])]);
      } else await done(['sync', source, 's3://lab/a', ...flags, ...dedup]);
    } finally {
      sized();
    }
  }
  // Larger than a part, and than a chunk: many tasks pack it.
  if (dice.isLess(0.5)) {
    figures.large++;
    writeFileSync(join(source, 'd-large'), Buffer.alloc(33 * 2 ** 20, `${dice.next()}`));
    truncateSync(join(source, 'd-large'), 1e8);
  }
  for (;;) {
    tree.edit(5 + dice.upTo(40));
    const parts = String(1 + dice.upTo(11));
    const argv = ['plan', source, 's3://lab/a', '--parts', parts, ...flags, ...dedup, '--json'];
    const document = json((await done(argv, { seed: dice.upTo(2 ** 30), lost: dice.of([0, 0.1, 0.3]) })).stdout);
    if (document['noChanges'] === true) continue;
    figures.parts = Number(document['partCount']);
    const url = String(document['location']);
    return { site, dice, url, plan: url.split('/').at(-1) ?? '' };
  }
}

const seeds = Array.from({ length: ARRAYS }, (_, at) => FIRST_SEED + at);

test.each(seeds)('array %i', { timeout: 300_000 }, async (seed) => {
  const startedMs = performance.now();
  const site = await siteOf(seed);
  const { figures, source, home, bucket, done } = site;
  const dice = new Dice(seed);
  const array = await planned(site, dice);
  const { plan, url } = array;

  const numbers = Array.from({ length: figures.parts }, (_, part) => part);
  const still = await runArray(array, numbers);
  for (;;) {
    const stored = new Set(resultsOf(site, plan).values());
    const missing = numbers.filter((part) => !stored.has(part));
    const commit = await commitOnce(array);
    const refusal = expect.stringContaining(`submit    --array=${arrayText(missing)}\n`) as string;
    expect(commit).toMatchObject(missing.length === 0 ? { status: 0 } : { status: 1, stdout: refusal });
    if (missing.length === 0) break;
    figures.refused++;
    // Exactly what it says, each once and without more harm, or as before.
    const named = partsIn(/--array=(\S+)/.exec(commit.stdout)?.[1] ?? '');
    if (dice.isLess(0.3)) still.push(...(await runArray(array, named)));
    else for (const part of named) await done(['work', url, '--part', String(part)]);
  }
  for (const { goOn } of still) goOn();
  for (const { ended } of still) expect((await ended).status).toSatisfy((status) => status === 0 || status === 75);
  // A task that is put back after all is over has nothing to do.
  if (dice.isLess(0.3)) await done(['work', url, '--part', String(dice.of(numbers))]);

  const version = json((await done(['commit', url, '--json'])).stdout);
  expect(version).toMatchObject({ alreadyComplete: true });
  const out = join(home, 'out');
  await done(['restore', 's3://lab/a', out, '--dataset-id', 'd', '--all', '--verify']);
  expect(describeTree(out)).toEqual(describeTree(source));
  const verify = ['verify', 's3://lab/a', '--dataset-id', 'd', '--deep', '--json'];
  expect(json((await done(verify)).stdout)).toMatchObject({ ok: true, warnings: [] });
  figures.seconds = Math.round(performance.now() - startedMs) / 1000;

  nothingIsUnmarked(array, still.length + figures.killedCommits > 0);
  for (const object of bucket.values()) object.modified = new Date(object.modified.getTime() - 8 * 86_400_000);
  const attempts = attemptsIn(site);
  const prune = ['dataset', 'prune', 's3://lab/a', '--dataset-id', 'd', '--keep-last', '1', '--force', '--instant'];
  const pruned = json((await done([...prune, '--allow-mass-delete', '--json'])).stdout);
  expect(pruned).toMatchObject({ failed: [], warnings: [] });
  const needed = neededBy(site, plan);
  const isNamed = (id: string): boolean => [...needed].some((key) => key.startsWith(`a/uploads/${id}/`));
  const left = [...needed, ...attempts.filter(isNamed).map((id) => `a/uploads/${id}/attempt.json`)];
  expect(keysBelow(site, 'a/uploads/')).toEqual(left.toSorted());
  expect(json((await done(verify)).stdout)).toMatchObject({ ok: true, warnings: [] });
  all.push(figures);
});

const attemptsIn = (site: Site): readonly string[] =>
  keysBelow(site, 'a/uploads/').flatMap((key) => /\/uploads\/([^/]+)\/attempt\.json$/.exec(key)?.[1] ?? []);

/**
 * What the versions do not need is marked; or it says to workers how far the plan is, as the segments of results do; or it lies in the folder
 * of an attempt without a result, which went on when the commit was over, or whose commit was killed before it marked that.
 */
function nothingIsUnmarked({ site, plan }: ArrayRun, isLate: boolean): void {
  const versions = keysBelow(site, 'a/datasets/d/v').map((key) => String(json(textOf(site, key))['uploadId']));
  const needed = new Set(versions.flatMap((id) => [...neededBy(site, id)]));
  const marked = markedIn(site);
  const results = new Set([...versions, plan].flatMap((id) => [...resultsOf(site, id).keys()]));
  const unmarked = keysBelow(site, 'a/uploads/').filter((key) => {
    const [id = '', ...names] = key.slice('a/uploads/'.length).split('/');
    const name = names.join('/');
    const isOfPlan = versions.includes(id) && /^(?:plan\.json\.gz|plan\/.*|parts\/.*)$/.test(name);
    const isOfResult = results.has(id) && /^(?:attempt\.json|manifest\/.*)$/.test(name);
    return !needed.has(key) && !marked.has(key) && !isOfPlan && !isOfResult && (results.has(id) || !isLate);
  });
  expect(unmarked).toEqual([]);
  expect([...marked].filter((key) => needed.has(key))).toEqual([]);
}
