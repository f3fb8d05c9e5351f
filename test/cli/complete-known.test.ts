// What completion knows of stores: over a real folder, and without it.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { archiver } from '../e2e/in-process.js';
import { tempFolder } from '../support/temp-folder.js';

let home = '';
const offered = async (...words: string[]): Promise<readonly (string | undefined)[]> => {
  const { status, stdout, stderr } = await archiver(home, ['__complete', '--', ...words]);
  expect([status, stderr]).toEqual([0, '']);
  return stdout.split('\n').flatMap((line) => (line === '' || line.startsWith(':') ? [] : [line.split('\t')[0]]));
};
const must = async (...args: string[]): Promise<void> =>
  expect(await archiver(home, args)).toMatchObject({ status: 0 });

beforeEach(async () => {
  home = await tempFolder();
  mkdirSync(join(home, 'lab', 'data', 'run-1'), { recursive: true });
  writeFileSync(join(home, 'lab', 'data', 'run-1', 'a.csv'), 'a');
  writeFileSync(join(home, 'lab', '-x'), 'x');
  writeFileSync(join(home, 'lab', ':y'), 'y');
  writeFileSync(join(home, 'lab', 'two\nlines'), 'z');
  writeFileSync(Buffer.concat([Buffer.from(join(home, 'lab', 'raw-')), Buffer.of(0xff)]), 'r');
  writeFileSync(join(home, '.archiver.yaml'), `stores:\n  nas:\n    url: ${join(home, 'store')}\n`);
  await must('sync', 'lab', 'nas:', '--dataset', 'results', '--quiet');
  await must('dataset', 'tag', 'nas:', 'submitted', 'v1');
});

describe('a store in a folder', () => {
  test('its name, datasets, versions and tags are offered where they belong', async () => {
    expect(await offered('restore', 'n')).toEqual(['nas:']);
    expect(await offered('list', '--store', '')).toEqual(['nas:']);
    expect(await offered('restore', 'nas:', '--dataset', 'r')).toEqual(['results']);
    expect(await offered('restore', 'nas:', '--dataset=')).toEqual(['--dataset=results']);
    expect(await offered('restore', 'nas:', '--version', '')).toEqual(['latest', 'submitted', 'v1']);
    expect(await offered('dataset', 'diff', 'nas:', '--from', 'v')).toEqual(['v1']);
    expect(await offered('dataset', 'tag', 'nas:', '')).toEqual(['submitted']);
    expect(await offered('dataset', 'tag', 'nas:', 'sent', 'l')).toEqual(['latest']);
    expect(await offered('restore', 'nas:', '--dataset', 'other', '--version', '')).toEqual([]);
  });

  test('paths are offered folder by folder, as they can be typed', async () => {
    const top = ['\\x2dx', '\\x3ay', 'data/', 'raw-\\xff', 'two\\x0alines'];
    expect(await offered('restore', 'nas:', '--file', '')).toEqual(top);
    expect(await offered('restore', join(home, 'store'), '--file', 'da')).toEqual(['data/']);
    expect(await offered('download', 'nas:', '--files', 'data/,data/r')).toEqual(['data/,data/run-1/']);
    expect(await offered('restore', 'nas:', '--version', 'v1', '--file', 'data/run-1/')).toEqual(['data/run-1/a.csv']);
    expect(await offered('restore', 'nas:', '--version', 'v9', '--file', '')).toEqual([]);
    expect(await offered('--store', 'nas', 'history', 'raw-')).toEqual(['raw-\\xff']);
  });

  test('a path that was offered is what the command takes', async () => {
    for (const path of await offered('list', 'nas:', '--file', ''))
      expect(await archiver(home, ['list', 'nas:', '--file', path ?? ''])).toMatchObject({ status: 0 });
  });

  test('a call that cannot be read, a store that is gone and a broken config file offer nothing, and say nothing', async () => {
    expect(await offered('restore', 'nas:', '--nonsense', '--version', '')).toEqual([]);
    rmSync(join(home, 'store'), { recursive: true });
    expect(await offered('restore', 'nas:', '--version', '')).toEqual([]);
    expect(await offered('restore', 'nas:', '--file', '')).toEqual([]);
    writeFileSync(join(home, '.archiver.yaml'), 'stores: [');
    expect(await offered('restore', 'n')).toEqual([]);
  });

  test('completion writes nothing', async () => {
    const before = readdirSync(home, { recursive: true, encoding: 'latin1' }).sort();
    await offered('restore', 'nas:', '--file', '');
    await offered('restore', 'nas:', '--version', '');
    expect(readdirSync(home, { recursive: true, encoding: 'latin1' }).sort()).toEqual(before);
  });
});

test('bash gets candidates with quotes, from its break on', async () => {
  const bash = async (part: string, ...words: string[]): Promise<string> =>
    (await archiver(home, ['__complete', 'bash', part, '--', ...words])).stdout;
  writeFileSync(join(home, 'lab', 'a $(b):c "d'), '');
  await must('sync', 'lab', 'nas:', '--dataset', 'results', '--quiet');

  expect(await bash('a', 'restore', 'nas:', '--file', 'a')).toBe('a\\ \\$\\(b\\):c\\ \\"d\n:nothing\n');
  expect(await bash('"a', 'restore', 'nas:', '--file', '"a')).toBe('a \\$(b):c \\"d\n:nothing\n');
  expect(await bash("'a $", 'restore', 'nas:', '--file', "'a $")).toBe('a $(b):c "d\n:nothing\n');
  expect(await bash('c', 'restore', 'nas:', '--file', 'a\\ \\$\\(b\\):c')).toBe('c\\ \\"d\n:nothing\n');
});
