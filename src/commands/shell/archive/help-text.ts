import { wrap } from '../../../cli/wrap.js';
import type { ArchiveCommand } from '../archive-command.js';

const USAGE_WIDTH = 26;
const WIDTH = 79;

const AFTER = [
  '*, ? and {a,b} match names, ** any depth; quotes and \\ keep them as they are.',
  'COMMAND | PROGRAM sends what is printed to a program of this computer, > FILE and >> FILE to a file.',
  '; separates commands; one that fails does not stop the next.',
  'Tab completes, ctrl+c stops a command, ctrl+d leaves.',
];

const entry = (usage: string, summary: string): string =>
  wrap(summary, WIDTH - USAGE_WIDTH)
    .map((line, index) => `${(index === 0 ? `  ${usage}` : '').padEnd(USAGE_WIDTH)}${line}\n`)
    .join('');

/** The output of `help`: all commands, or one. */
export function helpText(commands: readonly ArchiveCommand[]): string {
  const rows = commands.map(({ usage, summary }) => entry(usage, summary)).join('');
  if (commands.length === 1) return rows;
  const own = entry('help [COMMAND]', 'this, or one command of it') + entry('exit', 'leave; quit does the same');
  return `${rows}${own}\n${AFTER.flatMap((line) => wrap(line, WIDTH)).join('\n')}\n`;
}
