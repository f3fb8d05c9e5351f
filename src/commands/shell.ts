import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import type { Context } from '../cli/context.js';
import { flag, type Values } from '../cli/flag.js';
import { dashed, joinWords } from '../cli/rule.js';
import { budgetGateFlags } from './kit/budget-flags.js';
import { memoryLimit } from './kit/memory-limit.js';
import { usageError } from '../core/platform/failures/errors.js';
import type { Interpreter } from '../core/shell/interpreter.js';
import { cacheFlag, uploadTargetFlags, uploadTargetRules } from './kit/flags.js';

const flags = {
  ...uploadTargetFlags('us-east-1'),
  ...cacheFlag(),
  ...budgetGateFlags,
  command: flag.repeat({
    short: 'c',
    placeholder: 'LINE',
    describe: 'run this line instead of what is typed or comes from stdin; repeatable',
  }),
};

/** Values of the flags of `shell`. */
export type ShellValues = Values<typeof flags>;

export const command = defineCommand({
  path: 'shell',
  summary: 'look around in an upload as in a folder, or run commands at a prompt',
  description:
    'With S3_URL: ls, cd, pwd, cat, head, stat, find, tree, du, stage, get, help and exit over the files of an upload, with the ' +
    'options that people type (ls -lhtr, find -name). Only its manifest is read; cat, head and get fetch the parts that they need. ' +
    'Globs, quotes, history, completion with tab, ' +
    '`COMMAND; COMMAND`, `COMMAND | PROGRAM` and `COMMAND > FILE` work as in other shells. Ctrl+C stops the running line.\n' +
    'Without it: every archiver command, without the word archiver.\n' +
    'Without a terminal, lines are read from stdin, nothing is prompted for, and the exit status is that of the last command. ' +
    'Commands that fail do not stop the others.',
  args: [
    arg.url('S3_URL', {
      describe: 'the upload, or the store of the dataset; leave it out for a prompt over all commands',
      optional: true,
    }),
  ],
  flags,
  rules: [...uploadTargetRules],
  examples: [
    'archiver shell s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver shell s3://acme-archive/lab --dataset-id results-1a2b3c4d --as-of 2026-03-31',
    `archiver shell file:///mnt/backup/uploads/20251114-093012-1a2b3c4d -c 'cat results/summary.csv'`,
    'archiver shell',
  ],
  isRecorded: true,
  exits: {
    0: 'left at the prompt, or the last command went well',
    1: 'the upload cannot be read, or the last command failed',
    3: 'the last command finished with something left out',
    4: 'the last command would exceed a budget, or a price is not known and cost is limited; nothing was fetched',
  },
  keepsMemoryLimit: () => true,
  async run(values, [place], context: Context) {
    if (context.json)
      throw usageError('a shell prints what its lines print and has no --json', 'archiver list and archiver info have');
    // A lower layer (variables, config file) names a store for other commands, too: only flags and arguments open an archive here.
    const isArchive =
      context.origins['url'] === 'flag' ||
      context.origins['bucket'] === 'flag' ||
      [values.uploadId, values.datasetId, values.version, values.asOf].some((given) => given !== undefined);
    if (!isArchive) {
      refuseArchiveFlags(context);
      const { ReplInterpreter } = await import('./shell/repl-interpreter.js');
      return await talk(new ReplInterpreter(context), values, context);
    }
    const { ArchiveInterpreter } = await import('./shell/archive-interpreter.js');
    const { ArchiveSession } = await import('./shell/archive-session.js');
    const { openArchive } = await import('./shell/open-archive.js');
    memoryLimit(context, 'reading content'); // refuses a limit that is too small before an archive is opened
    const { archive, opened } = await openArchive(values, place, context);
    try {
      return await talk(new ArchiveInterpreter(new ArchiveSession(archive, context)), values, context);
    } finally {
      opened.close();
    }
  },
});

/** Refuses flags about an archive when none is named. @throws usage */
function refuseArchiveFlags({ origins }: Context): void {
  const keys = [
    'prefix',
    'region',
    'profile',
    'endpointUrl',
    'caBundle',
    'cacheGb',
    'memoryLimit',
    'budgetStore',
    'ignoreBudget',
  ];
  const typed = keys.filter((key) => origins[key] === 'flag').map(dashed);
  if (typed.length > 0) throw usageError(`${joinWords(typed, 'and')} can do nothing without S3_URL or --bucket`);
}

/** Reads lines from a person at a terminal, or from --command and stdin, and runs them; returns the exit status. */
async function talk(interpreter: Interpreter, { command: lines }: ShellValues, context: Context): Promise<number> {
  const { isCi } = await import('../cli/progress.js');
  const { stdin, stdout, env } = context;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true && env['TERM'] !== 'dumb' && !isCi(env);
  if (isTerminal && lines.length === 0) {
    const { runTerminal } = await import('./shell/run-terminal.js');
    return await runTerminal(interpreter, context);
  }
  const { runScript } = await import('./shell/run-script.js');
  return await runScript(interpreter, lines, context);
}
