// The shell over an archive: its commands, its prompt, and completion.
import { suggest } from '../../core/platform/text/suggest.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { displayPath, printable, baseName } from '../../core/platform/paths/raw-path.js';
import { completePath } from '../../core/shell/complete-path.js';
import { quoteWord, scanLastCommand, type Word } from '../../core/shell/command-line.js';
import type { Completion, CompletionOption, Interpreter, ShellStreams } from '../../core/shell/interpreter.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { ARCHIVE_COMMANDS } from './archive/commands.js';
import { helpText } from './archive/help-text.js';
import type { ArchiveCommand, ArgumentKind } from './archive-command.js';
import type { ArchiveSession } from './archive-session.js';
import { completeLocal } from './local-files.js';
import { ShellWriter } from '../kit/shell-writer.js';

const OWN_WORDS = ['help', 'exit', 'quit'];

export class ArchiveInterpreter implements Interpreter {
  private readonly commands = new Map(ARCHIVE_COMMANDS.map((command) => [command.name, command]));

  constructor(private readonly session: ArchiveSession) {}

  prompt(): string {
    const { source, datasetId } = this.session.archive.lazy.head;
    return `${displayPath(baseName(source.path)) || datasetId}:/${displayPath(this.session.folder)}>`;
  }

  banner(): string {
    const { lazy, location } = this.session.archive;
    const { files, bytes } = lazy.total;
    const refused = lazy.listing.refused.length;
    return [
      `${printable(location)}   ${formatQuantity(files, 'file')}, ${formatBytes(bytes)}`,
      'Nothing is downloaded until cat, head or get. help lists commands.',
      ...(refused === 0
        ? []
        : [`! ${formatQuantity(refused, 'name')} in the manifest cannot be right and are left out`]),
      '',
    ].join('\n');
  }

  async run(words: readonly Word[], streams: ShellStreams): Promise<number> {
    const [{ text: name } = { text: '' }, ...args] = words;
    const out = new ShellWriter(streams);
    try {
      if (name === 'help') await out.write(this.help(args));
      const status = name === 'help' ? 0 : await this.command(name).run(this.checked(name, args, { out, streams }));
      return status ?? 0;
    } finally {
      // Output from before a failure is printed before its message; after Ctrl+C nobody wants more.
      if (!streams.signal.aborted) await out.flush();
    }
  }

  private help([about]: readonly Word[]): string {
    return helpText(about === undefined ? ARCHIVE_COMMANDS : [this.command(about.text)]);
  }

  private command(name: string): ArchiveCommand {
    const command = this.commands.get(name);
    if (command !== undefined) return command;
    const near = suggest(name, [...this.commands.keys(), ...OWN_WORDS]);
    throw usageError(
      `there is no command ${printable(name)}${near === undefined ? '' : `; did you mean ${near}?`}`,
      'help',
    );
  }

  private checked(
    name: string,
    args: readonly Word[],
    { out, streams }: { readonly out: ShellWriter; readonly streams: ShellStreams },
  ): Parameters<ArchiveCommand['run']>[0] {
    const { minArgs, maxArgs, usage } = this.command(name);
    if (args.length < minArgs || args.length > maxArgs)
      throw usageError(`${name} wants ${usage.slice(name.length + 1) || 'no arguments'}`, `help ${name}`);
    return { session: this.session, args, out, streams };
  }

  async complete(line: string, cursor: number): Promise<Completion> {
    const { words, operator } = scanLastCommand(line.slice(0, cursor));
    if (operator !== undefined) return { from: cursor, options: [] };
    const last = words.at(-1);
    const current = last?.end === cursor ? last : { text: '', start: cursor };
    const position = last?.end === cursor ? words.length - 1 : words.length;
    if (position === 0) return { from: current.start, options: this.names(current.text) };
    const kinds =
      words[0]?.text === 'help'
        ? (['command', 'nothing'] as const)
        : (this.commands.get(words[0]?.text ?? '')?.args ?? []);
    return {
      from: current.start,
      options: await this.argument(kinds[position - 1] ?? kinds.at(-1) ?? 'nothing', current.text),
    };
  }

  private names(start: string): CompletionOption[] {
    return finals([...this.commands.keys(), ...OWN_WORDS], start);
  }

  private async argument(kind: ArgumentKind, text: string): Promise<readonly CompletionOption[]> {
    const { folder, context } = this.session;
    const { lazy } = this.session.archive;
    switch (kind) {
      case 'path':
      case 'folder':
        return await completePath({ lazy, folder, text, foldersOnly: kind === 'folder' });
      case 'stage':
        return finals(['list', ...(await lazy.readAll()).stages], text);
      case 'local':
        return completeLocal(context.cwd, text, false);
      case 'command':
        return this.names(text);
      case 'nothing':
        return [];
      default:
        return kind satisfies never;
    }
  }
}

const finals = (texts: readonly string[], start: string): CompletionOption[] =>
  texts
    .filter((text) => text.startsWith(start) && printable(text) === text)
    .map((text) => ({ insert: quoteWord(text), label: text, isFinal: true }));
