// Mounts a folder by another program, and unmounts it.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ArchiverError, systemCode, undefinedOn, usageError } from '../platform/failures/errors.js';
import { fileFailure } from '../platform/failures/file-failure.js';
import { printable } from '../platform/paths/raw-path.js';
import {
  davfsCommand,
  davfsFiles,
  type MountCommand,
  type Mounter,
  type MountTarget,
  rcloneCommand,
} from './mount-program.js';

type Environment = Readonly<Record<string, string | undefined>>;

export interface MountedFolder {
  /** Resolves when the folder is not mounted any more: true if somebody has unmounted it, false if the program that mounted it has failed. */
  readonly gone: Promise<boolean>;
  /** @throws io when it stays mounted */
  readonly unmount: () => Promise<void>;
}

export interface MountCall extends MountTarget {
  readonly mounter: Mounter;
  /** Path of the program. */
  readonly program: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
}

const LOOK_EVERY_MS = 100;
const MOUNT_MS = 30_000;
const UNMOUNT_MS = 5_000;
/** Of what the program says, the end is shown. */
const SHOWN_LETTERS = 600;

/** Refuses a folder in which nothing should be mounted. @throws usage */
export async function refuseFullFolder(folder: string): Promise<void> {
  try {
    if ((await readdir(folder)).length === 0) return;
  } catch (error) {
    if (systemCode(error) === 'ENOENT')
      throw usageError(`there is no folder ${printable(folder)}`, `mkdir ${printable(folder)}`);
    throw usageError(
      `${printable(folder)} is no folder that can be read: ${fileFailure('read', folder, error).message}`,
    );
  }
  throw usageError(`${printable(folder)} is not empty, and what is in it would be hidden`, 'name an empty folder');
}

/** Mounts, and resolves once it is mounted. @throws io with what the program said */
export async function mountFolder(call: MountCall): Promise<MountedFolder> {
  return call.mounter === 'rclone' ? await mountByRclone(call) : await mountByDavfs(call);
}

async function mountByRclone(call: MountCall): Promise<MountedFolder> {
  const { folder } = call;
  const before = await deviceOf(folder);
  const running = start(rcloneCommand(call.program, call), call.env);
  await untilMounted(call, before, running);
  return {
    gone: running.ended.then((status) => status === 0),
    async unmount() {
      running.child.kill('SIGTERM');
      await Promise.race([running.ended, sleep(UNMOUNT_MS, undefined, { ref: false })]);
      await unmounted(folder, before, call.env, [
        ['fusermount3', '-u', '-z'],
        ['fusermount', '-u', '-z'],
        ['umount', '-l'],
      ]);
    },
  };
}

async function mountByDavfs(call: MountCall): Promise<MountedFolder> {
  const { folder, program, env, signal } = call;
  const before = await deviceOf(folder);
  const settings = await mkdtemp(join(tmpdir(), 'archiver-mount-'));
  const [conf, secrets] = [join(settings, 'davfs2.conf'), join(settings, 'secrets')];
  const remove = (): Promise<void> => rm(settings, { recursive: true, force: true });
  try {
    const files = davfsFiles(call, secrets);
    await writeFile(conf, files.conf, { mode: 0o600, flag: 'wx' });
    await writeFile(secrets, files.secrets, { mode: 0o600, flag: 'wx' });
    await untilMounted(call, before, start(davfsCommand(program, call, conf), env));
  } finally {
    // They were read.
    await remove();
  }
  const over = new AbortController();
  return {
    gone: untilGone(folder, before, AbortSignal.any([signal, over.signal])),
    async unmount() {
      over.abort();
      await unmounted(folder, before, env, [['umount'], ['umount', '-l']]);
    },
  };
}

interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<number | null>;
  readonly said: () => string;
}

function start({ program, args, env }: MountCommand, environment: Environment): Running {
  // A group of its own: Ctrl+C is for this process, which then unmounts.
  const child = spawn(program, args, {
    env: { ...environment, ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (data: Buffer) => (text = `${text}${data.toString()}`.slice(-SHOWN_LETTERS)));
  const ended = once(child, 'exit').then(
    ([status]) => status as number | null,
    (error: unknown) => {
      text = error instanceof Error ? error.message : String(error);
      return null;
    },
  );
  return { child, ended, said: () => printable(text.trim().replace(/\s*\n\s*/g, '; ')) };
}

/** @throws io when the program ends, or takes too long, without a mount; cancelled */
async function untilMounted(
  { folder, mounter, signal }: MountCall,
  before: number | undefined,
  running: Running,
): Promise<void> {
  const deadline = performance.now() + MOUNT_MS;
  let status: number | null | undefined;
  void running.ended.then((one) => (status = one));
  for (;;) {
    if ((await deviceOf(folder)) !== before) return;
    // davfs2 ends once it is mounted.
    const isOver = status !== undefined && !(mounter === 'davfs2' && status === 0);
    if (isOver || signal.aborted || performance.now() > deadline) break;
    await sleep(LOOK_EVERY_MS);
  }
  running.child.kill('SIGTERM');
  signal.throwIfAborted();
  const said = running.said();
  throw new ArchiverError('io', `${mounter} did not mount ${printable(folder)}${said === '' ? '' : `: ${said}`}`, {
    hint: 'mounting needs FUSE (/dev/fuse, and fusermount3 for users that are not root); archiver serve --webdav serves without a mount',
  });
}

async function untilGone(folder: string, before: number | undefined, over: AbortSignal): Promise<true> {
  while (!over.aborted && (await deviceOf(folder)) !== before)
    await sleep(10 * LOOK_EVERY_MS, undefined, { signal: over }).catch(() => undefined);
  return true;
}

/** Tries one command after the other while the folder is mounted. @throws io when it stays so */
async function unmounted(
  folder: string,
  before: number | undefined,
  env: Environment,
  commands: readonly (readonly [string, ...string[]])[],
): Promise<void> {
  const said: string[] = [];
  for (const [program, ...args] of commands) {
    if ((await deviceOf(folder)) === before) return;
    const running = start({ program, args: [...args, folder], env: {} }, env);
    await Promise.race([running.ended, sleep(UNMOUNT_MS, undefined, { ref: false })]);
    said.push(running.said());
  }
  if ((await deviceOf(folder)) === before) return;
  const why = said.filter((one) => one !== '').at(-1);
  throw new ArchiverError('io', `${printable(folder)} is still mounted${why === undefined ? '' : `: ${why}`}`, {
    hint: `umount ${printable(folder)}`,
  });
}

/** The file system that a folder is in: another one once something is mounted there, also one that does not answer any more. */
async function deviceOf(folder: string): Promise<number | undefined> {
  const found = await stat(folder).catch(undefinedOn('ENOTCONN', 'EIO', 'ENOENT', 'EACCES'));
  return found?.dev;
}
