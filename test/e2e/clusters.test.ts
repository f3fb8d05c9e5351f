// A launcher of the test's own takes the documents for Kubernetes and AWS Batch and starts their tasks as these do: with their variables, out
// of order, some twice at the same time; tasks are killed, and started again as the documents say.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { describeTree } from '../core/archive/trees.js';
import { randomOf } from '../core/archive/random-tree.js';
import { startMemoryS3 } from '../support/memory-s3.js';
import { json } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver, CLI, environment } from './upload-cli.js';

const LIMIT = { timeout: 300_000 };
const IMAGE = ['--image', 'registry.example/archiver:1'];

/** An array as a scheduler sees it. */
interface TaskArray {
  readonly count: number;
  readonly args: readonly string[];
  readonly commit: readonly string[];
  /** Name of the variable with the number of a task. */
  readonly variable: string;
  readonly retries: (status: number | null) => boolean;
}

interface Pods {
  readonly spec: {
    readonly completions: number;
    readonly podFailurePolicy: {
      readonly rules: readonly { readonly onExitCodes?: { readonly values: readonly number[] } }[];
    };
    readonly template: { readonly spec: { readonly containers: readonly [{ readonly args: readonly string[] }] } };
  };
}

function ofKubernetes(yaml: string): TaskArray {
  const [parts, commit] = parseAllDocuments(yaml).map((document) => document.toJS() as Pods);
  const argsOf = (pods: Pods | undefined): readonly string[] => pods?.spec.template.spec.containers[0].args ?? [];
  const retried = parts?.spec.podFailurePolicy.rules.flatMap(({ onExitCodes }) => onExitCodes?.values ?? []) ?? [];
  return {
    count: parts?.spec.completions ?? 0,
    args: argsOf(parts),
    commit: argsOf(commit),
    variable: 'JOB_COMPLETION_INDEX',
    // A container that a signal ended has 128 and its number.
    retries: (status) => retried.includes(status ?? 137),
  };
}

interface BatchInput {
  readonly retryStrategy?: {
    readonly evaluateOnExit: readonly { readonly onExitCode?: string; readonly action: string }[];
  };
  readonly arrayProperties?: { readonly size: number };
  readonly containerOverrides?: { readonly command: readonly string[] };
}

function ofBatch(script: string): TaskArray {
  const inputs = [...script.matchAll(/--cli-input-json '(.*?)'\)$/gms)].map(
    ([, text = '']) => JSON.parse(text) as BatchInput,
  );
  const [definition, parts, commit] = inputs;
  const conditions = definition?.retryStrategy?.evaluateOnExit ?? [];
  return {
    count: parts?.arrayProperties?.size ?? 1,
    args: parts?.containerOverrides?.command ?? [],
    commit: commit?.containerOverrides?.command ?? [],
    variable: 'AWS_BATCH_JOB_ARRAY_INDEX',
    retries: (status) =>
      conditions.some(({ onExitCode, action }) => action === 'RETRY' && onExitCode === String(status ?? 137)),
  };
}

const SCHEDULERS = [
  ['kubernetes', [...IMAGE, '--claim', 'survey'], ofKubernetes],
  ['batch', [...IMAGE, '--queue', 'bulk'], ofBatch],
] as const;

async function site() {
  const home = await tempFolder();
  const source = join(home, 'source');
  for (let folder = 0; folder < 8; folder++) {
    mkdirSync(join(source, `d${folder}`), { recursive: true });
    writeFileSync(join(source, `d${folder}`, 'f'), randomBytes(40_000));
  }
  const server = await startMemoryS3('lab');
  onTestFinished(() => server.close());
  const keys = { AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's', AWS_REGION: 'us-east-1' };
  const own = { ...keys, ARCHIVER_CREATE_ONCE: 'auto' };
  const run = (...args: readonly string[]) => archiver(home, args, { env: own });
  const flags = ['--endpoint-url', server.endpoint];
  const made = await run('plan', source, 's3://lab/a', '--dataset-id', 'd', '--parts', '4', '--json', ...flags);
  const plan = String(json(made.stdout)['location']);
  const submit = async (...args: readonly string[]) => await run('submit', ...args, plan, ...flags);
  const restored = async () => {
    const out = join(home, 'out');
    expect((await run('restore', 's3://lab/a', out, '--dataset-id', 'd', '--all', ...flags)).status).toBe(0);
    return describeTree(out);
  };
  /** Runs one attempt at a task on a machine of its own; kills it after a while, if that is said. */
  const attempt = async (
    { args, variable }: TaskArray,
    task: number,
    kill?: { signal: NodeJS.Signals; ms: number },
  ): Promise<number | null> => {
    const machine = await tempFolder();
    const env = {
      ...environment(machine, own),
      [variable]: String(task),
      ...(kill && { ARCHIVER_LIMIT_UPLOAD: '20KB' }),
    };
    const child = spawn(process.execPath, [CLI, ...args], { env, cwd: machine, stdio: ['ignore', 'ignore', 'pipe'] });
    // What it says first, it says when it can be asked to end.
    const begun = once(child.stderr, 'data');
    child.stderr.resume();
    const exit = once(child, 'exit') as Promise<[number | null]>;
    if (kill !== undefined)
      await Promise.race([exit, begun.then(() => sleep(kill.ms)).then(() => child.kill(kill.signal))]);
    return (await exit)[0];
  };
  return { home, source, plan, run: (args: readonly string[]) => run(...args), submit, restored, attempt };
}

describe.each(SCHEDULERS)('%s', (name, args, read) => {
  test('tasks that are killed, started twice and out of order make the version', LIMIT, async () => {
    const here = await site();
    const array = read((await here.submit(name, ...args)).stdout);
    expect(array.count).toBe(4);
    const random = randomOf(27);
    const order = Array.from({ length: 4 }, (_, task) => task).sort(() => random() - 0.5);

    // Three at a time; each second task is killed, each third one runs twice at the same time.
    const waiting = order.flatMap((task, at) => {
      const signal = at % 4 === 0 ? ('SIGKILL' as const) : ('SIGTERM' as const);
      const first = { task, ...(at % 2 === 0 && { kill: { signal, ms: random() * 500 } }) };
      return at % 3 === 0 ? [first, { task }] : [first];
    });
    const statuses: (number | null)[] = [];
    const lane = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        const status = await here.attempt(array, next.task, next.kill);
        statuses.push(status);
        if (status === 0) continue;
        expect(array.retries(status)).toBe(true);
        waiting.push({ task: next.task });
      }
    };
    await Promise.all([lane(), lane(), lane()]);

    expect(statuses.length).toBeGreaterThan(6);
    expect(statuses).toEqual(expect.arrayContaining([75, null]) as unknown);
    expect((await here.run(array.commit)).status).toBe(0);
    expect(await here.restored()).toEqual(describeTree(here.source));
  });

  test('a commit that comes too early is refused, and what is missing is submitted alone', LIMIT, async () => {
    const here = await site();
    const whole = read((await here.submit(name, ...args)).stdout);
    for (const task of [0, 2]) expect(await here.attempt(whole, task)).toBe(0);
    const early = await here.run(whole.commit);
    expect([early.status, early.stdout]).toEqual([1, expect.stringContaining('--array=1,3')]);

    const rest = read((await here.submit(name, ...args)).stdout);
    expect(rest.count).toBe(2);
    for (const task of [1, 0]) expect(await here.attempt(rest, task)).toBe(0);
    expect((await here.run(rest.commit)).status).toBe(0);
    expect(await here.restored()).toEqual(describeTree(here.source));
  });
});
