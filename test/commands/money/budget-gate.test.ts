// Budgets have their say before anything is sent, and count what was used: run for real, in this process.
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Alert, Usage } from '../../../src/core/notify/alerts/alert.js';
import { program } from '../../../src/commands/index.js';
import { RunBudget } from '../../../src/commands/money/run-budget.js';
import { makeTar } from '../../core/mend/migrate/make-tar.js';
import { type HookServer, startHook } from '../../support/hook-server.js';
import { errorAnswer, type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = program();
/** What cannot be compressed. */
const BYTES = 60_000;
let folder = '';
let base = '';

beforeEach(async () => {
  folder = await tempFolder();
  base = `file://${join(folder, 'store')}`;
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data', 'a.bin'), randomBytes(BYTES));
});

const runWith = (env: Readonly<Record<string, string>>, ...argv: readonly string[]): Promise<CommandRun> =>
  runCommand({ root, folder, env: { ARCHIVER_HOME: join(folder, 'home'), ...env } }, argv);
const run = (...argv: readonly string[]): Promise<CommandRun> => runWith({}, ...argv);
const usedOf = async (...argv: readonly string[]): Promise<Usage> =>
  json((await run('budget', 'status', ...argv, '--json')).stdout)['volumeUsage'] as Usage;
const storedBelow = (place: string): readonly string[] =>
  existsSync(place) ? readdirSync(place, { recursive: true, encoding: 'utf8' }) : [];

test('parts of a plan reserve for themselves, whatever became of the budget since, and are counted', async () => {
  writeFileSync(join(folder, 'data', 'b.bin'), randomBytes(BYTES));
  await run('budget', 'set', 'genomes', '--volume', '0.0002');
  const planned = await run('plan', 'data', base, '--parts', '2', '--project', 'genomes', '--json');
  const url = String(json(planned.stdout)['location']);
  const done = await run('work', url, '--part', '0', '--quiet');
  mkdirSync(join(folder, 'other'));
  writeFileSync(join(folder, 'other', 'c.bin'), randomBytes(BYTES));
  await run('upload', 'other', base, '--project', 'genomes', '--quiet');
  await run('budget', 'set', 'genomes', '--volume', '0.00015');
  const before = storedBelow(join(folder, 'store')).toSorted();

  const refused = await run('work', url, '--part', '1', '--quiet');
  const sent = storedBelow(join(folder, 'store')).toSorted();
  const ignored = await run('work', url, '--part', '1', '--quiet', '--ignore-budget');
  const committed = await run('commit', url, '--quiet');

  expect([planned.status, done.status, refused.status, ignored.status, committed.status]).toEqual([0, 0, 4, 0, 0]);
  expect(refused.stderr).toMatch(/would exceed the volume budget of project genomes by \d+ B.*; nothing is sent/);
  expect(sent).toEqual(before);
  expect((await usedOf('genomes')).used).toBeGreaterThan(3 * BYTES);
});

describe('what would exceed a budget', () => {
  const project = ['--project', 'genomes', '--quiet'];
  test.each<[string, () => readonly string[]]>([
    ['upload', () => ['upload', 'data', base, ...project]],
    ['upload --direct-upload', () => ['upload', 'data', base, ...project, '--direct-upload']],
    ['sync', () => ['sync', 'data', base, ...project]],
    ['create upload', () => ['create', 'upload', 'data', '--bucket', base, ...project]],
    ['migrate', () => ['migrate', './data.tar', base, ...project]],
  ])('is refused by %s before anything is sent, and goes on with --ignore-budget', async (_name, argv) => {
    writeFileSync(join(folder, 'data.tar'), makeTar({ path: 'a.bin', content: randomBytes(BYTES) }));
    await run('budget', 'set', 'genomes', '--volume', '0.00005');

    const refused = await run(...argv());
    const sent = storedBelow(join(folder, 'store'));
    const saved = storedBelow(join(folder, 'home', 'state'));
    const ignored = await run(...argv(), '--ignore-budget');

    expect([refused.status, sent, saved]).toEqual([4, [], []]);
    expect(refused.stderr).toMatch(
      /would exceed the volume budget of project genomes by \d+ B: it uses up to \d+ B, and 50000 B of 50000 B is left; nothing is sent/,
    );
    expect(refused.stderr).toMatch(/budget set genomes --volume …\), or go on in spite of it with --ignore-budget/);
    expect([ignored.status, (await usedOf('genomes')).alertState]).toEqual([0, 'critical']);
  });

  test('is told as a document', async () => {
    await run('budget', 'set', '--global', '--volume', '0.00005');

    const { status, stdout } = await run('upload', 'data', base, '--json', '--quiet');

    expect([status, json(stdout)]).toEqual([
      4,
      expect.objectContaining({ error: expect.objectContaining({ code: 'budget-exceeded' }) }),
    ]);
  });

  test('is refused where its cost is not known and cost is limited', async () => {
    useTestCredentials();
    const s3 = await startMemoryS3();
    onTestFinished(() => s3.close());
    s3.buckets.set('bucket', new Map());
    const argv = ['upload', 'data', 's3://bucket/x', '--endpoint-url', s3.endpoint, '--region', 'us-east-1', '--quiet'];
    await run('budget', 'set', '--global', '--cost', '1000');

    const refused = await run(...argv);
    const objects = s3.buckets.get('bucket')?.size;
    const ignored = await run(...argv, '--ignore-budget');
    const status = await run('budget', 'status', '--global', '--json');

    expect([refused.status, objects, ignored.status]).toEqual([4, 0, 0]);
    expect(refused.stderr).toMatch(/what this costs is not known, so the cost budget of all projects cannot be kept/);
    expect(refused.stderr).toMatch(
      /fix +say what this store costs \(costControl\.provider or costControl\.ownPrices in the config file\)/,
    );
    // The refused one has listed the store.
    expect(json(status.stdout)).toMatchObject({ unpricedRuns: 2, costUsage: { used: 0 } });
  });
});

describe('what was used', () => {
  test('is what lies in the store, for the project and for all', async () => {
    await run('budget', 'set', 'genomes', '--volume', '1');
    await run('budget', 'set', '--global', '--volume', '1');
    await run('upload', 'data', base, '--project', 'genomes', '--quiet');
    const first = await usedOf('genomes');
    await run('upload', 'data', base, '--quiet');

    const all = await usedOf('--global');

    expect(first.used).toBeGreaterThan(BYTES);
    expect([(await usedOf('genomes')).used, all.used > 2 * BYTES]).toEqual([first.used, true]);
  });

  test('is nothing where nothing is sent: a sync without changes is never refused', async () => {
    await run('sync', 'data', base, '--project', 'genomes', '--quiet');
    await run('budget', 'set', 'genomes', '--volume', '0.000000001');

    expect((await run('sync', 'data', base, '--project', 'genomes', '--quiet')).status).toBe(0);
  });

  test('is looked up by a dry run, which says whether it would be refused and how much is left', async () => {
    await run('budget', 'set', 'genomes', '--volume', '0.00005');
    await run('budget', 'set', '--global', '--volume', '1', '--cost', '5');
    writeFileSync(join(folder, 'data.tar'), makeTar({ path: 'a.bin', content: randomBytes(BYTES) }));
    const uploads = ['upload', 'data', base, '--project', 'genomes', '--dry-run'] as const;

    const { status, stdout } = await run(...uploads);
    const found = json((await run(...uploads, '--json')).stdout);
    const ignored = json((await run(...uploads, '--json', '--ignore-budget')).stdout);
    const migrated = await run('migrate', './data.tar', base, '--project', 'genomes', '--dry-run');

    expect(status).toBe(0);
    expect(stdout).toMatch(
      /\n {2}budget +it would be refused: this would exceed the volume budget of project genomes by \d+ B: it uses up to \d+ B, and 50000 B of 50000 B is left\n/,
    );
    expect(stdout).toMatch(
      /\n {2}budget +this is within the cost budget of all projects: it uses up to \$0\.00, and \$5\.00 of \$5\.00 is left\n/,
    );
    expect(found).toMatchObject({
      wouldRefuse: true,
      budgetChecks: [
        { project: 'genomes', isGlobal: false, limitOf: 'volume', limit: 50_000, remaining: 50_000, isExceeded: true },
        { project: null, isGlobal: true, limitOf: 'cost', limit: 5, remaining: 5, planned: 0, isExceeded: false },
        { project: null, isGlobal: true, limitOf: 'volume', limit: 1e9, isExceeded: false },
      ],
    });
    expect(ignored).toMatchObject({ wouldRefuse: false, budgetChecks: [] });
    expect(migrated.stdout).toContain('it would be refused: this would exceed the volume budget of project genomes');
    expect(storedBelow(join(folder, 'store'))).toEqual([]);
  });

  test('counts in a book that machines share, by commands without the flag too', async () => {
    const shared = `file://${join(folder, 'shared')}`;
    await run('budget', 'set', '--global', '--volume', '1', '--store', shared);
    await run('upload', 'data', base, '--quiet', '--budget-store', shared);
    const uploaded = (await usedOf('--global', '--store', shared)).used;
    writeFileSync(join(folder, 'data', 'a.bin'), randomBytes(BYTES));
    await run('upload', 'data', base, '--quiet', '--budget-store', shared);
    const twice = (await usedOf('--global', '--store', shared)).used;

    await runWith({ ARCHIVER_BUDGET_STORE: shared }, 'scuttle', base, '--force');

    expect(uploaded).toBeGreaterThan(BYTES);
    expect(twice).toBeGreaterThan(2 * BYTES);
    expect((await usedOf('--global', '--store', shared)).used).toBe(0);
    expect(existsSync(join(folder, 'home', 'budgets.json'))).toBe(false);
  });

  test('is where costControl.budgetStore says, for every command that asks, changes or counts', async () => {
    const shared = `file://${join(folder, 'shared')}`;
    writeFileSync(join(folder, '.archiver.yaml'), `costControl:\n  budgetStore: ${shared}\n`);
    await run('budget', 'set', '--global', '--volume', '0.0001');
    await run('upload', 'data', base, '--quiet');
    const uploaded = (await usedOf('--global', '--store', shared)).used;
    const refused = await run('upload', 'data', `${base}2`, '--quiet');

    const { status } = await run('scuttle', base, '--force');

    expect(uploaded).toBeGreaterThan(BYTES);
    expect([refused.status, status]).toEqual([4, 0]);
    expect((await usedOf('--global')).used).toBe(0);
    expect(existsSync(join(folder, 'home', 'budgets.json'))).toBe(false);
  });

  test('counts in a bucket', async () => {
    useTestCredentials();
    const s3 = await startMemoryS3();
    onTestFinished(() => s3.close());
    s3.buckets.set('bucket', new Map());
    const shared = ['s3://bucket/budgets', '--endpoint-url', s3.endpoint] as const;
    await run('budget', 'set', '--global', '--volume', '1', '--store', ...shared);

    const { status, stderr } = await run('upload', 'data', 's3://bucket/lab', '--quiet', '--budget-store', ...shared);

    expect([status, stderr]).toEqual([0, '']);
    expect((await usedOf('--global', '--store', ...shared)).used).toBeGreaterThan(BYTES);
    expect([...(s3.buckets.get('bucket')?.keys() ?? [])]).toContain('budgets/budgets.json');
  });

  test('that cannot be counted is a warning after the work, and a refusal before it', async () => {
    mkdirSync(join(folder, 'home'));
    writeFileSync(join(folder, 'home', 'budgets.json'), '{');

    const refused = await run('upload', 'data', base, '--quiet');
    const ignored = await run('upload', 'data', base, '--quiet', '--ignore-budget');

    expect([refused.status, refused.stderr]).toEqual([1, expect.stringMatching(/budgets.* is damaged/)]);
    expect([ignored.status, ignored.stderr]).toEqual([
      0,
      expect.stringMatching(/^! what this run used is not counted in the budgets: .* is damaged/),
    ]);
  });
});

describe('a place of budgets', () => {
  let env = {};
  const upload = (...more: readonly string[]) => runWith(env, 'upload', 'data', base, '--quiet', ...more);

  test('that is a bucket or a folder which is not there refuses, and says what to type', async () => {
    useTestCredentials();
    const s3 = await startMemoryS3();
    onTestFinished(() => s3.close());
    s3.buckets.set('cost-lab', new Map());
    env = { AWS_ENDPOINT_URL: s3.endpoint };
    const at = (url: string) => ['--budget-store', url] as const;

    const mistyped = await upload(...at('s3://cost-labb/budgets'));
    const planned = await upload(...at('s3://cost-labb/budgets'), '--dry-run');
    const away = await upload('--budget-store', `file://${join(folder, 'mnt')}`);
    const sent = storedBelow(join(folder, 'store'));
    const empty = await upload(...at('s3://cost-lab/budgets'));
    const ignored = await upload(...at('s3://cost-labb/budgets'), '--ignore-budget');

    expect([mistyped.status, planned.status, away.status, sent]).toEqual([1, 1, 1, []]);
    expect(mistyped.stderr).toMatch(
      /the budgets in s3:\/\/cost-labb\/budgets cannot be read: .*there is no bucket cost-labb; nothing is sent\n +fix +name the right place \(--budget-store\); or go on without budgets \(--ignore-budget\)\n$/,
    );
    expect(away.stderr).toMatch(
      /cannot be read: there is no folder .*mnt; nothing is sent\n.*--budget-store.*--ignore-budget/,
    );
    expect([empty.status, empty.stderr, ignored.status]).toEqual([0, '', 0]);
    expect(ignored.stderr).toMatch(/is not counted in the budgets: .*no bucket cost-labb/);
    expect(existsSync(join(folder, 'mnt'))).toBe(false);
  });

  test('that can be read and not written refuses before anything is sent', async () => {
    useTestCredentials();
    const s3 = await startMemoryS3();
    onTestFinished(() => s3.close());
    s3.buckets.set('bucket', new Map());
    env = { AWS_ENDPOINT_URL: s3.endpoint };
    const shared = ['--budget-store', 's3://bucket/b'] as const;
    await runWith(env, 'budget', 'set', '--global', '--volume', '1', ...shared);
    s3.rules.answer = (operation, { key }) =>
      operation === 'PutObject' && key === 'b/budgets.json' ? errorAnswer(403, 'AccessDenied') : undefined;

    const refused = await upload(...shared);
    const sent = storedBelow(join(folder, 'store'));
    const ignored = await upload(...shared, '--ignore-budget');

    expect([refused.status, sent, ignored.status]).toEqual([1, [], 0]);
    expect(refused.stderr).toMatch(/budgets in s3:\/\/bucket\/b can be read, and not written: .*; nothing is sent\n/);
  });
});

describe('runs at the same time', () => {
  test('do not pass together what each of them would pass', async () => {
    await run('budget', 'set', 'genomes', '--volume', '0.00015');

    const ran = await Promise.all(
      Array.from({ length: 4 }, (_, at) => run('upload', 'data', `${base}${at}`, '--project', 'genomes', '--quiet')),
    );

    const passed = ran.filter(({ status }) => status === 0).length;
    expect(ran.map(({ status }) => status).filter((status) => status !== 0 && status !== 4)).toEqual([]);
    expect([passed, (await usedOf('genomes')).used < 150_000]).toEqual([2, true]);
    expect(json((await run('budget', 'status', 'genomes', '--json')).stdout)).toMatchObject({ reservedRuns: 0 });
  });

  test('leave a refusal, a failure and a dry run without a reservation', async () => {
    await run('budget', 'set', 'genomes', '--volume', '0.0001');
    const ended = [
      await run('upload', 'data', base, '--project', 'genomes', '--quiet', '--dry-run'),
      await run('upload', 'data', `file://${join(folder, 'data', 'a.bin')}`, '--project', 'genomes', '--quiet'),
    ];

    expect(ended.map(({ status }) => status)).toEqual([0, 1]);
    expect(json((await run('budget', 'status', 'genomes', '--json')).stdout)).toMatchObject({ reservedRuns: 0 });
  });
});

describe('what comes back', () => {
  let s3: MemoryS3;
  const bucket = () => s3.buckets.get('bucket')!;
  const cold = () => [...bucket().values()].filter(({ headers }) => headers['x-amz-storage-class'] === 'GLACIER');
  const ask = (...argv: readonly string[]) => runWith({ AWS_ENDPOINT_URL: s3.endpoint }, ...argv);
  const asked = (operation: string): number => s3.requests.filter((one) => one.operation === operation).length;
  const reserved = async () => json((await ask('budget', 'status', 'genomes', '--json')).stdout)['reservedRuns'];

  beforeEach(async () => {
    useTestCredentials();
    s3 = await startMemoryS3();
    onTestFinished(() => s3.close());
    s3.buckets.set('bucket', new Map());
    writeFileSync(join(folder, '.archiver.yaml'), 'costControl:\n  provider: aws\n');
  });

  /** Uploads, and leaves less of the budget than getting it back costs. @returns the URL of the upload */
  async function uploadedAs(storageClass: string): Promise<string> {
    const argv = [
      'upload',
      'data',
      's3://bucket/lab',
      '--project',
      'genomes',
      '--region',
      'us-east-1',
      '--yes',
      '--json',
    ];
    const { stdout } = await ask(...argv, '--storage-class', storageClass);
    const spent = json((await ask('cost', 'project', 'genomes', '--json')).stdout)['costUsd'] as number;
    await ask('budget', 'set', 'genomes', '--cost', String(spent + 0.000005));
    return String(json(stdout)['location']);
  }

  test('from cold storage is refused before anything is requested, by restore, thaw-again and the download', async () => {
    const url = await uploadedAs('GLACIER');

    const refused = await ask('restore', url, 'out', '--all', '--quiet');
    const planned = await ask('restore', url, 'out', '--all', '--dry-run', '--json');
    const before = asked('RestoreObject');
    const requested = await ask('restore', url, 'out', '--all', '--ignore-budget', '--json');
    const id = String(json(requested.stdout)['jobId']);
    for (const object of cold()) delete object.restore;
    const again = await ask('restore', 'jobs', 'check', id, '--thaw-again', '--quiet');
    const afterwards = asked('RestoreObject');
    const thawed = await ask('restore', 'jobs', 'check', id, '--thaw-again', '--ignore-budget', '--quiet');
    for (const object of cold())
      object.restore = 'ongoing-request="false", expiry-date="Fri, 23 Dec 2050 00:00:00 GMT"';
    await ask('restore', 'jobs', 'check', id, '--quiet');
    const [gets, kept] = [asked('GetObject'), await ask('restore', 'jobs', 'download', id, '--quiet')];
    const done = await ask('restore', 'jobs', 'download', id, '--quiet', '--ignore-budget');

    expect([refused.status, planned.status, before, requested.status]).toEqual([4, 4, 0, 5]);
    expect(refused.stderr).toMatch(
      /would exceed the cost budget of project genomes by .*; nothing is asked for\n.*--ignore-budget/,
    );
    expect(json(planned.stdout)).toMatchObject({
      wouldRefuse: true,
      budgetChecks: [{ limitOf: 'cost', isExceeded: true }],
    });
    expect([again.status, afterwards, thawed.status, kept.status, done.status]).toEqual([4, 1, 0, 4, 0]);
    expect(kept.stderr).toMatch(/would exceed the cost budget of project genomes/);
    expect(asked('RestoreObject')).toBe(2);
    expect(gets).toBeGreaterThan(0);
    expect([existsSync(join(folder, 'out', 'a.bin')), await reserved()]).toEqual([true, 0]);
  });

  test('at once is refused by download and restore before a chunk is fetched', async () => {
    const url = await uploadedAs('STANDARD');

    const refused = [
      await ask('download', url, 'out', '--quiet'),
      await ask('restore', url, 'out', '--all', '--quiet'),
    ];
    const written = existsSync(join(folder, 'out'));
    const planned = await ask('restore', url, 'out', '--all', '--dry-run');
    const ignored = [
      await ask('download', url, 'out', '--quiet', '--ignore-budget'),
      await ask('restore', url, 'out2', '--all', '--quiet', '--ignore-budget'),
    ];

    expect([refused.map(({ status }) => status), written]).toEqual([[4, 4], false]);
    expect([planned.status, planned.stdout]).toEqual([
      4,
      expect.stringContaining('it would be refused: this would exceed'),
    ]);
    expect([ignored.map(({ status }) => status), await reserved()]).toEqual([[0, 0], 0]);
  });

  test('in a shell is refused by get, cat and head before a chunk is fetched, by the sum of a session', async () => {
    const url = await uploadedAs('STANDARD');
    const shell = (line: string, ...argv: readonly string[]) => ask('shell', url, ...argv, '-c', line);
    const chunks = () =>
      s3.requests.filter(({ operation, path }) => operation === 'GetObject' && path.includes('shard-')).length;

    const refused = [
      await shell('get a.bin out/'),
      await shell('cat a.bin | wc -c'),
      await shell('head a.bin | wc -c'),
    ];
    const fetched = chunks();
    const ignored = await shell('get a.bin out/', '--ignore-budget');

    expect([refused.map(({ status }) => status), fetched]).toEqual([[4, 4, 4], 0]);
    for (const { stderr } of refused)
      expect(stderr).toMatch(
        /would exceed the cost budget of project genomes by .*; nothing is asked for\n.*--ignore-budget/,
      );
    expect([ignored.status, chunks(), readdirSync(join(folder, 'out'))]).toEqual([0, 1, ['a.bin']]);

    const spent = json((await ask('cost', 'project', 'genomes', '--json')).stdout)['costUsd'] as number;
    await ask('budget', 'set', 'genomes', '--cost', String(spent + 0.000009));
    rmSync(join(folder, 'home', 'cache'), { recursive: true });
    const together = await shell('get / one; get / two');

    expect([together.status, existsSync(join(folder, 'one', 'a.bin')), existsSync(join(folder, 'two'))]).toEqual([
      4,
      true,
      false,
    ]);
    expect(await reserved()).toBe(0);
  });

  test('is asked of the budget of its project by a computer that did not upload it, and counted there', async () => {
    const url = await uploadedAs('GLACIER');
    const budgets = `file://${join(folder, 'home')}`;
    const other = (...argv: readonly string[]) =>
      runWith({ AWS_ENDPOINT_URL: s3.endpoint, ARCHIVER_HOME: join(folder, 'other') }, ...argv, '--quiet');
    const restore = ['restore', url, 'out', '--all', '--budget-store', budgets];
    const used = async () =>
      (json((await ask('budget', 'status', 'genomes', '--json')).stdout)['costUsage'] as Usage).used;

    const refused = await other(...restore);
    const before = await used();
    await other(...restore, '--ignore-budget');
    const [job = ''] = readdirSync(join(folder, 'other', 'restore-jobs')).filter((name) => name.endsWith('.json'));
    const after = await used();
    for (const object of cold()) delete object.restore;
    // This computer has forgotten what it recorded: the manifest says whose it is.
    rmSync(join(folder, 'other', 'ledger'), { recursive: true });
    const thaw = ['restore', 'jobs', 'check', job.replace('.json', ''), '--thaw-again'];
    const again = await other(...thaw, '--budget-store', budgets);

    expect([refused.status, refused.stderr]).toEqual([4, expect.stringContaining('cost budget of project genomes')]);
    expect(after).toBeGreaterThan(before);
    expect([again.status, again.stderr]).toEqual([4, expect.stringContaining('cost budget of project genomes')]);
    s3.rules.answer = (operation, { key }) =>
      operation === 'GetObject' && key.endsWith('manifest.json.gz') ? errorAnswer(403, 'AccessDenied') : undefined;
    rmSync(join(folder, 'other', 'ledger'), { recursive: true, force: true });
    const gone = `file://${join(folder, 'gone')}`;
    const unknown = await runWith(
      {
        AWS_ENDPOINT_URL: s3.endpoint,
        ARCHIVER_HOME: join(folder, 'other'),
        ARCHIVER_LEDGER_STORE: gone,
        ARCHIVER_BUDGET_STORE: budgets,
      },
      ...thaw,
    );
    expect([unknown.status, unknown.stderr]).toEqual([
      1,
      expect.stringMatching(
        /not known which project .* there is no folder .*gone; nothing is asked for.*--ignore-budget/s,
      ),
    ]);
  });

  test('asked for again says what is left of the budget', async () => {
    const url = await uploadedAs('GLACIER');
    await ask('budget', 'set', 'genomes', '--cost', '1');
    const id = String(json((await ask('restore', url, 'out', '--all', '--json')).stdout)['jobId']);
    for (const object of cold()) delete object.restore;
    const check = async (...argv: readonly string[]) =>
      (json((await ask('restore', 'jobs', 'check', id, '--json', ...argv)).stdout)['jobs'] as object[])[0];

    const again = await check('--thaw-again');
    const looked = await check();

    expect(again).toMatchObject({
      budgetChecks: [{ project: 'genomes', limitOf: 'cost', limit: 1, isExceeded: false }],
    });
    expect(looked).not.toHaveProperty('budgetChecks');
  });

  test('from a store without prices is refused by a budget of cost, with both ways on, and not by one of volume', async () => {
    const url = await uploadedAs('STANDARD');
    writeFileSync(join(folder, '.archiver.yaml'), '');
    const restore = ['restore', url, '--all', '--quiet'];

    const refused = await ask(...restore, 'out');
    const ignored = await ask(...restore, 'out', '--ignore-budget');
    await ask('budget', 'set', 'genomes', '--cost', '0', '--volume', '0.000001');
    const volume = await ask(...restore, 'out2');

    expect([refused.status, ignored.status, volume.status, volume.stderr]).toEqual([4, 0, 0, '']);
    expect(refused.stderr).toMatch(
      /what this costs is not known, .*; nothing is asked for\n.*costControl\.provider or costControl\.ownPrices in the config file\), or go on .* --ignore-budget/,
    );
  });

  test('goes on where it is within the budget, and reserves it meanwhile', async () => {
    const url = await uploadedAs('STANDARD');
    await ask('budget', 'set', 'genomes', '--cost', '1');
    const seen: unknown[] = [];
    s3.rules.answer = (operation, { key }) => {
      if (operation === 'GetObject' && key.endsWith('.tar.zst')) seen.push(bucketBook());
      return undefined;
    };
    const bucketBook = () => json(readFileSync(join(folder, 'home', 'budgets.json'), 'utf8'))['reservations'];

    const { status } = await ask('restore', url, 'out', '--all', '--quiet');

    expect([status, await reserved()]).toEqual([0, 0]);
    expect(seen[0]).toEqual([expect.objectContaining({ project: 'genomes', bytes: 0 })]);
  });
});

describe('alerts', () => {
  const received = ({ requests }: HookServer): readonly string[] =>
    requests.flatMap(({ body }) =>
      (JSON.parse(body) as { alerts: Alert[] }).alerts.map(
        ({ type, severity, project }) => `${severity} ${type} ${project}`,
      ),
    );

  test('are raised by whatever command finds a threshold crossed, once within the cooldown', async () => {
    await run('budget', 'set', 'genomes', '--volume', '0.0001', '--volume-alert', '0.5');
    const { stdout } = await run('upload', 'data', base, '--project', 'genomes', '--quiet', '--json');
    const location = String(json(stdout)['location']);
    const hook = await startHook();
    await run('alerts', 'configure', 'webhook', '--webhook-url', hook.url);

    const restored = await run('restore', location, 'out', '--all', '--quiet');
    await run('restore', location, 'out2', '--all', '--quiet');
    writeFileSync(join(folder, 'data', 'b.bin'), randomBytes(BYTES));
    await run('sync', 'data', base, '--project', 'genomes', '--quiet', '--ignore-budget');

    expect(restored).toMatchObject({ status: 0, stderr: '' });
    expect(received(hook)).toEqual(['warning volume_threshold genomes', 'critical volume_over_quota genomes']);
  });

  test('that arrive nowhere are a warning and change no exit status', async () => {
    const hook = await startHook([{ status: 410 }]);
    await run('alerts', 'configure', 'webhook', '--webhook-url', `${hook.url}/SECRET`);
    await run('budget', 'set', '--global', '--volume', '0.0001', '--volume-alert', '0.5');

    const { status, stderr } = await run('upload', 'data', base, '--quiet');

    expect([status, stderr]).toEqual([0, expect.stringMatching(/^! alert by webhook failed: 127\S+ answered 410\n$/)]);
  });
});

test('a renewal that is under way when a run ends does not bring its reservation back', async () => {
  const renewals: (() => Promise<void>)[] = [];
  const keep = vi.spyOn(RunBudget.prototype, 'keep').mockImplementation(function (this: RunBudget, ...args) {
    renewals.push(args[2]);
    keep.mockRestore();
    this.keep(...args);
  });
  await run('budget', 'set', 'genomes', '--volume', '1');
  expect((await run('upload', 'data', base, '--project', 'genomes', '--quiet')).status).toBe(0);

  expect(renewals).toHaveLength(1);
  await renewals[0]?.();

  expect(json((await run('budget', 'status', 'genomes', '--json')).stdout)['reservedRuns']).toBe(0);
});
