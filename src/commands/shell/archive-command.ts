// A command of the archive shell is data and one `run`; help and completion read the data.
import type { Word } from '../../core/shell/command-line.js';
import type { ShellStreams } from '../../core/shell/interpreter.js';
import type { GivenOptions, OptionSpec } from '../../core/shell/options.js';
import type { ArchiveSession } from './archive-session.js';
import type { ShellWriter } from '../kit/shell-writer.js';

/** Kind of an argument, for completion. */
export type ArgumentKind = 'path' | 'folder' | 'stage' | 'local' | 'command' | 'nothing';

export interface ArchiveCall {
  readonly session: ArchiveSession;
  /** Words that are no options. */
  readonly args: readonly Word[];
  readonly options: GivenOptions;
  readonly out: ShellWriter;
  readonly streams: ShellStreams;
}

export interface ArchiveCommand {
  readonly name: string;
  /** `ls [PATH...]` */
  readonly usage: string;
  readonly summary: string;
  /** None, where it is not given. */
  readonly options?: readonly OptionSpec[];
  /** Kinds by position; the last one applies to all further arguments. */
  readonly args: readonly ArgumentKind[];
  /** Limits of the number of arguments. */
  readonly minArgs: number;
  readonly maxArgs: number;
  /** Runs the command; returns its exit status, nothing means 0. */
  run(call: ArchiveCall): Promise<number | void>;
}
