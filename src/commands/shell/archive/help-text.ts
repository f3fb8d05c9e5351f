import { wrap } from '../../../cli/wrap.js';
import type { ArchiveCommand } from '../archive-command.js';

const USAGE_WIDTH = 26;
const WIDTH = 79;

const AFTER = [
  '*, ? and {a,b} match names, ** any depth; quotes and \\ keep them as they are.',
  'COMMAND | PROGRAM sends what is printed to a program of this computer, > FILE and >> FILE to a file.',
  '; separates commands; one that fails does not stop the next.',
  'help COMMAND says what its options do; -- before names that begin with -.',
  'Tab completes, ctrl+c stops a command, ctrl+d leaves.',
];

/** A usage that is wider than its column has a line of its own. */
function entry(usage: string, summary: string, indent = '  '): string {
  const left = indent + usage;
  const isWide = left.length >= USAGE_WIDTH;
  const lines = wrap(summary, WIDTH - USAGE_WIDTH).map(
    (line, index) => `${(index === 0 && !isWide ? left : '').padEnd(USAGE_WIDTH)}${line}\n`,
  );
  return (isWide ? `${left}\n` : '') + lines.join('');
}

/** The output of `help`: all commands, or one with its options. */
export function helpText(commands: readonly ArchiveCommand[]): string {
  const rows = commands.map(({ usage, summary }) => entry(usage, summary)).join('');
  if (commands.length === 1) return rows + commands.map(optionRows).join('');
  const own = entry('help [COMMAND]', 'this, or one command of it') + entry('exit', 'leave; quit does the same');
  return `${rows}${own}\n${AFTER.flatMap((line) => wrap(line, WIDTH)).join('\n')}\n`;
}

const optionRows = ({ options = [] }: ArchiveCommand): string =>
  options
    .map(({ name, value, describe }) => entry(value === undefined ? name : `${name} ${value}`, describe, '    '))
    .join('');
