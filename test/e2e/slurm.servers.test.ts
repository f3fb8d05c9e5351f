// Slurm itself does the parts of a plan: `archiver submit slurm`, sbatch, tasks on three nodes that are this computer, and the commit after them.
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { describeTree, makeEverything } from '../core/archive/trees.js';
import { noSlurm, type Slurm, type SlurmNode, startSlurm } from '../servers/slurm.js';
import { clientEnv, TEST_KEYS, TEST_REGION } from '../servers/s3-server.js';
import { startMemoryS3 } from '../support/memory-s3.js';
import { json } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver, CLI, environment, type Ran } from './upload-cli.js';

const LIMIT = { timeout: 600_000 };
const lacking = noSlurm();

describe.skipIf(lacking !== undefined)(`Slurm${lacking === undefined ? '' : ` (${lacking})`}`, () => {
  let slurm: Slurm;
  beforeAll(async () => {
    // Arrays of eight tasks; killed 30 s after SIGTERM, as by default.
    slurm = await startSlurm({ RequeueExit: '75', MaxArraySize: '9' });
  });
  afterAll(async () => await slurm.stop());

  interface Site {
    readonly home: string;
    readonly source: string;
    readonly store: string;
    readonly env: Readonly<Record<string, string>>;
    readonly run: (...args: readonly string[]) => Promise<Ran>;
    /** What the tasks have said of themselves: their number and node, how they were started. */
    readonly starts: () => readonly string[];
  }

  /** A folder, and an archiver on the PATH of tasks that runs some lines of shell before it is the program. */
  async function site(
    before = '',
    place?: (home: string) => Promise<{ store: string; env: Record<string, string> }>,
  ): Promise<Site> {
    const home = await tempFolder();
    const source = join(home, 'source');
    const bin = join(home, 'bin');
    for (const folder of [source, bin]) mkdirSync(folder);
    const starts = join(home, 'starts');
    writeFileSync(starts, '');
    const said = '"$SLURM_ARRAY_TASK_ID $SLURMD_NODENAME ${SLURM_RESTART_COUNT:-0}"';
    writeFileSync(
      join(bin, 'archiver'),
      `#!/bin/sh\nif [ "$1" = work ] && [ -n "$SLURM_ARRAY_TASK_ID" ]; then\necho ${said} >> '${starts}'\n${before}\nfi\nexec '${process.execPath}' '${CLI}' "$@"\n`,
    );
    chmodSync(join(bin, 'archiver'), 0o755);
    const { store, env: access } = (await place?.(home)) ?? { store: join(home, 'store'), env: {} };
    const env = environment(home, { ...slurm.env, ...access, PATH: `${bin}:${process.env['PATH'] ?? ''}` });
    return {
      home,
      source,
      store,
      env,
      run: (...args) => archiver(home, args, { env, timeoutMs: LIMIT.timeout }),
      starts: () => readFileSync(starts, 'utf8').split('\n').slice(0, -1).sort(),
    };
  }

  /** A bucket, to which a task's first attempt sends 20 KB a second. */
  const SLOW = '[ -n "$SLURM_RESTART_COUNT" ] || export ARCHIVER_LIMIT_UPLOAD=20KB';
  async function bucket(): Promise<{ store: string; env: Record<string, string> }> {
    const server = await startMemoryS3('lab');
    onTestFinished(() => server.close());
    const { endpoint } = server;
    return {
      store: 's3://lab/a',
      env: { ...clientEnv({ endpoint, region: TEST_REGION, ...TEST_KEYS }), ARCHIVER_ENDPOINT_URL: endpoint },
    };
  }

  async function planned({ run, source, store }: Site, ...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await run('plan', source, store, '--dataset-id', 'd', '--json', ...args);
    expect([status, stderr]).toEqual([0, expect.any(String)]);
    return String(json(stdout)['location']);
  }

  const folders = (root: string, count: number, bytes: number): void => {
    for (let index = 0; index < count; index++) {
      mkdirSync(join(root, `d${index}`));
      writeFileSync(join(root, `d${index}`, 'f'), randomBytes(bytes));
    }
  };

  const restored = async ({ run, home, store }: Site, dataset: string): Promise<ReturnType<typeof describeTree>> => {
    const out = join(home, `restored-${dataset}`);
    const flags = ['--dataset-id', dataset, '--all', '--keep-special-bits'];
    expect((await run('restore', store, out, ...flags)).status).toBe(0);
    return describeTree(out);
  };

  /** Entries but for where their content lies; groups of links are numbered as they come. */
  const entries = async ({ run, store }: Site, dataset: string): Promise<readonly unknown[]> => {
    const { stdout } = await run('list', store, '--dataset-id', dataset, '--json');
    const contents = json(stdout)['contents'] as readonly Record<string, unknown>[];
    const groups = new Map<unknown, number>();
    return contents.map(({ chunk: _c, shard: _s, chunkKeys: _k, linkGroup: group, ...entry }) => {
      if (group !== undefined && !groups.has(group)) groups.set(group, groups.size);
      return { ...entry, linkGroup: groups.get(group) };
    });
  };

  test('parts give, entry by entry, what a single upload gives', LIMIT, async () => {
    const here = await site();
    makeEverything(here.source);
    execFileSync('cp', ['-a', '/usr/include', here.source]);
    const plan = await planned(here, '--parts', '32');

    // More parts than an array has tasks.
    const made = await here.run('submit', 'slurm', plan, '--execute', '--wait', '--json');
    const { partCount, partsPerTask } = json(made.stdout) as Record<string, number>;
    expect([made.status, partsPerTask, made.stderr]).toEqual([
      0,
      Math.ceil((partCount ?? 0) / 8),
      expect.stringContaining(`${partCount} of ${partCount} parts done`),
    ]);
    expect(partCount).toBeGreaterThan(8);
    expect(here.starts()).toHaveLength(Math.ceil((partCount ?? 0) / (partsPerTask ?? 1)));

    expect((await here.run('upload', here.source, here.store, '--dataset-id', 'single')).status).toBe(0);
    expect(await entries(here, 'd')).toEqual(await entries(here, 'single'));
    expect(await restored(here, 'd')).toEqual(describeTree(here.source));
    expect((await here.run('verify', here.store, '--dataset-id', 'd', '--deep')).status).toBe(0);
  });

  test('a task that ends with 75 is put back, and the commit waits for it', LIMIT, async () => {
    const here = await site(
      `if [ $SLURM_ARRAY_TASK_ID = 1 ]; then ${SLOW}; [ -n "$SLURM_RESTART_COUNT" ] || (sleep 4; kill -TERM $$) & fi`,
      bucket,
    );
    folders(here.source, 8, 100_000);
    const plan = await planned(here, '--parts', '4');

    const { status } = await here.run('submit', 'slurm', plan, '--execute', '--wait');
    expect(status).toBe(0);
    const starts = here.starts().map((line) => line.replace(/ n\d /, ' '));
    expect(starts.toSorted()).toEqual(['0 0', '1 0', '1 1', '2 0', '3 0']);
    expect(await restored(here, 'd')).toEqual(describeTree(here.source));
  });

  test('the part of a node that is lost is done elsewhere, and its first attempt may go on', LIMIT, async () => {
    const here = await site('[ -n "$SLURM_RESTART_COUNT" ] || sleep 60');
    folders(here.source, 3, 10_000);
    const plan = await planned(here, '--parts', '3');

    const waiting = here.run('submit', 'slurm', plan, '--execute', '--wait', '--option', 'nodes=1', '--cpus', '2');
    await expect.poll(() => here.starts().length).toBe(3);
    const lost = here.starts()[0]?.split(' ')[1] as SlurmNode;
    await slurm.killNode(lost);
    const { status } = await waiting;
    slurm.startNode(lost);

    expect(status).toBe(0);
    expect(here.starts().filter((line) => line.startsWith('0 '))).toHaveLength(2);
    expect(await restored(here, 'd')).toEqual(describeTree(here.source));
  });

  test('what is preempted ends within its grace with 75, and is done afterwards', LIMIT, async () => {
    const here = await site(SLOW, bucket);
    folders(here.source, 3, 600_000);
    const plan = await planned(here, '--parts', '3');

    const waiting = here.run('submit', 'slurm', plan, '--execute', '--wait', '--cpus', '2');
    await expect.poll(() => here.starts().length).toBe(3);
    await slurm.run(
      'sbatch',
      '--partition=urgent',
      '--nodes=3',
      '--exclusive',
      '--output=/dev/null',
      '--wrap',
      'sleep 3',
    );
    const { status } = await waiting;

    expect(status).toBe(0);
    const starts = here.starts().map((line) => line.replace(/ n\d /, ' '));
    expect(starts.toSorted()).toEqual(['0 0', '0 1', '1 0', '1 1', '2 0', '2 1']);
    expect(await restored(here, 'd')).toEqual(describeTree(here.source));
  });

  test(
    'what fails for good is missing: the commit says which, and the same call submits that alone',
    LIMIT,
    async () => {
      const here = await site('[ $SLURM_ARRAY_TASK_ID != 2 ] || [ -n "$AGAIN" ] || exit 1');
      folders(here.source, 8, 1000);
      const plan = await planned(here, '--parts', '4');

      const first = await here.run('submit', 'slurm', plan, '--execute', '--wait');
      expect([first.status, first.stderr]).toEqual([1, expect.stringContaining('parts 2 are missing')]);
      const commit = await here.run('commit', plan);
      expect([commit.status, commit.stdout]).toEqual([1, expect.stringContaining('--array=2')]);

      const again = await archiver(here.home, ['submit', 'slurm', plan, '--execute', '--wait', '--json'], {
        env: { ...here.env, AGAIN: '1' },
        timeoutMs: LIMIT.timeout,
      });
      expect(again.status).toBe(0);
      expect(String(json(again.stdout)['job'])).toContain('#SBATCH --array=2\n');
      expect(await restored(here, 'd')).toEqual(describeTree(here.source));
      expect((await here.run('submit', 'slurm', plan)).stderr).toContain('is a version already');
    },
  );

  test('the script does it by hand, with the array that commit prints and a time limit', LIMIT, async () => {
    const here = await site(SLOW, bucket);
    folders(here.source, 3, 600_000);
    const plan = await planned(here, '--parts', '3');
    const script = join(here.home, 'job.sh');
    expect((await here.run('submit', 'slurm', plan, '-o', script)).status).toBe(0);

    // SIGTERM comes a minute before the limit of one minute: at once.
    const said = execFileSync('sh', [script, '--array=1', '--time=1'], {
      env: here.env,
      cwd: here.home,
      encoding: 'utf8',
    });
    const [, parts = ''] = /^parts (\d+)$/m.exec(said) ?? [];
    const state = async (): Promise<string> => await slurm.run('scontrol', 'show', 'job', `${parts}_1`);
    await expect.poll(state).toMatch(/Restarts=1 [^]*JobState=COMPLETED|JobState=COMPLETED [^]*Restarts=1/);
    const logs = readdirSync(here.home).filter((name) => name.startsWith('slurm-'));
    expect(logs.map((name) => readFileSync(join(here.home, name), 'utf8')).join('')).toContain('terminated');
  });

  test('Ctrl+C ends the waiting and leaves the jobs alone', LIMIT, async () => {
    const here = await site('sleep 5');
    folders(here.source, 2, 1000);
    const plan = await planned(here, '--parts', '2');

    const child = spawn(process.execPath, [CLI, 'submit', 'slurm', plan, '--execute', '--wait'], {
      env: { ...here.env },
      cwd: here.home,
    });
    let stderr = '';
    child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
    await expect.poll(() => stderr).toContain('0 of 2 parts done');
    child.kill('SIGINT');
    const [status] = (await once(child, 'exit')) as [number];

    expect([status, stderr]).toEqual([130, expect.stringContaining('the jobs go on')]);
    await expect.poll(async () => (await here.run('list', here.store, '--dataset-id', 'd')).status).toBe(0);
    expect(await restored(here, 'd')).toEqual(describeTree(here.source));
  });
});
