// A command of the archive shell is data and one `run`; help and completion read the data.
import type { Word } from '../../core/shell/command-line.js';
import type { ShellStreams } from '../../core/shell/interpreter.js';
import type { ArchiveSession } from './archive-session.js';
import type { ShellWriter } from './shell-writer.js';

/** What an argument is, for completion. */
export type ArgumentKind = 'path' | 'folder' | 'stage' | 'local' | 'command' | 'nothing';

export interface ArchiveCall {
  readonly session: ArchiveSession;
  readonly args: readonly Word[];
  readonly out: ShellWriter;
  readonly streams: ShellStreams;
}

export interface ArchiveCommand {
  readonly name: string;
  /** `ls [PATH...]` */
  readonly usage: string;
  readonly summary: string;
  /** By position; the last one holds for all that follow. */
  readonly args: readonly ArgumentKind[];
  /** How many arguments it takes. */
  readonly minArgs: number;
  readonly maxArgs: number;
  /** Its exit status; nothing means 0. */
  run(call: ArchiveCall): Promise<number | void>;
}
