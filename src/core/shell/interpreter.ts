// What a shell drives: something that runs lines and knows what may come next. There are two, one for an archive and one
// for all commands of the program; terminal, history, pipes and scripts are the same for both.
import type { Readable, Writable } from 'node:stream';
import type { Word } from './command-line.js';

export interface ShellStreams {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** The terminal, a pipe or a file. */
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  /** Aborts when this line alone is to stop. */
  readonly signal: AbortSignal;
}

/** Something that may come next. */
export interface CompletionOption {
  /** Takes the place of what stands between `from` and the cursor, ready to be run. */
  readonly insert: string;
  /** As a person sees it. */
  readonly label: string;
  /** A space follows; a folder may go on. */
  readonly isFinal: boolean;
}

export interface Completion {
  /** Where in the line the options begin. */
  readonly from: number;
  readonly options: readonly CompletionOption[];
}

export interface Interpreter {
  /** `run-0411:/>`, without a space at its end. */
  prompt(): string;
  /** What is said at the beginning. */
  banner(): string;
  /** Runs the words of a line and gives its exit status. @throws what goes wrong */
  run(words: readonly Word[], streams: ShellStreams): Promise<number>;
  complete(line: string, cursor: number): Completion;
}
