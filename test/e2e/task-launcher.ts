// Starts tasks of arrays as processes of machines of their own, and lets things happen to them: signals that come with a certain PUT, and answers of
// the store that are lost. What happens is drawn from a seed; only what processes do at the same time is not the same each time.
import { spawn } from 'node:child_process';
import { mkdirSync, realpathSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { randomOf } from '../core/archive/random-tree.js';
import { startFaultProxy } from '../faults/fault-proxy.js';
import { type MemoryObject, startMemoryS3 } from '../support/memory-s3.js';
import { useTestCredentials } from '../support/open-s3.js';
import { tempFolder } from '../support/temp-folder.js';
import { archiver } from './in-process.js';
import { CLI, environment, type Ran } from './upload-cli.js';

export type Signal = 'SIGKILL' | 'SIGTERM' | 'SIGSTOP';

/** What happens to a process. */
export interface Fate {
  readonly seed: number;
  /** The share of PUTs that are done and whose answers are lost. */
  readonly lost: number;
  readonly signal?: Signal;
  /** The signal comes with this PUT, before it is passed on or after that; it may never come. */
  readonly at: number;
  readonly isBefore: boolean;
}

/** What has happened. */
export interface Figures {
  seed: number;
  /** Planned on a version. */
  onVersion: number;
  /** Arrays over a file that lies in several parts. */
  large: number;
  parts: number;
  tasks: number;
  killed: number;
  terminated: number;
  stopped: number;
  tryAgain: number;
  requeued: number;
  twice: number;
  neverStarted: number;
  lostAnswers: number;
  refused: number;
  killedCommits: number;
  beaten: number;
  seconds: number;
}

/** Draws what one array is like. */
export class Dice {
  private readonly random: () => number;

  constructor(seed: number) {
    this.random = randomOf(seed);
  }

  readonly next = (): number => this.random();
  isLess = (share: number): boolean => this.random() < share;
  upTo = (most: number): number => Math.floor(this.random() * (most + 1));

  of<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)] as T;
  }

  shuffled<T>(items: readonly T[]): T[] {
    const keyed = items.map((item) => [this.random(), item] as const);
    return keyed.toSorted(([a], [b]) => a - b).map(([, item]) => item);
  }

  fate(signals: readonly (Signal | undefined)[]): Fate {
    const signal = this.of(signals);
    const [at, isBefore] = [1 + this.upTo(4), this.isLess(0.5)];
    return { seed: this.upTo(2 ** 30), lost: this.of([0, 0.1, 0.3]), ...(signal && { signal }), at, isBefore };
  }
}

/** A folder, a store whose answers may be lost, and processes that things happen to. `seed` is for the figures. */
export async function siteOf(seed: number) {
  const home = realpathSync(await tempFolder());
  const source = join(home, 'source');
  mkdirSync(source);
  useTestCredentials();
  const s3 = await startMemoryS3('lab');
  onTestFinished(() => s3.close());
  const bucket = s3.buckets.get('lab') ?? new Map<string, MemoryObject>();
  const figures: Figures = {
    seed,
    onVersion: 0,
    large: 0,
    parts: 0,
    tasks: 0,
    killed: 0,
    terminated: 0,
    stopped: 0,
    tryAgain: 0,
    requeued: 0,
    twice: 0,
    neverStarted: 0,
    lostAnswers: 0,
    refused: 0,
    killedCommits: 0,
    beaten: 0,
    seconds: 0,
  };

  // One address for all, as what is known of a store is known of its address: processes are told apart by their access keys.
  const proxy = await startFaultProxy(s3.endpoint);
  onTestFinished(() => proxy.close());
  const onPut = new Map<string, (path: string) => 'cut' | 'lost' | undefined>();
  const verdicts = new WeakMap<object, 'cut' | 'lost' | undefined>();
  const verdictOf = (request: Pick<IncomingMessage, 'url' | 'headers'>): 'cut' | 'lost' | undefined => {
    if (!verdicts.has(request)) {
      const [, key = ''] = /Credential=([^/]+)/.exec(request.headers.authorization ?? '') ?? [];
      verdicts.set(request, onPut.get(key)?.(request.url ?? ''));
    }
    return verdicts.get(request);
  };
  const whereIs = (verdict: 'cut' | 'lost') => ({
    operation: 'PutObject',
    when: (_operation: string, request: Pick<IncomingMessage, 'url' | 'headers'>) => verdictOf(request) === verdict,
  });
  proxy.inject({ ...whereIs('cut'), fault: { kind: 'reset' } });
  proxy.inject({ ...whereIs('lost'), fault: { kind: 'lost-answer' } });
  const isLostOf = ({ seed: own, lost }: Pick<Fate, 'seed' | 'lost'>): ((path: string) => boolean) => {
    const random = randomOf(own);
    return (path) => {
      // One that asks whether the store keeps conditions gives up where every race has an answer that is lost.
      const is = random() < lost && !path.includes('/create-once');
      if (is) figures.lostAnswers++;
      return is;
    };
  };
  const own = { AWS_REGION: 'us-east-1', AWS_ENDPOINT_URL_S3: proxy.endpoint, ARCHIVER_CREATE_ONCE: 'auto' };

  /** Runs a command in this process, one at a time; answers may be lost. */
  const run = async (
    args: readonly string[],
    fate: Pick<Fate, 'seed' | 'lost'> = { seed: 0, lost: 0 },
  ): Promise<Ran> => {
    const isLost = isLostOf(fate);
    onPut.set(process.env['AWS_ACCESS_KEY_ID'] ?? '', (path) => (isLost(path) ? 'lost' : undefined));
    return await archiver(home, args, { env: own });
  };
  const done = async (...args: Parameters<typeof run>): Promise<Ran> => {
    const ran = await run(...args);
    if (ran.status !== 0) throw new Error(`${args[0].join(' ')}: ${ran.status}\n${ran.stdout}${ran.stderr}`);
    return ran;
  };

  /** Starts the program on a machine of its own. `stopped` ends if it stands still, until `goOn` is called. */
  const start = async (args: readonly string[], fate: Fate, env: Readonly<Record<string, string>> = {}) => {
    const machine = await tempFolder();
    const { signal, at, isBefore } = fate;
    const key = `process-${onPut.size}`;
    const isLost = isLostOf(fate);
    let [puts, isSignalled] = [0, false];
    let standsStill: (() => void) | undefined;
    const stopped = new Promise<void>((resolve) => (standsStill = resolve));
    const send = (which: Signal): void => {
      if (child.exitCode !== null || !child.kill(which)) return;
      isSignalled = true;
      if (which === 'SIGSTOP') standsStill?.();
    };
    onPut.set(key, (path) => {
      if (signal === undefined || ++puts !== at) return isLost(path) ? 'lost' : undefined;
      if (!isBefore) return (setTimeout(() => send(signal), fate.seed % 16), undefined);
      send(signal);
      return signal === 'SIGKILL' ? 'cut' : undefined;
    });
    const child = spawn(process.execPath, [CLI, ...args], {
      env: { ...environment(machine, { ...own, AWS_ACCESS_KEY_ID: key, AWS_SECRET_ACCESS_KEY: 's' }), ...env },
      cwd: machine,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (data: Buffer) => (texts[name] += data.toString()));
    const ended = new Promise<Ran>((resolve) => void child.on('close', (status) => resolve({ status, ...texts })));
    // What it had sent when it was killed or stopped may not be read yet, and is done by the store all the same.
    const settle = async (isCut: boolean): Promise<void> => {
      if (isCut) await sleep(50);
      await proxy.idle();
    };
    return {
      ended: ended.then(async (ran) => (await settle(ran.status === null), ran)),
      stopped: stopped.then(() => settle(true)),
      isSignalled: () => isSignalled,
      goOn: () => void child.kill('SIGCONT'),
    };
  };
  return { home, source, bucket, figures, run, done, start };
}

export type Site = Awaited<ReturnType<typeof siteOf>>;
