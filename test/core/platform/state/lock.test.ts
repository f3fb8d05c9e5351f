import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { holdLock, type Lock, lockHolder, takeLock } from '../../../../src/core/platform/state/lock.js';
import { ownHolder } from '../../../../src/core/platform/state/lock-holder.js';
import { tempFolder } from '../../../support/temp-folder.js';

const HOST = 'this-host';
const path = async (): Promise<string> => join(await tempFolder(), 'x.lock');
const isLock = (taken: object): taken is Lock => 'release' in taken;

test('one of two gets it, and the other is told who has it', async () => {
  const lock = await path();
  const first = await takeLock(lock, ownHolder(HOST));

  expect(isLock(first)).toBe(true);
  expect(await takeLock(lock, ownHolder(HOST))).toMatchObject({ pid: process.pid, host: HOST });
  expect(await lockHolder(lock, HOST)).toMatchObject({ pid: process.pid });
});

test('of many at once exactly one gets it, also where a stale one lies', async () => {
  for (let round = 0; round < 50; round++) {
    const lock = await path();
    writeFileSync(lock, JSON.stringify({ ...ownHolder(HOST), pid: 2 ** 22 + 1 }));

    const taken = await Promise.all(Array.from({ length: 20 }, () => takeLock(lock, ownHolder(HOST))));

    expect(taken.filter(isLock)).toHaveLength(1);
  }
});

test('a stale lock is taken over by one at a time, and who waits for its turn leaves it alone', async () => {
  const lock = await path();
  const stale = JSON.stringify({ ...ownHolder(HOST), pid: 2 ** 22 + 1 });
  writeFileSync(lock, stale);
  const turn = await takeLock(`${lock}.turn`, ownHolder(HOST));

  expect(await takeLock(lock, ownHolder(HOST))).toMatchObject({ pid: process.pid });
  expect(readFileSync(lock, 'utf8')).toBe(stale);
  if (isLock(turn)) await turn.release();
  expect(isLock(await takeLock(lock, ownHolder(HOST)))).toBe(true);
  expect(readdirSync(dirname(lock))).toEqual(['x.lock']);
});

test('who was killed in its turn keeps nobody from taking the lock', async () => {
  const lock = await path();
  const stale = JSON.stringify({ ...ownHolder(HOST), pid: 2 ** 22 + 1 });
  for (const left of [lock, `${lock}.turn`]) writeFileSync(left, stale);

  expect(isLock(await takeLock(lock, ownHolder(HOST)))).toBe(true);
  expect(readdirSync(dirname(lock))).toEqual(['x.lock']);
});

test('a process that is gone holds nothing', async () => {
  const lock = await path();
  const child = spawn(process.execPath, ['-e', '0']);
  const { pid = 0 } = child;
  await new Promise((resolve) => void child.once('exit', resolve));
  writeFileSync(lock, JSON.stringify({ ...ownHolder(HOST), pid, start: '' }));

  expect(await lockHolder(lock, HOST)).toBeUndefined();
  expect(isLock(await takeLock(lock, ownHolder(HOST)))).toBe(true);
});

test('a number that another process has now is not that process', async () => {
  const lock = await path();
  writeFileSync(lock, JSON.stringify({ ...ownHolder(HOST), start: 'another boot:1' }));

  expect(await lockHolder(lock, HOST)).toBeUndefined();
});

test('a process of another computer counts as running', async () => {
  const lock = await path();
  writeFileSync(lock, JSON.stringify({ pid: 2 ** 22 + 1, host: 'elsewhere', start: '' }));

  expect(await takeLock(lock, ownHolder(HOST))).toMatchObject({ host: 'elsewhere' });
});

test('a lock of another computer expires only where that was asked for, and not while it is refreshed', async () => {
  const lock = await path();
  writeFileSync(lock, JSON.stringify({ pid: 2 ** 22 + 1, host: 'elsewhere', start: '', namespace: 'pid:[7]' }));

  expect(await lockHolder(lock, HOST, true)).toMatchObject({ host: 'elsewhere' });
  utimesSync(lock, new Date(), new Date(Date.now() - 700_000));
  expect(await lockHolder(lock, HOST)).toMatchObject({ host: 'elsewhere' });
  expect(await lockHolder(lock, HOST, true)).toBeUndefined();
});

test('an empty lock is being written, unless it is old', async () => {
  const lock = await path();
  writeFileSync(lock, '');
  expect(isLock(await takeLock(lock, ownHolder(HOST)))).toBe(false);
  utimesSync(lock, 5, 5);
  expect(isLock(await takeLock(lock, ownHolder(HOST)))).toBe(true);
});

test('releasing twice does not release what another took', async () => {
  const lock = await path();
  const first = await takeLock(lock, ownHolder(HOST));
  if (!isLock(first)) throw new Error('not taken');
  await first.release();
  await takeLock(lock, ownHolder(HOST));
  await first.release();

  expect(existsSync(lock)).toBe(true);
});

test('a lock that was taken over is not removed by the process that lost it', async () => {
  const lock = await path();
  const first = await takeLock(lock, ownHolder(HOST));
  if (!isLock(first)) throw new Error('not taken');
  await moveAwayAs(lock, JSON.stringify(ownHolder(HOST)));
  await first.release();

  expect(existsSync(lock)).toBe(true);
});

/** Somebody else has it now. */
async function moveAwayAs(lock: string, text: string): Promise<void> {
  const { rename } = await import('node:fs/promises');
  writeFileSync(`${lock}-new`, text);
  await rename(`${lock}-new`, lock);
}

describe.skipIf(process.platform !== 'linux')('of a process in another pid namespace', () => {
  const stranger = (namespace: string): string =>
    JSON.stringify({ ...ownHolder(HOST), pid: 2 ** 22 + 1, start: 'x', namespace });
  const old = (lock: string, minutes: number): void => {
    const time = Date.now() / 1000 - minutes * 60;
    utimesSync(lock, time, time);
  };

  test.each([
    ['another', 'pid:[1]'],
    ['an unknown', ''],
  ])('the number says nothing: in %s one it counts as running', async (_, namespace) => {
    const lock = await path();
    writeFileSync(lock, stranger(namespace));

    expect(await lockHolder(lock, HOST)).toMatchObject({ pid: 2 ** 22 + 1, namespace });
    await expect(holdLock(lock, { host: HOST, what: 'it' })).rejects.toMatchObject({
      message: expect.stringMatching(/in another container, is working on it/),
      hint: `when it is certain that it runs no more, remove ${lock}`,
    });
  });

  test('its lock is over when it was not refreshed for ten minutes', async () => {
    const lock = await path();
    writeFileSync(lock, stranger('pid:[1]'));
    old(lock, 9);
    expect(isLock(await takeLock(lock, ownHolder(HOST)))).toBe(false);
    old(lock, 11);
    expect(isLock(await takeLock(lock, ownHolder(HOST)))).toBe(true);
    expect(readdirSync(dirname(lock))).toEqual(['x.lock']);
  });

  test('an old version of this program refreshed nothing: its lock stays', async () => {
    const lock = await path();
    writeFileSync(lock, stranger(''));
    old(lock, 11);

    expect(isLock(await takeLock(lock, ownHolder(HOST)))).toBe(false);
  });

  test('a lock is refreshed while it is held, and left as it reads', async () => {
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const lock = await path();
    const taken = await takeLock(lock, ownHolder(HOST));
    const text = readFileSync(lock, 'utf8');
    old(lock, 11);
    vi.advanceTimersByTime(60_000);
    vi.useRealTimers();

    await vi.waitUntil(() => Date.now() - statSync(lock).mtimeMs < 60_000);
    expect(readFileSync(lock, 'utf8')).toBe(text);
    if (isLock(taken)) await taken.release();
  });

  const unshare = ['--pid', '--fork', '--mount-proc', '--kill-child'];
  const mayContain = spawnSync('unshare', [...unshare, 'true']).status === 0;
  if (!mayContain) process.stderr.write('left out: locks of containers (unshare --pid needs root)\n');

  test.skipIf(!mayContain)('two containers with one home and one host name see each other', async () => {
    const lock = await path();
    const module = await builtLock();
    const script = (work: string): string =>
      `const { takeLock, ownHolder } = await import(${JSON.stringify(module)});
       const lock = await takeLock(${JSON.stringify(lock)}, ownHolder(${JSON.stringify(HOST)}));
       process.stdout.write('release' in lock ? 'mine\\n' : \`\${lock.pid}\\n\`); ${work}`;
    const node = [process.execPath, '--input-type=module', '-e'];
    const first = spawn('unshare', [...unshare, ...node, script('setTimeout(() => undefined, 60_000)')]);
    try {
      const said = await new Promise<string>(
        (resolve) => void first.stdout.once('data', (d: Buffer) => resolve(d.toString())),
      );
      const second = spawnSync('unshare', [...unshare, ...node, script('')], { encoding: 'utf8' });

      expect([said, second.stdout]).toEqual(['mine\n', '1\n']);
      expect(isLock(await takeLock(lock, ownHolder(HOST)))).toBe(false);
    } finally {
      first.kill('SIGKILL');
    }
  });
});

/** The module as one file, for a process of its own. */
async function builtLock(): Promise<string> {
  const { build } = await import('esbuild');
  const outfile = join(await tempFolder(), 'lock.mjs');
  const contents = "export * from './lock.js'; export * from './lock-holder.js';";
  const resolveDir = join(import.meta.dirname, '../../../../src/core/platform/state');
  await build({
    stdin: { contents, resolveDir, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  return outfile;
}
