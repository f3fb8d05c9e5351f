// npm run bench on a tree of forty files: what it writes, what it does where a program fails, and how it goes on.
import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
// @ts-expect-error -- the bench is plain JavaScript
import { withMeasured } from '../../bench/page.mjs';
// @ts-expect-error -- the bench is plain JavaScript
import { reached } from '../../bench/rows.mjs';

const ROOT = join(import.meta.dirname, '../..');
const work = mkdtempSync(join(tmpdir(), 'archiver-bench-test-'));
const tree = join(work, 'tree');
const page = join(work, 'page.md');
const bin = join(work, 'bin');

beforeAll(() => {
  for (let at = 0; at < 40; at++) {
    mkdirSync(join(tree, `folder-${at % 5}`), { recursive: true });
    writeFileSync(join(tree, `folder-${at % 5}`, `file-${at}.txt`), `file ${at}\n`);
  }
  mkdirSync(bin);
  // A restic that knows its version, keeps nothing, cannot restore and lists nothing.
  writeFileSync(
    join(bin, 'restic'),
    '#!/bin/sh\ncase "$*" in version) echo restic 9.9.9;; *restore*) echo no restore >&2; exit 7;; *init*) mkdir -p $RESTIC_REPOSITORY;; esac\n',
  );
  chmodSync(join(bin, 'restic'), 0o755);
});

afterAll(() => rmSync(work, { recursive: true }));

async function bench(...args: string[]): Promise<{ status: number; said: string }> {
  const all = [
    'bench/run.mjs',
    '--runs',
    '1',
    '--store',
    'folder',
    '--work',
    join(work, 'work'),
    '--small',
    tree,
    ...args,
  ];
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}` };
  return await new Promise((done) => {
    execFile(process.execPath, all, { cwd: ROOT, env }, (error, stdout, stderr) => {
      done({ status: error === null ? 0 : Number(error.code), said: stdout + stderr });
    });
  });
}

test('rows that are done stay where a program fails, the failure is in the table, and the status is 1', async () => {
  writeFileSync(page, 'before\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nafter\n');

  const { status, said } = await bench(
    '--corpus',
    'small',
    '--peers',
    'archiver,restic,cp',
    '--rows',
    'upload,restore,list',
    '--write',
    '--page',
    page,
  );

  expect(said).toContain('0 differences');
  expect(status).toBe(1);
  const written = readFileSync(page, 'utf8');
  expect(written).toMatch(/^before\n<!-- bench:begin -->[^]*<!-- bench:end -->\nafter\n$/);
  expect(written).not.toContain('old\n');
  expect(written).toContain('restic 9.9.9');
  expect(written).toMatch(/\| upload +\| archiver \| 1 \| \d/);
  expect(written).toMatch(/\| restore of all \| restic \|  \| failed/);
  // It ends with 0 and lists nothing.
  expect(written).toMatch(/\| list of all files \| restic \|  \| failed/);
  expect(written).toMatch(/\| list of all files \| archiver \| 1 \| \d/);
  expect(written).toMatch(/\| restore of all \| \(cp\) \| 1 \| \d/);
  expect(written).toContain('| small: restore of all | at most 0.90x the time of the fastest peer | not measured |');
  expect(written).not.toContain(ROOT);
});

test('a run that was ended goes on with what is missing, and refuses results of other versions', async () => {
  const file = join(work, 'work/results.json');
  const results = JSON.parse(readFileSync(file, 'utf8')) as {
    done: string[];
    setup: { versions: Record<string, string> };
  };
  writeFileSync(file, JSON.stringify({ ...results, done: results.done.filter((turn) => !turn.endsWith(' cp')) }));
  const args = ['--corpus', 'small', '--peers', 'archiver,restic,cp', '--rows', 'upload,restore,list', '--resume'];

  const { said } = await bench(...args);

  expect(said).toMatch(/round 1 cp restore/);
  expect(said).not.toMatch(/round 1 archiver/);
  expect(said).toMatch(/\| upload \| archiver \| 1 \| \d/);

  writeFileSync(file, JSON.stringify({ ...results, setup: { ...results.setup, versions: { restic: '0.1' } } }));
  const refused = await bench(...args);

  expect(refused).toMatchObject({ status: 1, said: expect.stringContaining('leave --resume out') });
});

test('what it does not know is refused', async () => {
  expect((await bench('--peers', 'archiver,rsync')).said).toContain('--peers has no rsync');
  expect((await bench('--runs', '0')).said).toContain('--runs 0 is not a number from 1 on');
  expect(() => withMeasured('a page without marks', '')).toThrow('the page has no');
});

test('a goal is compared with the fastest peer, and never with what is a floor', () => {
  const figures = {
    archiver: { wall: 2 },
    restic: { wall: 4 },
    borg: { wall: 3 },
    cat: { wall: 1 },
    rclone: { failed: 'x' },
  };
  const isFloor = (name: string): boolean => name === 'cat';
  const fastest = { figure: 'wall', of: 'the fastest peer', most: 0.7 };

  expect(reached(fastest, figures, isFloor)).toEqual({ value: 2 / 3, isReached: true, against: 'borg' });
  expect(reached({ ...fastest, most: 0.6 }, figures, isFloor)).toMatchObject({ isReached: false });
  expect(reached({ figure: 'wall', of: 'cat', most: 2 }, figures, isFloor)).toMatchObject({
    value: 2,
    isReached: true,
  });
  expect(reached({ figure: 'wall', most: 1.9 }, figures, isFloor)).toEqual({ value: 2, isReached: false });
  expect(reached({ figure: 'wall', of: 'rustic', most: 1 }, figures, isFloor)).toEqual({});
  expect(reached(fastest, { ...figures, archiver: { failed: 'x' } }, isFloor)).toEqual({});
});
