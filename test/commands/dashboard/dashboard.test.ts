import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { VIEW_IDS } from '../../../src/commands/dashboard/flags.js';
import { program } from '../../../src/commands/index.js';
import { fillHome, savedId } from '../../support/dashboard-home.js';
import { startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';

const root = program();
const NOW = new Date('2025-11-14T12:04:31Z');
const now = (): Date => NOW;
let folder = '';

beforeEach(async () => {
  folder = await tempFolder();
});

const dashboard = (argv: readonly string[], env: Record<string, string> = {}): Promise<CommandRun> =>
  runCommand({ root, folder, now, env }, ['dashboard', ...argv]);
const once = (...argv: readonly string[]): Promise<CommandRun> => dashboard(['--once', ...argv]);
const fill = (): Promise<void> => fillHome(join(folder, 'home'), NOW, { days: 14, budgets: 2, uploads: 2 });

test('--once prints a view as text', async () => {
  await fill();
  const overview = await once();
  const uploads = await once('--view', 'uploads');

  expect([overview.status, overview.stderr]).toEqual([0, '']);
  expect(overview.stdout).toMatch(
    /^ ▲ genomics-2025 is at 82% [^]*\n SPEND THIS MONTH\n {3}\$\d+\.\d\d .* 42 cost records/,
  );
  expect(overview.stdout).toMatch(/genomics-2025 .* 82% /);
  expect(uploads.stdout).toMatch(new RegExp(`^ UPLOAD .*\n ${savedId(1)} +interrupted `));
});

test('--once --json prints each view as a document', async () => {
  await fill();
  const overview = json((await once('--json')).stdout);
  const costs = json((await once('--view', 'costs', '--json')).stdout);
  const uploads = json((await once('--view', 'uploads', '--json')).stdout);

  expect(overview).toMatchObject({
    schemaVersion: 2,
    view: 'overview',
    troubles: [],
    monthSpend: { firstDay: '2025-11-01', lastDay: '2025-11-14', runs: 42 },
    budgets: [
      { isGlobal: true },
      { project: 'genomics-2025', costUsage: { usedPercent: 82, alertState: 'warning' } },
      {},
    ],
    uploads: [
      { uploadId: savedId(1), status: 'interrupted' },
      { uploadId: savedId(0), filesTotal: 13_290 },
    ],
  });
  expect(Object.keys(costs)).toEqual(['schemaVersion', 'view', 'troubles', 'monthSpend', 'budgets']);
  expect(uploads).toMatchObject({ view: 'uploads', folder: join(folder, 'home', 'state'), uploads: [{}, {}] });
});

test('where nothing is known yet, documents are empty and the text says what to type', async () => {
  const document = json((await once('--json')).stdout);
  const text = await once();

  expect(document).toMatchObject({ monthSpend: { runs: 0, costUsd: 0 }, budgets: [], uploads: [] });
  expect([text.status, text.stdout]).toEqual([0, expect.stringContaining('archiver budget set PROJECT --cost USD')]);
});

test('a source that cannot be read is told and is exit status 1; the others are printed', async () => {
  await fill();
  await writeFile(join(folder, 'home', 'budgets.json'), 'garbage');
  const text = await once();
  const document = await once('--json');

  expect([text.status, document.status]).toEqual([1, 1]);
  expect(text.stderr).toContain('budgets.json');
  expect(text.stdout).toMatch(/^ BUDGETS {2}.*budgets\.json[^]*UPLOADS IN PROGRESS/m);
  expect(json(document.stdout)).toMatchObject({
    troubles: [expect.stringContaining('budgets.json')],
    uploads: [{}, {}],
  });
  expect(json(document.stdout)).not.toHaveProperty('budgets');
});

test('costs send no request to the store, uploads list its folders, and the overview reads the fleet', async () => {
  useTestCredentials();
  await fill();
  const s3 = await startMemoryS3('lab');
  onTestFinished(() => s3.close());
  const env = { AWS_ENDPOINT_URL: s3.endpoint, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
  const costs = ['s3://lab/archive', '--once', '--view', 'costs'];
  const { status, stdout } = await dashboard([...costs, '--json'], env);
  expect([status, json(stdout)['location']]).toEqual([0, 's3://lab/archive']);
  expect((await dashboard(costs, env)).stdout).not.toContain('not read yet');

  expect(s3.requests).toEqual([]);
  await dashboard(['s3://lab/archive', '--once', '--view', 'uploads'], env);
  expect(s3.requests.map(({ operation }) => operation)).toEqual(['ListObjectsV2']);
  await dashboard(['s3://lab/archive', '--once', '--view', 'overview'], env);
  expect(new Set(s3.requests.map(({ operation }) => operation))).toEqual(new Set(['ListObjectsV2']));
});

test('budgets that are kept in a bucket are read from there', async () => {
  useTestCredentials();
  const s3 = await startMemoryS3('lab');
  onTestFinished(() => s3.close());
  const env = { AWS_ENDPOINT_URL: s3.endpoint, AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
  const shared = ['--budget-store', 's3://lab/budgets'];
  await runCommand({ root, folder, now, env }, ['budget', 'set', 'genome', '--cost', '5', ...shared]);
  const before = s3.requests.length;
  const { stdout } = await dashboard(['--once', '--json', '--view', 'costs', ...shared], env);

  expect(json(stdout)).toMatchObject({ budgets: [{ project: 'genome' }] });
  expect(s3.requests).toHaveLength(before + 1);
});

test.each([
  [[], 'dashboard needs a terminal'],
  [['--json'], 'has no --json without --once'],
  [['--once', '--refresh', '5s'], '--once cannot be combined with --refresh'],
  [['--refresh', '200ms'], '--refresh is at least 1s'],
  [['--once', '--view', 'nothing'], 'wants one of overview, costs, uploads'],
  [['--once', '--region', 'eu-west-1'], '--region can do nothing'],
])('%j is refused', async (argv, text) => {
  const { status, stdout, stderr } = await dashboard(argv);

  expect(status).toBe(2);
  expect(stdout + stderr).toContain(text);
});

test('the views of --view are those of the tabs', async () => {
  const { DASHBOARD_VIEWS } = await import('../../../src/screens/dashboard/views.js');

  expect(DASHBOARD_VIEWS.map(({ id }) => id)).toEqual(VIEW_IDS);
});
