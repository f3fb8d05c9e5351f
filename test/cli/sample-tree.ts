// A small tree with every kind of flag and argument, and a host that keeps what is written.
import { PassThrough, Writable } from 'node:stream';
import { arg } from '../../src/cli/arg.js';
import { defineCommand, type Command } from '../../src/cli/command.js';
import type { Context } from '../../src/cli/context.js';
import { flag } from '../../src/cli/flag.js';
import type { Host } from '../../src/cli/host.js';
import { conflicts, requires } from '../../src/cli/rule.js';
import { runProgram } from '../../src/cli/run.js';
import { buildTree, type Node } from '../../src/cli/tree.js';
import { outputFlags, uploadTargetFlags, yesFlag } from '../../src/commands/kit/flags.js';

export interface Call {
  readonly values: Readonly<Record<string, unknown>>;
  readonly args: readonly unknown[];
  readonly context: Context<string>;
}

type Run = (call: Call) => Promise<number | void> | number | void;

export const upload = (run: Run = () => undefined) =>
  defineCommand({
    path: 'upload',
    summary: 'upload a folder',
    args: [
      arg.folder('SOURCE_DIR', { describe: 'what to upload' }),
      arg.url('DESTINATION', { describe: 'where to', optional: true }),
    ],
    flags: {
      ...uploadTargetFlags('us-west-2'),
      shardCount: flag.int([4, 32, [0]], { default: 0, describe: 'number of shards' }),
      level: flag.int([1, 22], { describe: 'zstd level' }),
      ratio: flag.float([0, 1], { default: 1, describe: 'a ratio' }),
      frameSize: flag.bytes(0, { default: '16MiB', describe: 'frame size' }),
      olderThan: flag.duration({ default: '24h', describe: 'age' }),
      strategy: flag.choice(['round-robin', 'hash'], { default: 'round-robin', describe: 'strategy' }),
      files: flag.list({ describe: 'some files' }),
      shardIds: flag.ints([0, 7], { describe: 'some shards' }),
      file: flag.repeat({ describe: 'one file' }),
      tag: flag.pairs({ describe: 'tags' }),
      sample: flag.percent({ describe: 'share to check' }),
      token: flag.text({ secret: true, describe: 'a secret' }),
      pin: flag.int([0, 9], { secret: true, describe: 'a secret number' }),
      verify: flag.on({ default: true, describe: 'check it', off: 'do not check it' }),
      cleanupOnFailure: flag.on({ default: true, alias: 'cleanup', describe: 'clean up', off: 'do not clean up' }),
      dryRun: flag.on({ short: 'n', describe: 'change nothing' }),
      all: flag.on({ short: 'a', describe: 'all' }),
      hash: flag.text({ describe: 'a hash' }),
      encryptManifest: flag.on({ describe: 'encrypt' }),
      kmsKeyId: flag.text({ describe: 'key' }),
      ...outputFlags,
      ...yesFlag,
    },
    rules: [
      conflicts('all', ['hash', 'file']),
      requires('encryptManifest', 'kmsKeyId'),
      {
        kind: 'check',
        text: '--sample is for --no-verify only',
        ok: (values) => values.sample === undefined || !values.verify,
      },
    ],
    examples: ['archiver upload ./data s3://bucket'],
    exits: { 0: 'uploaded' },
    keepsMemoryLimit: () => true,
    // It prints what a test likes.
    run: async (values, args, context) => run({ values, args, context: context as Context<string> }),
  });

const simple = (path: string, extra: Partial<Command> = {}): Command => ({
  path,
  summary: `do ${path}`,
  examples: [`archiver ${path}`],
  exits: { 0: 'done' },
  keepsMemoryLimit: () => true,
  run: (values, args, context) => {
    context.result({ path, values, args, contextVerbose: context.verbose }, () => `${path}\n`);
    return Promise.resolve();
  },
  ...extra,
});

const prune = defineCommand({
  path: 'prune',
  summary: 'remove versions',
  flags: {
    keepLast: flag.int([], { describe: 'how many to keep' }),
    bucket: flag.text({ required: true, describe: 'bucket' }),
  },
  rules: [
    {
      text: '--keep-last must be given and at least 1',
      kind: 'check',
      ok: ({ keepLast }) => keepLast !== undefined && keepLast >= 1,
    },
  ],
  examples: ['archiver prune --bucket b --keep-last 3'],
  exits: { 0: 'pruned' },
  run: async (values, _args, context) => context.result(values, () => 'pruned\n'),
});

/** The sample tree; `run` becomes the body of `upload`. */
export function sampleTree(run?: Run): Node<Command> {
  const restore = { args: [arg.text('URL', { describe: 'where from' })] };
  return buildTree(
    [
      upload(run),
      prune,
      simple('restore', restore),
      simple('restore jobs list'),
      simple('restore jobs clean', { flags: { olderThan: flag.duration({ default: '24h', describe: 'age' }) } }),
      simple('cost forecast', { flags: { days: flag.int([7, 90], { default: 90, describe: 'days' }) } }),
      simple('access-check', { flags: { verbose: flag.on({ describe: 'its own verbose' }) } }),
    ],
    [
      { path: 'cost', summary: 'money' },
      { path: 'restore jobs', summary: 'jobs' },
    ],
    'a sample',
  );
}

class Kept extends Writable {
  text = '';
  columns = 80;
  isTTY = false;
  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

export interface Ran {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A host of its own, with nothing of this process in it. */
export function sampleHost(extra: Partial<Host> = {}): Host & { readonly stdout: Kept; readonly stderr: Kept } {
  return {
    env: {},
    cwd: '/nowhere',
    userHome: '/nowhere/home',
    stdin: new PassThrough(),
    now: () => new Date(0),
    signal: new AbortController().signal,
    ...extra,
    stdout: (extra.stdout as Kept | undefined) ?? new Kept(),
    stderr: (extra.stderr as Kept | undefined) ?? new Kept(),
  };
}

/** Runs the program in this process. */
export async function runSample(argv: readonly string[], root = sampleTree(), extra: Partial<Host> = {}): Promise<Ran> {
  const host = sampleHost(extra);
  const status = await runProgram({ root, version: '1.2.3' }, argv, host);
  return { status, stdout: host.stdout.text, stderr: host.stderr.text };
}

/** What `upload` was called with. */
export async function callUpload(argv: readonly string[], extra: Partial<Host> = {}): Promise<Call> {
  let seen: Call | undefined;
  const root = sampleTree((call) => {
    seen = call;
  });
  const { stderr } = await runSample(['upload', ...argv], root, extra);
  if (seen === undefined) throw new Error(`upload did not run: ${stderr}`);
  return seen;
}
