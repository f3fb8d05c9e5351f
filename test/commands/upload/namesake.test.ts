// A folder whose dataset is derived anew, as on another computer, while the store has one of the same folder name.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { command as sync } from '../../../src/commands/sync.js';
import { type CommandRun, json, runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';
import { treeOf } from '../../support/tree-of.js';

const root = treeOf([sync], [], 'test');
let folder = '';
let old = '';

const run = (argv: readonly string[], answers?: readonly string[]): Promise<CommandRun> =>
  runCommand({ root, folder, answers }, ['sync', ...argv, './store']);
const datasets = (): readonly string[] => readdirSync(join(folder, 'store/datasets'));

beforeEach(async () => {
  folder = await tempFolder();
  for (const place of ['old', 'new']) {
    mkdirSync(join(folder, place, 'photos'), { recursive: true });
    writeFileSync(join(folder, place, 'photos/a'), 'alpha');
  }
  writeFileSync(join(folder, 'new/photos/b'), 'beta');
  old = String(json((await run(['old/photos', '--json'])).stdout)['datasetId']);
});

it('is told of where nobody can be asked, and begins a dataset', async () => {
  const planned = await run(['new/photos', '--dry-run', '--quiet']);
  const made = await run(['new/photos', '--quiet', '--json']);
  const again = await run(['new/photos', '--quiet']);

  expect([planned.status, made.status]).toEqual([0, 0]);
  expect(new Set(datasets())).toEqual(new Set([old, json(made.stdout)['datasetId']]));
  for (const { stderr } of [planned, made])
    expect(stderr).toBe(
      `! this begins dataset ${String(json(made.stdout)['datasetId'])}; to continue that of a folder of the same name: --dataset-id ${old}\n`,
    );
  expect(again).toEqual({ status: 0, stdout: '', stderr: '' });
});

it('continues the other where that is the answer', async () => {
  const { status, stdout, stderr } = await run(['new/photos', '--json', '--progress-format', 'none'], ['y']);

  expect(status).toBe(0);
  expect(stderr).toContain(`The store has ${old}, of a folder of the same name. Continue it`);
  expect(stderr).toContain(`from now on add --dataset-id ${old}`);
  expect(json(stdout)).toMatchObject({ datasetId: old, version: 2, added: 1, deleted: 0 });
  expect(datasets()).toEqual([old]);
});

it('begins its own where the answer is no, and asks nothing where the id is given', async () => {
  const named = await run(['new/photos', '--dataset-id', 'mine', '--progress-format', 'none'], []);
  const { status, stderr } = await run(['new/photos', '--progress-format', 'none'], ['']);

  expect(named.stderr).not.toContain(old);
  expect(status).toBe(0);
  expect(stderr).toContain('this begins dataset photos-');
  expect(datasets()).toHaveLength(3);
});
