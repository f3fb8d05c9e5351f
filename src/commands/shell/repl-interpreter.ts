// The shell over the whole program: every command, run in this process, without the word `archiver`.
import pkg from '../../../package.json' with { type: 'json' };
import { complete } from '../../cli/complete.js';
import type { Context } from '../../cli/context.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { quoteWord, scanLastCommand, type Word } from '../../core/shell/command-line.js';
import type { Completion, CompletionOption, Interpreter, ShellStreams } from '../../core/shell/interpreter.js';
import { completeLocal } from './local-files.js';

const OWN_WORDS = ['exit', 'quit'];

/** `archiver list` and `list` are the same here. */
const withoutName = (words: readonly string[]): readonly string[] => (words[0] === 'archiver' ? words.slice(1) : words);

export class ReplInterpreter implements Interpreter {
  constructor(private readonly context: Context) {}

  prompt(): string {
    return 'archiver>';
  }

  banner(): string {
    return `archiver ${pkg.version}   help lists the commands, tab completes, exit leaves.\n`;
  }

  async run(words: readonly Word[], streams: ShellStreams): Promise<number> {
    const argv = withoutName(words.map(({ text }) => text));
    if (argv[0] === 'shell')
      throw usageError('this is the shell already', 'exit first, then archiver shell S3_URL looks into an archive');
    return await this.context.runCall(argv, streams);
  }

  complete(line: string, cursor: number): Completion {
    const { words, operator } = scanLastCommand(line.slice(0, cursor));
    if (operator !== undefined) return { from: cursor, options: [] };
    const last = words.at(-1);
    const current = last?.end === cursor ? last : { text: '', start: cursor };
    const before = withoutName(words.filter((word) => word !== last || word.end < cursor).map(({ text }) => text));
    const { candidates, paths } = complete(this.context.tree(), [...before, current.text]);
    const own = before.length === 0 ? OWN_WORDS.filter((word) => word.startsWith(current.text)) : [];
    const options: CompletionOption[] = [...candidates.map(({ text }) => text), ...own].map((text) => ({
      insert: quoteWord(text),
      label: text,
      isFinal: true,
    }));
    const local = paths === 'nothing' ? [] : completeLocal(this.context.cwd, current.text, paths === 'folder');
    return { from: current.start, options: [...options, ...local] };
  }
}
