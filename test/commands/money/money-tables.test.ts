// What commands about money print in terminals of several widths: no amount is cut, and no line is wider.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { appendRecords } from '../../../src/core/money/ledger/ledger.js';
import { widthOf } from '../../../src/ui/text.js';
import { ledgerRecord } from '../../support/ledger-record.js';
import { type MemoryS3, startMemoryS3 } from '../../support/memory-s3.js';
import { useTestCredentials } from '../../support/open-s3.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';

const PROJECTS = ['a-project-with-quite-a-long-name-of-the-second-floor', 'Größenänderung-項目-データ-αβγ', 'x'];
const CUR = [
  'lineItem/UsageStartDate,lineItem/UsageEndDate,lineItem/ProductCode,lineItem/UsageType,lineItem/ResourceId,lineItem/UnblendedCost',
  '2026-04-01T00:00:00Z,2026-05-01T00:00:00Z,AmazonS3,USW2-TimedStorage-ByteHrs,lab,1234567.891234',
  '2026-04-01T00:00:00Z,2026-05-01T00:00:00Z,AmazonS3,USW2-Requests-Tier1,lab,0.00042',
  '2026-04-01T00:00:00Z,2026-05-01T00:00:00Z,AmazonS3,USW2-Requests-Tier1,lab,-12.5',
  '2026-04-01T00:00:00Z,2026-05-01T00:00:00Z,AmazonS3,USW2-TimedStorage-ByteHrs,a-bucket-of-another-department,77',
  '',
].join('\n');

let folder = '';
let server: MemoryS3 | undefined;
let uploaded = '';

const run = (columns: number | undefined, ...argv: readonly string[]): Promise<CommandRun> =>
  runCommand(
    {
      root: program(),
      folder,
      env: { AWS_ENDPOINT_URL: server?.endpoint ?? '' },
      now: () => new Date('2026-04-30T12:00:00.000Z'),
      ...(columns !== undefined && { columns }),
    },
    argv,
  );

beforeAll(async () => {
  useTestCredentials();
  folder = mkdtempSync(join(tmpdir(), 'archiver-test-'));
  server = await startMemoryS3('lab');
  writeFileSync(join(folder, '.archiver.yaml'), 'costControl:\n  provider: aws\n');
  writeFileSync(join(folder, 'cur.csv'), CUR);
  mkdirSync(join(folder, 'source'));
  for (const name of ['a', 'b', 'c']) writeFileSync(join(folder, 'source', name), name.repeat(50_000));
  const first = await run(undefined, 'upload', 'source', 's3://lab/arc', '--json', '--progress-format', 'none');
  uploaded = String(json(first.stdout)['uploadId']);
  const records = PROJECTS.map((project, index) =>
    ledgerRecord({ time: '2026-03-30T12:00:00.000Z', project, monthlyMicros: 10 ** (12 - 5 * index) }),
  );
  await appendRecords(join(folder, 'home', 'ledger'), records, { host: 'here' });
  for (const project of PROJECTS)
    await run(undefined, 'budget', 'set', project, '--cost', '123456.78', '--volume', '54321');
});
afterAll(async () => {
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

const COMMANDS: readonly (readonly [name: string, argv: () => readonly string[]])[] = [
  ['cost pricing', () => ['cost', 'pricing', '--region', 'eu-central-1']],
  ['cost pricing of another provider', () => ['cost', 'pricing', '--provider', 'wasabi']],
  ['estimate', () => ['estimate', 'source', '--progress-format', 'none']],
  ['cost estimate', () => ['cost', 'estimate', '--size', '7TB', '--storage-class', 'GLACIER']],
  ['cost estimate of a download', () => ['cost', 'estimate', '--size', '7TB', '--operation', 'download']],
  ['budget list', () => ['budget', 'list']],
  ['cost upload', () => ['cost', 'upload', `s3://lab/arc/uploads/${uploaded}`]],
  ['cost benchmark-compare', () => ['cost', 'benchmark-compare', '--size-gb', '7', '--files', '123456', '--chart']],
  ['analyze', () => ['analyze', 's3://lab/arc']],
  ['lifecycle', () => ['lifecycle', '--template', 'archive-optimization', '--estimate-size', '1234567']],
  ['cost reconcile', () => ['cost', 'reconcile', '--cur', 'cur.csv']],
];
/** The amounts of a text, whole ones only. */
const AMOUNTS = /\$\d+(?:\.\d+)?(?![\d.…])/g;

describe.each(COMMANDS)('%s', (_name, argv) => {
  let whole: Set<string>;
  beforeAll(async () => void (whole = new Set((await run(undefined, ...argv())).stdout.match(AMOUNTS))));

  test.each([60, 80, 120])('in %i columns', async (columns) => {
    const { status, stdout } = await run(columns, ...argv());

    expect(status).toBe(0);
    expect(stdout.split('\n').filter((line) => widthOf(line) > columns)).toEqual([]);
    expect(stdout).not.toMatch(/\$\S*…|…[\d.]+(?=\s)/);
    // Each is one that is there without a terminal, too.
    expect((stdout.match(AMOUNTS) ?? []).filter((amount) => !whole.has(amount))).toEqual([]);
    expect(whole.size).toBeGreaterThan(0);
  });
});

test('a table in 80 columns says in which order columns went', async () => {
  const { stdout } = await run(80, 'cost', 'pricing', '--region', 'us-west-2');

  expect(stdout).toContain('no room for ASKED BACK/1000, RETRIEVAL/GB, MOVE/1000');
  expect(stdout).toMatch(/STANDARD +\$0.023 \/ \$0.022 \/ \$0.021 +\$0.005 +\$0.0004 +0\n/);
});

test('budgets in 80 columns say both states', async () => {
  const { stdout } = await run(80, 'budget', 'list');

  expect(stdout).toMatch(/PROJECT +COST +COST IS +VOLUME IS\n/);
  expect(stdout).toContain('no room for PERIOD, VOLUME: widen the terminal, or --json');
});

test('what small folders cost has as many digits as tell the classes apart', async () => {
  const { stdout } = await run(undefined, 'estimate', 'source', '--progress-format', 'none');

  const cells = Array.from(
    stdout.matchAll(/^(?:STANDARD|DEEP_ARCHIVE|GLACIER) +\S+ +\S+ +(\S+)/gm),
    ([, cell]) => cell,
  );
  expect(cells).toHaveLength(3);
  expect(new Set(cells).size).toBe(3);
  expect(stdout).not.toContain('<$0.01');
});
