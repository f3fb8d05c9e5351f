// The interpreter that a shell drives: it runs lines and completes them. There are two, one for an archive and one for all commands of the
// program; terminal, history, pipes and scripts are the same for both.
import type { Readable, Writable } from 'node:stream';
import type { Word } from './command-line.js';

export interface ShellStreams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** The terminal, a pipe or a file. */
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /** Aborts when only this line is to stop. */
  readonly signal: AbortSignal;
}

/** A possible completion. */
export interface CompletionOption {
  /** Replaces the text between `from` and the cursor, ready to be run. */
  readonly insert: string;
  /** Text as shown to the user. */
  readonly label: string;
  /** A space follows; false for a folder, which may continue. */
  readonly isFinal: boolean;
}

export interface Completion {
  /** Position in the line where the options begin. */
  readonly from: number;
  readonly options: readonly CompletionOption[];
}

export interface Interpreter {
  /** Returns the prompt, such as `run-0411:/>`, without a trailing space. */
  prompt(): string;
  /** Returns the text shown at the start. */
  banner(): string;
  /** Runs the words of a line and returns the exit status. @throws what goes wrong */
  run(words: readonly Word[], streams: ShellStreams): Promise<number>;
  complete(line: string, cursor: number): Completion | Promise<Completion>;
}
