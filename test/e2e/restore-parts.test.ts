// An array of restores, each with --part, into one folder at once: killed, begun twice and repeated, until each has ended with 0.
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { uploadFolder } from '../core/archive/upload-folder.js';
import { describeTree, makeEverything, MIB, noise, setTime } from '../core/archive/trees.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver, CLI, environment, onlyUpload } from './upload-cli.js';

const NOBODY = 65_534;
const PARTS = 5;

/** The tree, its top folder included. */
const all = (root: string): unknown => {
  const { mode, mtimeNs, uid, gid } = statSync(root, { bigint: true });
  return { '': { mode, mtimeNs, uid, gid }, ...describeTree(root) };
};

function addFolders(source: string): void {
  for (const [name, mode] of [
    ['inherited', 0o755],
    ['group', 0o2755],
    ['read-only', 0o555],
    ['shut', 0o000],
  ] as const) {
    const folder = join(source, name);
    mkdirSync(join(folder, 'below'), { recursive: true });
    // Large ones lie in chunks of their own, so that several parts write into the folder.
    for (let index = 0; index < 6; index++) writeFileSync(join(folder, `large-${index}`), noise(1.5 * MIB));
    writeFileSync(join(folder, 'below', 'large'), noise(3 * MIB));
    spawnSync('ln', ['-s', 'large-0', join(folder, 'link')]);
    if (name === 'inherited') spawnSync('setfacl', ['-m', 'd:u:1234:rwx,d:g::---', folder]);
    chmodSync(folder, mode);
    setTime(folder, 1_500_000_000, 123);
  }
  chmodSync(source, 0o750);
  setTime(source, 1_400_000_000, 7);
}

async function made(uid: number | undefined) {
  const home = await tempFolder();
  const [source, base] = [join(home, 'source'), join(home, 'store')];
  mkdirSync(source);
  makeEverything(source);
  addFolders(source);
  await uploadFolder(source, base, { chunkBytes: 4 * MIB, shardCount: 2 }).result;
  const location = `file://${onlyUpload(base)}`;
  const flags = ['--all', '--keep-special-bits', '--quiet', '--limit-download', '30MiB'];
  if (uid !== undefined) {
    spawnSync('chmod', ['-R', 'a+rX', base]);
    chownSync(home, uid, uid);
  }
  return { home, location, flags };
}

/** Runs one part to its end, or to its death after so many ms. */
async function runPart(
  { home, location, flags }: Awaited<ReturnType<typeof made>>,
  out: string,
  { part, uid, killMs }: { readonly part: number; readonly uid: number | undefined; readonly killMs?: number },
): Promise<{ readonly status: number | null; readonly stderr: string }> {
  const args = [CLI, 'restore', location, out, ...flags, '--part', `${part}/${PARTS}`];
  const owner = uid === undefined ? {} : { uid, gid: uid };
  const child = spawn(process.execPath, args, {
    cwd: home,
    env: environment(home, {}),
    stdio: ['ignore', 'ignore', 'pipe'],
    ...owner,
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let stderr = '';
  child.stderr.on('data', (text) => (stderr += String(text)));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  if (killMs !== undefined) void sleep(killMs).then(() => child.kill('SIGKILL'));
  return { status: await ended, stderr };
}

const shuffled = (): number[] => Array.from({ length: PARTS }, (_, index) => index + 1).sort(() => Math.random() - 0.5);

test.each([
  ['root', undefined],
  ['a user, whom folders of the version are closed to', NOBODY],
] as const)('as %s they make what one restore makes', { timeout: 600_000 }, async (_who, uid) => {
  const archive = await made(uid);
  const { home, location, flags } = archive;
  const [whole, out] = [join(home, 'whole'), join(home, 'made', 'parts')];
  const one = await archiver(home, ['restore', location, whole, ...flags], uid === undefined ? {} : { uid });
  expect([one.status, one.stderr]).toEqual([0, '']);

  const untilDone = async (part: number): Promise<void> => {
    for (let tries = 0; ; tries++) {
      await sleep(Math.random() * 1000);
      const killMs = tries < 3 && Math.random() < 0.7 ? { killMs: 400 + Math.random() * 2500 } : {};
      const { status, stderr } = await runPart(archive, out, { part, uid, ...killMs });
      if (status === 0) return;
      if (status !== null) throw new Error(`part ${part}: ${status}: ${stderr}`);
    }
  };
  await Promise.all([...shuffled(), 1 + Math.floor(Math.random() * PARTS)].map(untilDone));

  expect(all(out)).toEqual(all(whole));
  // One after the other, and what is missing is made again, in folders that are closed by now.
  for (const name of ['inherited', 'group', 'read-only', 'shut']) rmSync(join(out, name, 'large-3'));
  rmSync(join(out, 'shut/below/large'));
  for (const part of shuffled()) expect(await runPart(archive, out, { part, uid })).toEqual({ status: 0, stderr: '' });

  expect(all(out)).toEqual(all(whole));
});
