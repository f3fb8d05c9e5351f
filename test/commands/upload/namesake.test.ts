// A folder whose dataset is derived anew, as on another computer, while the store has one of the same folder name.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
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

describe('a name that was typed', () => {
  it('is what people call a dataset, for writing as for reading', async () => {
    const { status, stdout, stderr } = await run(['new/photos', '--dataset', 'photos', '--json', '--quiet']);

    expect(status).toBe(0);
    expect(stderr).toContain(`! --dataset photos continues ${old}; --new-dataset begins another\n`);
    expect(stderr).toContain('this one is of');
    expect(json(stdout)).toMatchObject({ datasetId: old, version: 2 });
    expect(datasets()).toEqual([old]);
  });

  it('is an id where a dataset has it, or --new-dataset is given', async () => {
    await run(['new/photos', '--dataset', 'photos', '--new-dataset', '--quiet']);
    const again = await run(['new/photos', '--dataset', 'photos', '--quiet', '--json']);

    expect(json(again.stdout)).toMatchObject({ datasetId: 'photos', version: 1 });
    expect(again.stderr).toBe('');
    expect(new Set(datasets())).toEqual(new Set([old, 'photos']));
  });

  it('that several are called is refused', async () => {
    await run(['new/photos', '--quiet']);
    const { status, stderr } = await run(['old/photos', '--dataset', 'photos', '--quiet']);

    expect(status).toBe(2);
    expect(stderr).toContain('--dataset photos may be photos-');
  });

  it('that is like another begins nothing where nobody can be asked', async () => {
    for (const name of ['Photos', 'photo', 'pho-tos', 'phtoos']) {
      const { status, stderr } = await run(['new/photos', '--dataset', name]);

      expect([name, status]).toEqual([name, 2]);
      expect(stderr).toContain(`there is no dataset ${name}, and one is called like it; nothing was sent`);
      expect(stderr).toContain(`--dataset ${old} continues it, --new-dataset begins ${name}`);
    }
    expect(datasets()).toEqual([old]);
    expect(await run(['new/photos', '--dataset', 'photo', '--new-dataset'])).toMatchObject({ status: 0 });
    expect(new Set(datasets())).toEqual(new Set([old, 'photo']));
  });

  it('is begun where a person says so, and not otherwise', async () => {
    const no = await run(['new/photos', '--dataset', 'photo', '--progress-format', 'none'], ['n']);
    const yes = await run(['new/photos', '--dataset', 'photo', '--progress-format', 'none'], ['y']);

    expect([no.status, yes.status]).toEqual([2, 0]);
    expect(no.stderr).toContain(`There is no dataset photo, and there is ${old}. Begin photo?`);
  });

  it('that is new is begun without a word: other digits are another name', async () => {
    await run(['new/photos', '--dataset', 'run-0412', '--quiet']);
    const next = await run(['new/photos', '--dataset', 'run-0413', '--quiet']);

    expect(next).toEqual({ status: 0, stdout: '', stderr: '' });
    expect(datasets()).toHaveLength(3);
  });
});
