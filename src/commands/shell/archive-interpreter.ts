// The shell over an archive: its commands, its prompt, and completion.
import { suggest } from '../../core/platform/text/suggest.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { displayPath, printable, baseName } from '../../core/platform/paths/raw-path.js';
import { completePath } from '../../core/shell/complete-path.js';
import { quoteWord, scanLastCommand, type Word } from '../../core/shell/command-line.js';
import type { Completion, CompletionOption, Interpreter, ShellStreams } from '../../core/shell/interpreter.js';
import { parseOptions, refuseOpen } from '../../core/shell/options.js';
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
      const isHelp = name === 'help' || args[0]?.text === '--help';
      if (isHelp) await out.write(this.help(name === 'help' ? args : words));
      const status = isHelp ? 0 : await this.command(name).run(this.checked(name, args, { out, streams }));
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
    words: readonly Word[],
    { out, streams }: { readonly out: ShellWriter; readonly streams: ShellStreams },
  ): Parameters<ArchiveCommand['run']>[0] {
    const { minArgs, maxArgs, usage, options: specs = [] } = this.command(name);
    const { options, args, open } = parseOptions(words, name, specs);
    refuseOpen(open);
    if (args.length < minArgs || args.length > maxArgs)
      throw usageError(`${name} wants ${usage.slice(name.length + 1) || 'no arguments'}`, `help ${name}`);
    return { session: this.session, args, options, out, streams };
  }

  async complete(line: string, cursor: number): Promise<Completion> {
    const { words, operator } = scanLastCommand(line.slice(0, cursor));
    if (operator !== undefined) return { from: cursor, options: [] };
    const last = words.at(-1);
    const isBegun = last?.end === cursor;
    const current = isBegun ? last : { text: '', start: cursor };
    const [first, ...before] = isBegun ? words.slice(0, -1) : words;
    const options =
      first === undefined ? this.names(current.text) : await this.argument(first.text, before, current.text);
    return { from: current.start, options };
  }

  /** What may come behind the words of a command. */
  private async argument(name: string, before: readonly Word[], text: string): Promise<readonly CompletionOption[]> {
    const command = this.commands.get(name);
    const { options: specs = [], args: kinds = [] } =
      name === 'help' ? ({ args: ['command', 'nothing'] } as const) : (command ?? {});
    const { args, open, areOver } = parseOptions(before, name, specs, { isLenient: true });
    if (open !== undefined) return finals(open.values ?? [], text);
    if (text.startsWith('-') && !areOver) return finals([...specs.map((spec) => spec.name), '--help'], text);
    return await this.ofKind(kinds[args.length] ?? kinds.at(-1) ?? 'nothing', text);
  }

  private names(start: string): CompletionOption[] {
    return finals([...this.commands.keys(), ...OWN_WORDS], start);
  }

  private async ofKind(kind: ArgumentKind, text: string): Promise<readonly CompletionOption[]> {
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
