import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { program } from '../../../../src/commands/index.js';
import { json, runCommand } from '../../../support/run-command.js';
import { tempFolder } from '../../../support/temp-folder.js';

const root = program();
const compare = async (...argv: string[]) =>
  await runCommand({ root, folder: await tempFolder() }, ['cost', 'benchmark-compare', ...argv]);

test('the document has what was compared, every tool and its model', async () => {
  const { status, stdout } = await compare(
    '--size-gb',
    '500',
    '--files',
    '1000000',
    '--compression-ratio',
    '2',
    '--json',
  );

  expect(status).toBe(0);
  expect(json(stdout)).toMatchObject({
    bytes: 500 * 2 ** 30,
    files: 1_000_000,
    compressionRatio: 2,
    region: 'us-west-2',
  });
  const { tools } = json(stdout) as { tools: { program: string; costUsd: number; model: string }[] };
  expect(tools.map(({ program, costUsd }) => [program, costUsd])).toEqual([
    ['s5cmd', 16.5],
    ['rclone', 16.9],
    ['aws-cli', 16.5],
    ['archiver', 5.809216],
  ]);
  expect(tools.every(({ model }) => model.length > 20)).toBe(true);
});

test('without --json it prints the same document', async () => {
  const words = ['--size-gb', '1', '--files', '10'];
  expect((await compare(...words)).stdout).toBe((await compare(...words, '--json')).stdout);
});

test('--chart prints a table with bars, and with --json the document', async () => {
  const { stdout } = await compare('--size-gb', '500', '--files', '1000000', '--tool', 'rclone', '--chart');
  expect(stdout.split('\n').slice(0, 3)).toEqual([
    'TOOL        OBJECTS   STORED   REQUESTS  THEIR COST  MONTH OF STORAGE  BOTH',
    `rclone    1 000 000  500 GiB  2 000 000       $5.40            $11.50  ${'━'.repeat(30)}`,
    expect.stringMatching(/^archiver\s+8 067\s+502 GiB\s+8 088\s+\$0\.04\s+\$11\.54\s+━{20}╸$/),
  ]);
  expect(stdout).toContain('prices    AWS list prices of');
  const both = await compare('--size-gb', '1', '--files', '1', '--chart', '--json');
  expect(json(both.stdout)).toHaveProperty('tools');
});

describe('--tool', () => {
  const tools = async (name: string) => {
    const { stdout } = await compare('--size-gb', '1', '--files', '1', '--tool', name);
    return (json(stdout)['tools'] as { program: string }[]).map(({ program }) => program);
  };

  test.each([
    ['s5cmd', ['s5cmd', 'archiver']],
    ['archiver', ['archiver']],
    ['cargoship', ['archiver']],
  ])('%s is compared with archiver', async (name, expected) => {
    expect(await tools(name)).toEqual(expected);
  });
});

test('the prices of the config file hold, and it is said', async () => {
  const folder = await tempFolder();
  await writeFile(join(folder, '.archiver.yaml'), 'costControl:\n  priceDiscount: 50%\n');
  const words = ['cost', 'benchmark-compare', '--size-gb', '500', '--files', '1000000', '--tool', 's5cmd'];

  const { stdout } = await runCommand({ root, folder }, words);
  const chart = await runCommand({ root, folder }, [...words, '--chart']);

  expect(json(stdout)).toMatchObject({ provider: 'aws', terms: [expect.stringContaining('50% off')] });
  expect((json(stdout)['tools'] as { costUsd: number }[])[0]?.costUsd).toBe(16.5 / 2);
  expect(chart.stdout).toContain('for us-west-2; 50% off the list (costControl.priceDiscount)');
});

test('size and number of files must be given', async () => {
  expect(await compare('--files', '1')).toMatchObject({ status: 2, stderr: expect.stringContaining('--size-gb') });
  expect(await compare('--size-gb', '1')).toMatchObject({ status: 2, stderr: expect.stringContaining('--files') });
});

test('prices that nobody knows are null, and said to be', async () => {
  const words = ['--size-gb', '1', '--files', '1', '--region', 'mars-1'];
  expect(json((await compare(...words)).stdout)['tools']).toContainEqual(expect.objectContaining({ costUsd: null }));
  expect((await compare(...words, '--chart')).stdout).toContain('none are known for STANDARD in mars-1');
});

test.each([
  [40, 30_000],
  [700, 5000],
])('the model of archiver is what an upload of %i files of %i bytes sends', async (files, fileBytes) => {
  const folder = await tempFolder();
  await mkdir(join(folder, 'data'));
  const content = Buffer.alloc(fileBytes, 'x');
  for (let file = 0; file < files; file++) await writeFile(join(folder, 'data', `file-${file}`), content);
  const uploaded = await runCommand({ root, folder }, ['upload', 'data', `file://${folder}/store`, '--json']);
  const { requests } = json(uploaded.stdout);

  const gb = String((files * fileBytes) / 2 ** 30);
  const { stdout } = await compare('--size-gb', gb, '--files', String(files), '--tool', 'archiver');
  const [model] = json(stdout)['tools'] as { requests: object }[];

  expect(model?.requests).toEqual(requests);
});
