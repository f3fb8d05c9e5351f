// archiver plan, work and commit as they are typed, in this process.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { program } from '../../src/commands/index.js';
import { ArchiverError } from '../../src/core/platform/failures/errors.js';
import { startMemoryS3 } from '../support/memory-s3.js';
import { useTestCredentials } from '../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../support/run-command.js';
import { tempFolder } from '../support/temp-folder.js';

const root = program();

interface Place {
  readonly folder: string;
  readonly store: string;
  readonly run: (words: string, more?: object) => Promise<CommandRun>;
}

async function place(store?: string, env: Record<string, string> = {}): Promise<Place> {
  const folder = await tempFolder();
  for (const name of ['a', 'b', 'c']) {
    mkdirSync(join(folder, 'data', name), { recursive: true });
    for (let n = 0; n < 4; n++) writeFileSync(join(folder, 'data', name, `${n}.txt`), `${name}${n}`.repeat(1000));
  }
  const run = (words: string, more = {}) => runCommand({ root, folder, env, ...more }, words.split(' '));
  return { folder, store: store ?? `file://${join(folder, 'store')}`, run };
}

async function planned({ run, store }: Place, flags = '--parts 3'): Promise<string> {
  const { stdout } = await run(`plan data ${store} --json ${flags}`);
  return String(json(stdout)['location']);
}

test('a plan says what to type, and what is typed makes a version that restores', async () => {
  const at = await place();

  const plan = await at.run(`plan data ${at.store} --parts 3`);
  const url = /location +(\S+)/.exec(plan.stdout)?.[1] ?? '';
  const early = await at.run(`commit ${url}`);
  const work = await at.run(`work ${url} --part 0,2`);
  const auto = await at.run(`work ${url} --part auto --json`, { env: { SLURM_ARRAY_TASK_ID: '1' } });
  const commit = await at.run(`commit ${url}`);
  const again = await at.run(`commit ${url} --json`);
  const restore = await at.run(`restore ${url} out --all`);

  expect(plan.stdout).toContain('Planned 12 files, 23.4 KiB in 3 parts');
  expect(plan.stdout).toContain(`seq 0 2 | xargs -P4 -I{} archiver work ${url} --part {}`);
  expect(early).toMatchObject({ status: 1, stdout: expect.stringContaining('submit    --array=0-2') as string });
  expect(work).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/Part 0: stored[\s\S]*Part 2: stored/) as string,
  });
  expect(json(auto.stdout)['workedParts']).toMatchObject([{ planPart: 1, partOutcome: 'stored', files: 4 }]);
  expect(commit).toMatchObject({ status: 0, stdout: expect.stringContaining('Committed version v1') as string });
  expect(json(again.stdout)).toMatchObject({ version: 1, alreadyComplete: true, files: 12 });
  expect(restore.status).toBe(0);
  expect(readFileSync(join(at.folder, 'out', 'b', '3.txt'), 'utf8')).toBe('b3'.repeat(1000));
});

test('what is missing is named as an array, also with --json', async () => {
  const at = await place();
  const url = await planned(at, '--parts 12');
  await at.run(`work ${url} --part 1,3-5,9`);

  const { status, stdout } = await at.run(`commit ${url} --json`);

  expect(status).toBe(1);
  expect(json(stdout)).toMatchObject({
    isCommitted: false,
    partCount: 12,
    missingParts: [0, 2, 6, 7, 8, 10, 11],
    missingArray: '0,2,6-8,10-11',
  });
});

test.each([
  ['work file:///nowhere/uploads/20251114-093012-1a2b3c4d --part x', 'x names no parts'],
  ['work file:///nowhere/uploads/20251114-093012-1a2b3c4d --part 3-1', '3-1 names no parts'],
  ['work file:///nowhere/uploads/20251114-093012-1a2b3c4d --part auto', '--part auto finds no number of an array task'],
  ['work file:///nowhere/uploads/20251114-093012-1a2b3c4d --part 1 --per-task 2', '--per-task goes with --part auto'],
  ['work file:///nowhere --part 1', 'no plan is named'],
  ['commit file:///nowhere', 'no plan is named'],
  ['plan data file:///nowhere --parts 2 --part-size 1GiB', '--part-size'],
  ['plan data s3://bucket --kms-key-id k --encrypt-manifest', '--encrypt-manifest cannot be planned'],
  ['plan data file:///nowhere --kms-key-id k', 'a folder cannot encrypt with KMS'],
])('%s is refused', async (words, sentence) => {
  const at = await place();

  const { status, stderr } = await at.run(words);

  expect(status).toBe(2);
  expect(stderr).toContain(sentence);
});

test('a part that the plan does not have is refused, but not of the last task of an array', async () => {
  const at = await place();
  const url = await planned(at);

  const beyond = await at.run(`work ${url} --part 3`);
  const last = await at.run(`work ${url} --part auto --per-task 2 --json`, { env: { JOB_COMPLETION_INDEX: '1' } });
  const first = await at.run(`work ${url} --part auto --per-task 2 --json`, { env: { SGE_TASK_ID: '1' } });

  expect(beyond).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('the plan has no part 3: it has parts 0 to 2') as string,
  });
  expect(json(last.stdout)['workedParts']).toMatchObject([{ planPart: 2 }]);
  expect(json(first.stdout)['workedParts']).toMatchObject([{ planPart: 0 }, { planPart: 1 }]);
});

test('an upload that is no plan is told apart', async () => {
  const at = await place();
  const { stdout } = await at.run(`upload data ${at.store} --json`);

  const { status, stderr } = await at.run(`commit ${String(json(stdout)['location'])}`);

  expect(status).toBe(1);
  expect(stderr).toContain('is no plan: it has no plan.json.gz');
});

test('what vanished is left out, named, and makes the exit 3', async () => {
  const at = await place();
  const url = await planned(at, '--parts 1');
  rmSync(join(at.folder, 'data', 'a', '1.txt'));

  const work = await at.run(`work ${url} --part 0`);
  const commit = await at.run(`commit ${url}`);

  expect([work.status, commit.status]).toEqual([3, 3]);
  for (const { stdout } of [work, commit]) expect(stdout).toContain('a/1.txt: vanished after it was planned');
});

test('a part whose files are gone from this machine is refused with 4, and sends nothing', async () => {
  const at = await place();
  const url = await planned(at, '--parts 1');
  rmSync(join(at.folder, 'data'), { recursive: true });
  mkdirSync(join(at.folder, 'data'));

  const { status, stderr } = await at.run(`work ${url} --part 0`);

  expect(status).toBe(4);
  expect(stderr).toContain('12 of 12 files of part 0 are gone');
  expect(readdirSync(join(at.folder, 'store', 'uploads'))).toHaveLength(1);
});

test('SIGTERM ends an attempt with 75, and the part can be done again', async () => {
  useTestCredentials();
  const s3 = await startMemoryS3('bucket');
  onTestFinished(() => s3.close());
  const at = await place('s3://bucket/lab', { AWS_ENDPOINT_URL_S3: s3.endpoint, AWS_REGION: 'us-east-1' });
  const url = await planned(at, '--parts 1');
  const ending = new AbortController();
  s3.rules.answer = (operation, { key }) => {
    if (operation === 'PutObject' && key.includes('/shard-'))
      ending.abort(new ArchiverError('cancelled', 'terminated', { exitCode: 143 }));
    return undefined;
  };

  const ended = await at.run(`work ${url} --part 0`, { signal: ending.signal });
  delete s3.rules.answer;
  const again = await at.run(`work ${url} --part 0`);

  expect(ended.status).toBe(75);
  expect(again).toMatchObject({ status: 0, stdout: expect.stringContaining('Part 0: stored') as string });
});

test('what is done already ends with 0, also where something was left out: a scheduler repeats what ends with 3', async () => {
  const at = await place();
  const url = await planned(at, '--parts 1');
  rmSync(join(at.folder, 'data/a/1.txt'));

  const work = [await at.run(`work ${url} --part 0`), await at.run(`work ${url} --part 0`)];
  const commit = [await at.run(`commit ${url}`), await at.run(`commit ${url}`)];

  expect(work.map(({ status }) => status)).toEqual([3, 0]);
  expect(commit.map(({ status }) => status)).toEqual([3, 0]);
});

test('a result that is not whole is work for submit, as commit says', async () => {
  const at = await place();
  const url = await planned(at);
  await at.run(`work ${url} --part 0-2`);
  const uploads = join(at.folder, 'store/uploads');
  const attempt = readdirSync(uploads).find((id) => existsSync(join(uploads, id, 'shard-00')));
  rmSync(join(uploads, attempt ?? '', 'shard-00'), { recursive: true });

  const commit = await at.run(`commit ${url} --json`);
  const submit = await at.run(`submit slurm ${url} --json`);

  const { missingParts } = json(commit.stdout);
  expect([commit.status, missingParts]).toEqual([1, [expect.any(Number)]]);
  expect(submit.status).toBe(0);
  expect(json(submit.stdout)['missingParts']).toEqual(missingParts);
});

test('a commit that was killed before its record has made no version: status and submit say so', async () => {
  const at = await place();
  const url = await planned(at);
  await at.run(`work ${url} --part 0-2`);
  await at.run(`commit ${url}`);
  const before = json((await at.run(`plan status ${url} --json`)).stdout);
  const [record = ''] = readdirSync(join(at.folder, 'store'), { recursive: true, encoding: 'utf8' }).filter((path) =>
    /v\d{8}\.json$/.test(path),
  );
  rmSync(join(at.folder, 'store', record));

  const status = json((await at.run(`plan status ${url} --json`)).stdout);
  const submit = await at.run(`submit slurm ${url}`);

  expect([before['isCommitted'], status['isCommitted']]).toEqual([true, false]);
  expect(submit).toMatchObject({ status: 1, stderr: expect.stringContaining('archiver commit') as string });
});

test('a store that does not answer ends work with 75', async () => {
  useTestCredentials();
  const s3 = await startMemoryS3('bucket');
  onTestFinished(() => s3.close());
  const env = { AWS_ENDPOINT_URL_S3: s3.endpoint, AWS_REGION: 'us-east-1' };
  const at = await place('s3://bucket/lab', env);
  const url = await planned(at, '--parts 1');
  await s3.close();

  const { status, stderr } = await at.run(`work ${url} --part 0`, { env: { ...env, ARCHIVER_RETRIES: '0' } });

  expect({ status, stderr }).toMatchObject({ status: 75 });
}, 120_000);

test('an empty folder over a version is refused when it is planned, and when it is committed', async () => {
  const at = await place();
  const url = await planned(at, '--parts 1 --dataset-id d');
  await at.run(`work ${url} --part 0`);
  for (const name of ['b', 'c']) rmSync(join(at.folder, 'data', name), { recursive: true });
  const small = await planned(at, '--parts 1 --dataset-id d');
  await at.run(`work ${small} --part 0`);
  await at.run(`commit ${url}`);

  const refused = await at.run(`commit ${small}`);
  for (const n of [0, 1]) rmSync(join(at.folder, 'data', 'a', `${n}.txt`));
  const replanned = await at.run(`plan data ${at.store} --dataset-id d --track-deletes`);
  const allowed = await at.run(`commit ${small} --allow-mass-delete`);

  expect([refused.status, replanned.status, allowed.status]).toEqual([4, 4, 0]);
  expect(refused.stderr).toContain('holds 4 files of 8000 bytes, and version 1');
  expect(replanned.stderr).toContain('10 of 12 paths of dataset d are gone from');
});

test('the next plan has what has changed alone, and says what that is', async () => {
  const at = await place();
  execFileSync('mkfifo', [join(at.folder, 'data', 'fifo')]);
  const first = await planned(at, '--parts 2 --dataset-id d');
  await at.run(`work ${first} --part 0,1`);
  await at.run(`commit ${first}`);
  const nothing = await at.run(`plan data ${at.store} --dataset-id d`);
  const quiet = await at.run(`plan data ${at.store} --dataset-id d --json`);
  writeFileSync(join(at.folder, 'data', 'a', 'new.txt'), 'new');
  rmSync(join(at.folder, 'data', 'b', '1.txt'));

  const plan = await at.run(`plan data ${at.store} --dataset-id d --track-deletes --json`);
  const url = String(json(plan.stdout)['location']);
  await at.run(`work ${url} --part 0`);
  const commit = await at.run(`commit ${url} --json`);
  const restore = await at.run(`restore ${url} out --all`);

  expect([nothing.status, nothing.stdout]).toEqual([
    0,
    expect.stringMatching(
      /^No changes: dataset d stays at version 1, and nothing was planned\n {2}changes {3}0 added, 0 modified, 0 deleted, 12 unchanged\n.*fifo/,
    ) as string,
  ]);
  expect(json(quiet.stdout)).toMatchObject({ noChanges: true, version: 1, unchanged: 12, skippedCount: 1 });
  expect(json(plan.stdout)).toMatchObject({
    noChanges: false,
    added: 1,
    deleted: 1,
    unchanged: 11,
    files: 1,
    bytes: 3,
  });
  expect(json(commit.stdout)).toMatchObject({ version: 2, files: 12 });
  expect(restore.status).toBe(0);
  expect(readFileSync(join(at.folder, 'out', 'a', 'new.txt'), 'utf8')).toBe('new');
  expect(existsSync(join(at.folder, 'out', 'b', '1.txt'))).toBe(false);
});

test('plan status tells parts by the age of what their attempts have stored', async () => {
  const at = await place();
  const url = await planned(at, '--parts 6');
  const uploads = join(at.folder, 'store', 'uploads');
  const [plan = ''] = readdirSync(uploads);
  await at.run(`work ${url} --part 0-3`);
  const attempts = readdirSync(uploads).filter((name) => name !== plan);
  const parts = new Map(
    attempts.map((name) => [
      Number(json(readFileSync(join(uploads, name, 'attempt.json'), 'utf8'))['part']),
      join(uploads, name),
    ]),
  );
  const aged = [20, 90].entries();
  for (const part of [1, 2, 3]) rmSync(join(uploads, plan, 'parts', `00000${part}.json`));
  for (const [index, minutes] of aged) age(parts.get(index + 2) ?? '', minutes);

  const { stdout } = await at.run(`plan status ${url} --json`);
  const text = await at.run(`plan status ${url}`);

  expect(json(stdout)).toMatchObject({ partCount: 6, bytes: 24_000, bytesDone: 4000, isCommitted: false });
  const states = json(stdout)['partStates'] as readonly { readonly partState: string }[];
  expect(states.map(({ partState }) => partState)).toEqual(['done', 'running', 'late', 'dead', 'notBegun', 'notBegun']);
  expect(text.stdout).toContain('1 of 6 parts done: 3.9 KiB of 23.4 KiB');
  expect(text.stdout).toContain(`archiver work ${url} --part 3-5`);
});

/** Makes everything in a folder so old. */
function age(folder: string, minutes: number): void {
  const then = Date.now() / 1000 - minutes * 60;
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }))
    utimesSync(join(folder, name), then, then);
}

test('a plan that anybody works on is not abandoned, and one that nobody does is swept and fenced as a whole', async () => {
  const at = await place();
  await at.run(`upload data ${at.store} --dataset-id kept`);
  const url = await planned(at, '--parts 2 --dataset-id d');
  await at.run(`work ${url} --part 0`);
  const uploads = join(at.folder, 'store', 'uploads');
  const week = 8 * 24 * 60;
  for (const name of readdirSync(uploads)) age(join(uploads, name), week);
  await at.run(`work ${url} --part 1`);
  const prune = `dataset prune ${at.store} --dataset-id kept --keep-last 1 --force --instant --json`;

  const alive = json((await at.run(prune)).stdout);
  for (const name of readdirSync(uploads)) age(join(uploads, name), week);
  const dead = json((await at.run(prune)).stdout);
  const late = await at.run(`commit ${url}`);

  expect(alive['abandonedUploads']).toEqual([]);
  expect(dead['abandonedUploads']).toHaveLength(3);
  expect(late.status).toBe(1);
});

test('a committed plan loses nothing that it needs to a prune, and verify has nothing to say of it', async () => {
  const at = await place();
  const url = await planned(at, '--parts 2 --dataset-id d');
  await at.run(`work ${url} --part 0-1`);
  await at.run(`commit ${url}`);
  const before = await at.run(`verify ${url} --json`);
  const uploads = join(at.folder, 'store', 'uploads');
  for (const name of readdirSync(uploads)) age(join(uploads, name), 8 * 24 * 60);

  const prune = await at.run(`dataset prune ${at.store} --dataset-id d --keep-last 1 --force --instant --json`);
  const after = await at.run(`verify ${url} --deep --json`);

  expect(json(before.stdout)).toMatchObject({ ok: true, warnings: [] });
  expect(json(prune.stdout)['abandonedUploads']).toEqual([]);
  expect(json(after.stdout)).toMatchObject({ ok: true, warnings: [] });
});

test('what was planned with --fail-fast stops at the first file that is gone', async () => {
  const at = await place();
  const url = await planned(at, '--parts 1 --fail-fast');
  rmSync(join(at.folder, 'data', 'a', '1.txt'));

  const { status, stderr } = await at.run(`work ${url} --part 0`);

  expect(status).toBe(1);
  expect(stderr).toContain('a/1.txt: vanished after it was planned; nothing was committed (--fail-fast)');
});
