// What a command gets from the framework, and all that it may use of the world: no command touches process.* itself.
import type { Readable, Writable } from 'node:stream';
import type { Host } from './host.js';
import type { Node } from './tree.js';

export type Origin = 'flag' | 'environment' | 'config' | 'default';

/** What a call within a call has of its own. Its signal ends it alone. */
export type CallStreams = Pick<Host, 'stdin' | 'stdout' | 'stderr' | 'signal'>;

export interface Context {
  /** Aborts at the first Ctrl+C or SIGTERM; the second one ends the process. `signal.reason` is a cancelled ArchiverError. */
  readonly signal: AbortSignal;
  /** For shells: Ctrl+C calls this instead of aborting `signal`, until the function that it returns is called. */
  readonly takeCtrlC: (onCtrlC: () => void) => () => void;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** The user's home folder. */
  readonly userHome: string;
  /** `$ARCHIVER_HOME`, else `~/.archiver`. */
  readonly home: string;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly stderr: Writable & { readonly isTTY?: boolean; readonly columns?: number };
  readonly now: () => Date;
  /** `--json` was given: stdout carries exactly one document. */
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly trace: boolean;
  /** Whether text for this stream may carry colour: `--color`, NO_COLOR, FORCE_COLOR, terminal. */
  readonly colors: { readonly stdout: boolean; readonly stderr: boolean };
  /** Bytes from `--memory-limit`, if given. */
  readonly memoryLimitBytes: number | undefined;
  /** The command tree, for commands about commands. */
  readonly root: Node;
  /** Runs another call of the program, for shells; gives its exit status. */
  readonly runCall: (argv: readonly string[], streams: CallStreams) => Promise<number>;
  /** Where each flag's value came from, by its camelCase key. */
  readonly origins: Readonly<Record<string, Origin>>;
  /** Prints the result: the document with `--json`, else the text. Call it once; its text may stream with `print`. */
  result(document: unknown, text: () => string): void;
  /**
   * For documents too large to hold: writes the parts of one JSON document as they come; does nothing without `--json`.
   * Use it instead of `result`. A failure after the first part leaves the document unfinished, so find failures first.
   */
  streamDocument(parts: Iterable<string> | AsyncIterable<string>): Promise<void>;
  /** Writes result text to stdout as it comes (long listings); does nothing with `--json`. Resolves when stdout can take more. */
  print(text: string): Promise<void>;
  /** A line for people on stderr: notes and warnings. Silent with `--quiet`, except warnings. */
  note(text: string): void;
  warn(text: string): void;
  /** Only with `--verbose` / `--trace`. */
  debug(text: string): void;
  /** Asks y/n on stderr; `--yes` answers yes; without a terminal it throws a usage error that names --yes. */
  confirm(question: string): Promise<boolean>;
}
