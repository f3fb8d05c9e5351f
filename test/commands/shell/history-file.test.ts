import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { HistoryFile } from '../../../src/commands/shell/run-terminal.js';
import { tempFolder } from '../../support/temp-folder.js';

let path = '';
let troubles: string[] = [];
const open = (): Promise<HistoryFile> => HistoryFile.open(path, (text) => troubles.push(text));

beforeEach(async () => {
  path = join(await tempFolder(), 'home/shell-history');
  troubles = [];
});

test('keeps the lines of several shells at once, for their owner alone', async () => {
  const [one, two] = [await open(), await open()];
  await one.add('a');
  await two.add('b');
  await one.add('c');

  expect((await open()).lines).toEqual(['a', 'b', 'c']);
  expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
  expect(troubles).toEqual([]);
});

test('gives the last thousand lines, and shortens a file that has grown', async () => {
  mkdirSync(join(path, '..'));
  writeFileSync(path, Array.from({ length: 2500 }, (_, n) => `line ${n}\n`).join(''), { mode: 0o600 });

  const { lines } = await open();

  expect([lines.length, lines[0], lines.at(-1)]).toEqual([1000, 'line 1500', 'line 2499']);
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(1001);
  expect((statSync(path).mode & 0o777).toString(8)).toBe('600');
});

test('passes over lines that nobody can have typed', async () => {
  mkdirSync(join(path, '..'));
  writeFileSync(path, 'good\n\u001b[31mbad\n\nalso good\n');

  expect((await open()).lines).toEqual(['good', 'also good']);
});

test('goes on without a history that cannot be read or written, and says why', async () => {
  mkdirSync(path, { recursive: true });
  chmodSync(path, 0o700);

  const file = await open();
  await file.add('a');

  expect(file.lines).toEqual([]);
  expect(troubles).toEqual([
    'the history is not read: it is a folder, not a file',
    'the history is not kept: it is a folder, not a file',
  ]);
});
