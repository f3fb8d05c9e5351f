import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { EVERYDAY } from '../../src/commands/everyday.js';
import { EVERYDAY_WORDS } from '../../src/cli/everyday-words.js';
import { wordsOf } from '../../src/cli/declaration.js';
import { tempFolder } from '../support/temp-folder.js';

const cli = join(import.meta.dirname, '../../dist/cli.js');
let home = '';
let store = '';

beforeEach(async () => {
  const HOME = await tempFolder();
  home = join(HOME, '.archiver');
  store = join(HOME, 'store');
  mkdirSync(store);
});

function call(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...args], {
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: join(home, '..'), ...env },
  });
  return { status, stdout, stderr };
}
const list = (env?: NodeJS.ProcessEnv) => call(['list', `file://${store}`], env);

const folders = (): readonly string[] =>
  existsSync(join(home, 'compiled-code')) ? readdirSync(join(home, 'compiled-code')) : [];
const kept = (use: string): string => join(home, 'compiled-code', folders()[0] ?? 'none', use);

test('each command of every day has compiled code of its own', () => {
  expect(EVERYDAY_WORDS).toEqual([...new Set(EVERYDAY.map(({ path }) => wordsOf(path)[0]))]);
});

describe('compiled code is kept', () => {
  test('in the folder of archiver, for a command, and not again by the next call', () => {
    const first = list();
    expect(folders()).toEqual([]); // a first call leaves nothing
    mkdirSync(home, { mode: 0o700 });
    const second = list();
    const { size, mode } = statSync(kept('list'));
    const keepsAgain = (): boolean => {
      const { ino } = statSync(kept('list'));
      expect(list()).toEqual(first);
      return statSync(kept('list')).ino !== ino;
    };

    expect(second).toEqual(first);
    // One that takes half as long again, as on a machine with other work, is taken to have compiled more.
    expect([1, 2, 3, 4].every(keepsAgain)).toBe(false);
    expect(mode & 0o777).toBe(0o600);
    expect(size).toBeGreaterThan(200_000);
    expect(readdirSync(join(kept('list'), '..'))).toEqual(['list']);
  });

  test('of each kind of thread, too', () => {
    mkdirSync(home, { mode: 0o700 });
    const source = join(home, '..', 'source');
    mkdirSync(source);
    writeFileSync(join(source, 'a'), 'content');
    const upload = () => call(['upload', source, `file://${store}`, '--dataset-id', 'one', '--quiet']);
    expect(upload()).toEqual({ status: 0, stdout: '', stderr: '' });
    const threads = ['pack-worker', 'scan-worker'].map((name) => statSync(kept(name)));
    expect(threads.every(({ size }) => size > 20_000)).toBe(true);
    expect(upload().status).toBe(0);
    expect(readdirSync(join(kept('upload'), '..')).toSorted()).toEqual(['pack-worker', 'scan-worker', 'upload']);
  });

  test('and not used where it is damaged', () => {
    mkdirSync(home, { mode: 0o700 });
    const right = list();
    const file = kept('list');
    const bytes = readFileSync(file);
    // Every byte of it is under its digest, so V8 never sees what is damaged.
    for (const at of [0, 40, Math.floor(bytes.length / 2), bytes.length - 1]) {
      const damaged = Buffer.from(bytes);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      writeFileSync(file, damaged);
      expect(list()).toEqual(right);
      expect(readFileSync(file).equals(damaged)).toBe(false); // and it is written anew
    }
    for (const length of [0, 10, 100, bytes.length - 100]) {
      writeFileSync(file, bytes.subarray(0, length));
      expect(list()).toEqual(right);
    }
  });

  test('of each command that shares a file, with what it was of the others', () => {
    mkdirSync(home, { mode: 0o700 });
    call(['context', 'show']);
    const one = statSync(kept('others')).size;
    call(['config', '--validate']);
    const both = statSync(kept('others'));
    call(['context', 'show']);

    expect(both.size).toBeGreaterThan(one);
    expect(statSync(kept('others')).ino).toBe(both.ino);
  });

  test('whole, when several end at once', async () => {
    mkdirSync(home, { mode: 0o700 });
    const calls = Array.from({ length: 4 }, () =>
      spawn(process.execPath, [cli, 'list', `file://${store}`], { stdio: 'ignore', env: { HOME: join(home, '..') } }),
    );
    const statuses = await Promise.all(calls.map(async (one) => (await once(one, 'exit'))[0] as number));

    expect(new Set(statuses).size).toBe(1);
    expect(readdirSync(join(kept('list'), '..'))).toEqual(['list']);
    const { ino } = statSync(kept('list'));
    list();
    expect(statSync(kept('list')).ino).toBe(ino);
  });
});

describe('compiled code is not kept', () => {
  test('where somebody else could write it', () => {
    mkdirSync(home, { mode: 0o700 });
    list();
    const file = kept('list');
    const changed = (path: string, mode: number): boolean => {
      const before = statSync(path).mode;
      chmodSync(path, mode);
      const { ino } = statSync(file);
      writeFileSync(file, ''); // nothing that could be used
      list();
      const isNew = statSync(file).size > 0;
      chmodSync(path, before);
      return isNew || statSync(file).ino !== ino;
    };

    expect(changed(home, 0o770)).toBe(false);
    expect(changed(join(home, 'compiled-code'), 0o702)).toBe(false);
    expect(changed(home, 0o700)).toBe(true);
  });

  test('in a folder that a link leads to', async () => {
    const other = await tempFolder();
    mkdirSync(home, { mode: 0o700 });
    symlinkSync(other, join(home, 'compiled-code'));
    list();

    expect(readdirSync(other)).toEqual([]);
  });

  test('without a home, and where Node is told to keep none', () => {
    mkdirSync(home, { mode: 0o700 });
    list({ NODE_DISABLE_COMPILE_CACHE: '1' });
    expect(folders()).toEqual([]);
    const { stderr } = list({ HOME: undefined, ARCHIVER_HOME: join(home, 'none') });
    expect(stderr).not.toContain('compiled');
  });
});

test('flags of V8 have code of their own, and folders that nobody has written to for three months go', () => {
  mkdirSync(home, { mode: 0o700 });
  const old = join(home, 'compiled-code', 'v20.0.0-x64-0123');
  const young = join(home, 'compiled-code', 'v22.0.0-x64-0123');
  for (const [folder, days] of [
    [old, 100],
    [young, 10],
  ] as const) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(join(folder, 'list'), '');
    const then = Date.now() / 1000 - days * 86_400;
    utimesSync(folder, then, then);
  }
  chmodSync(join(home, 'compiled-code'), 0o700);
  list();
  list({ NODE_OPTIONS: '--max-old-space-size=512' });

  expect(existsSync(old)).toBe(false);
  expect(existsSync(young)).toBe(true);
  expect(folders()).toHaveLength(3);
});
