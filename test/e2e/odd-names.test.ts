// Every command over the collection of odd names, as files and as folders, in a store whose own folder has one.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fsPath, textFromRaw } from '../../src/core/platform/paths/raw-path.js';
import { describeTree, HOSTILE_NAMES } from '../core/archive/trees.js';
import { raw } from '../support/raw.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './in-process.js';
import { CLI, type Ran } from './upload-cli.js';

const COUNT = HOSTILE_NAMES.length * 2;
const TYPEABLE = HOSTILE_NAMES.flatMap((name) => textFromRaw(raw(name)) ?? []);

function writeAll(source: string, content: string): void {
  for (const name of HOSTILE_NAMES) {
    mkdirSync(fsPath(raw(`${source}/folders/${name}`)), { recursive: true });
    writeFileSync(fsPath(raw(`${source}/folders/${name}/inside`)), `${content} in ${name}`);
    writeFileSync(fsPath(raw(`${source}/${name}`)), `${content} of ${name}`);
  }
}

test.each([
  ['chunks', []],
  ['direct objects', ['--direct-upload']],
])(
  'every command takes odd names in %s',
  async (_where, flags) => {
    const home = await tempFolder();
    const source = join(home, 'source');
    const url = `file://${home}/st\u2028ore`;
    const good = async (...args: readonly string[]): Promise<Ran> => {
      const ran = await archiver(home, args);
      expect.soft([ran.status, ran.status === 0 ? '' : ran.stdout + ran.stderr], args.join(' ')).toEqual([0, '']);
      return ran;
    };
    const json = async (...args: readonly string[]): Promise<Record<string, unknown>> =>
      JSON.parse((await good(...args, '--json', '--quiet')).stdout || '{}') as Record<string, unknown>;
    const upload = async (): Promise<string> =>
      String((await json('upload', source, url, ...flags, '--dataset-id', 'odd'))['location']);
    const ofDataset = [url, '--dataset-id', 'odd'];
    writeAll(source, 'first');
    const first = await upload();
    writeAll(source, 'second, and longer,');
    const newest = await upload();

    expect.soft(await json('verify', newest, '--deep')).toMatchObject({ ok: true, warnings: [] });
    expect.soft((await json('list', newest))['contents']).toHaveProperty('length', COUNT);
    for (const command of ['list', 'info', 'repair']) await good(command, newest, '--verbose');
    await good('dataset', 'list', url);
    await good('dataset', 'versions', ...ofDataset);
    expect
      .soft(await json('dataset', 'diff', ...ofDataset, '--from', '1'))
      .toMatchObject({ changes: { length: COUNT } });

    await good('restore', newest, join(home, 'all'), '--all');
    await good('download', newest, join(home, 'downloaded'));
    expect.soft(describeTree(join(home, 'all'))).toEqual(describeTree(source));
    expect.soft(describeTree(join(home, 'downloaded'))).toEqual(describeTree(source));
    const named = TYPEABLE.map((name) => `--file=${name}`);
    expect.soft(await json('restore', newest, join(home, 'named'), ...named)).toMatchObject({ files: TYPEABLE.length });
    await good('shell', newest, '-c', 'ls', '-c', 'find . -name "*line*"', '-c', 'stat line*');
    await good('dvc', 'status', source, newest);

    expect.soft(await json('sync', source, ...ofDataset)).toMatchObject({ noChanges: true });
    await good('balance', newest, '--execute');
    execFileSync('tar', ['-cf', join(home, 'odd.tar'), '-C', source, '.']);
    await good('migrate', join(home, 'odd.tar'), url);

    const prune = ['dataset', 'prune', ...ofDataset, '--keep-last', '1', '--instant', '--yes'];
    expect.soft(await json(...prune)).toMatchObject({ failed: [], warnings: [] });
    expect.soft((await archiver(home, ['list', first])).status).toBe(1);
    expect.soft(await json('verify', newest, '--deep')).toMatchObject({ ok: true, warnings: [] });
    expect.soft(await json('scuttle', `file://${home}`, '--dry-run')).toMatchObject({
      found: { nestedBases: ['st\u2028ore'] },
    });
    expect.soft(await json('scuttle', url, '--force')).toMatchObject({ failedCount: 0, leftAlone: 0 });
  },
  300_000,
);

test.each([
  ['has a path that is not UTF-8', `mkdir "$(printf 'x\\377y')" && cd x*`],
  ['is no longer there', 'mkdir x && cd x && rmdir ../x'],
])('a working directory that %s is refused in a sentence, and nothing is written', async (why, go) => {
  const home = await tempFolder();
  const call = `${go} && exec "$0" "$1" restore "$2/store" out --all`;
  const env = { PATH: process.env['PATH'], HOME: home };
  const ran = spawnSync('/bin/sh', ['-c', call, process.execPath, CLI, home], { cwd: home, env, encoding: 'utf8' });

  expect([ran.status, ran.stderr]).toEqual([
    1,
    expect.stringContaining(`✗ the folder that archiver was started in ${why}`),
  ]);
  expect(ran.stderr.split('\n')).toHaveLength(3);
  expect(readdirSync(home, { encoding: 'latin1' })).toEqual(why.includes('UTF-8') ? ['x\xffy'] : []);
});
