// What a prune keeps: a rule is enough, whichever it is, and so is the policy of the config file.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { KEEP_KEYS } from '../../../src/cli/retention.js';
import { keepFlags } from '../../../src/commands/dataset/keep-flags.js';
import { program } from '../../../src/commands/index.js';
import { datasetFolder } from '../../support/dataset-folder.js';
import { DATASET, makeDataset } from '../../support/make-dataset.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';

const made = makeDataset(['alpha', 'beta', 'gamma'].map((content) => ({ files: [{ path: content, content }] })));
const root = program();
let folder = '';
let base = '';

beforeEach(async () => {
  ({ folder, base } = await datasetFolder(made));
});

const prune = async (...argv: readonly string[]): Promise<CommandRun> =>
  await runCommand({ root, folder }, ['dataset', 'prune', base, '--dataset', DATASET, '--dry-run', ...argv]);
const configure = (text: string): void => writeFileSync(join(folder, '.archiver.yaml'), text);
const keptOf = ({ stdout }: CommandRun): unknown => {
  const { kept } = json(stdout) as { kept: readonly { version: number; reasons: readonly string[] }[] };
  return kept.map(({ version, reasons }) => `${version} ${reasons.join(' ')}`);
};

it('takes any rule alone, and the newest version stays', async () => {
  expect(keptOf(await prune('--keep-within', '1s', '--json'))).toEqual(['3 within latest']);
  expect(keptOf(await prune('--keep-yearly', '1', '--json'))).toEqual(['3 yearly latest']);
});

it('names the rules where none is given', async () => {
  const { status, stderr } = await prune();

  expect(status).toBe(2);
  expect(stderr).toContain('one of --keep-last, --keep-within, --keep-hourly');
});

it('keeps by the policy of the config file, and says so', async () => {
  configure('retention: { keepLast: 2, keepWithin: 30d }\n');

  const { status, stdout, stderr } = await prune();

  expect(status).toBe(0);
  expect(stderr).toContain('the config file says what to keep: --keep-last 2 --keep-within 30d\n');
  expect(stdout).toContain('v2: within, last');
});

it('replaces the policy as a whole by a flag, and by the section of the command', async () => {
  configure('retention: { keepLast: 2, keepWithin: 30d }\n');
  const typed = await prune('--keep-yearly', '1', '--json');
  configure('retention: { keepWithin: 30d }\ndataset: { prune: { keepYearly: 1 } }\n');
  const ofCommand = await prune('--json');

  for (const run of [typed, ofCommand]) expect(keptOf(run)).toEqual(['3 yearly latest']);
});

it('has a key in the policy for each flag', () => {
  expect(Object.keys(keepFlags)).toEqual(KEEP_KEYS);
});
