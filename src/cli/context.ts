// What a command gets from the framework, and all that it may use of the world: no command touches process.* itself.
import type { PriceSettings } from '../core/cost/own-prices.js';
import type { EventConsumer } from '../core/events/fan-out.js';
import type { RunObserver } from '../core/events/observer.js';
import type { Document, DocumentParts, Exact } from '../json/documents.js';
import type { RunAbout, UploadShape } from '../core/events/run-about.js';
import type { MeteredObject } from '../core/store/meter.js';
import type { OpenStoreOptions } from '../core/store/open-store.js';
import type { Host } from './host.js';
import type { Origin } from './origin.js';
import type { Slots } from './slots.js';
import type { Node } from './tree.js';

/** What a call within a call has of its own. Its signal ends it alone. */
export type CallStreams = Pick<Host, 'stdin' | 'stdout' | 'stderr' | 'signal' | 'followers'>;

/** Ends work early. */
export interface Cancellation {
  /** Aborts at the first Ctrl+C or SIGTERM; the second one ends the process. `signal.reason` is a cancelled ArchiverError. */
  readonly signal: AbortSignal;
}

export interface Environment {
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Folders of this computer. */
export interface Places {
  readonly cwd: string;
  /** The user's home folder. */
  readonly userHome: string;
  /** `$ARCHIVER_HOME`, else `~/.archiver`. */
  readonly home: string;
}

export interface Terminal extends Pick<Host, 'stdin' | 'stdout' | 'stderr'> {
  /** Whether text for this stream may carry colour: `--color`, NO_COLOR, FORCE_COLOR, terminal. */
  readonly colors: { readonly stdout: boolean; readonly stderr: boolean };
}

export interface Clock {
  readonly now: () => Date;
}

/** Which flags were given, and how. */
export interface Origins {
  /** Where each flag's value came from, by its camelCase key. */
  readonly origins: Readonly<Record<string, Origin>>;
}

export interface MemoryLimit {
  /** Bytes from `--memory-limit`, if given. */
  readonly memoryLimitBytes: number | undefined;
}

/** What a run that is recorded uses, and what it tells; commands use `kit/account.ts`. */
export interface RunAccount {
  /** Others are not metered. */
  readonly isRecorded: boolean;
  /** Sets the three below, once a store is opened; there where a feature keeps account. */
  readonly open: ((account: RunAccount) => Promise<void>) | undefined;
  /** What the flags and settings of the run say. */
  values: Readonly<Record<string, unknown>>;
  /** A run that tells nothing makes no record. */
  about?: RunAbout;
  /** Of an upload that made a version. */
  shape?: UploadShape;
  /** Told why there is no record; a warning where nobody else says it. */
  onTrouble?: (text: string) => void;
  /** For each store that is opened. */
  meter?: NonNullable<OpenStoreOptions['meter']>;
  /** Tells the meter of objects. */
  know?: (objects: Iterable<MeteredObject>) => void;
  /** Makes the record. `end`: the exit status, or what the run failed with. Never throws. */
  record?: (context: RecordContext, end: unknown) => Promise<void>;
}

export interface Accounted {
  readonly account: RunAccount;
}

/** What a record is made with. */
export type RecordContext = Accounted &
  Cancellation &
  Clock &
  Environment &
  Pick<Messages, 'warn'> &
  Pick<Places, 'home' | 'cwd'>;

/** What watches the run, where a flag asks for metrics or traces. */
export interface Watching {
  readonly observer?: RunObserver | undefined;
}

/** What things cost here. */
export interface Pricing {
  readonly pricing: PriceSettings;
}

/** Who is told of what operations do, beside what shows it: a log, telemetry. */
export interface Followed {
  readonly followers?: readonly EventConsumer[];
}

/** What features do in runs of commands that are none of theirs; commands use `kit/slots.ts`. */
export interface Featured {
  readonly features: readonly Slots<Context>[];
  /** What flags and settings say, for features: a command reads its own values. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** stdout: a result whose document is an `F`. */
export interface ResultsOf<F extends object> {
  /** For the compiler alone, which tells `F` by it. */
  readonly [FORM]?: (document: F) => void;
  /** `--json` was given: stdout carries exactly one document. */
  readonly json: boolean;
  /** Prints the result: the document with `--json`, else the text. Call it once; its text may stream with `print`. */
  readonly result: <D extends F | undefined>(document: Exact<D, F>, text: () => string) => void;
  /** The same for what was done and not asked about: with `--quiet` the text is left out when the exit status is 0. */
  readonly outcome: <D extends F>(document: Exact<D, F>, text: () => string) => void;
}
declare const FORM: unique symbol;

/** The result of the command with this path: its document is as docs/json.md says, and has no other keys. */
export type Results<P extends string> = ResultsOf<Document<P>>;

/** stdout: results that are too large to hold. */
export interface StreamedResultsOf<F extends object> extends ResultsOf<F> {
  /**
   * Writes the parts of one JSON document as they come; does nothing without `--json`. Use it instead of `result`. A
   * failure after the first part leaves the document unfinished, so find failures first.
   */
  readonly streamDocument: <D extends F>(parts: DocumentParts<Exact<D, F>>) => Promise<void>;
  /** Writes result text to stdout as it comes (long listings); does nothing with `--json`. Resolves when stdout can take more. */
  print(text: string): Promise<void>;
}

export type StreamedResults<P extends string> = StreamedResultsOf<Document<P>>;

/** stderr: lines for people. */
export interface Messages {
  /** Silent with `--quiet`. */
  note(text: string): void;
  /** Always shown. */
  warn(text: string): void;
}

/** How much is told. */
export interface Verbosity {
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly trace: boolean;
  /** A line on stderr, only with `--verbose` or `--trace`. */
  debug(text: string): void;
}

export interface Questions {
  /** Asks y/n on stderr; `--yes` answers yes; without a terminal it throws a usage error that names --yes. */
  confirm(question: string, isYes?: boolean): Promise<boolean>;
}

/** All of it, for the command with this path; `never` prints no document. A command names the parts that it uses as the type of its last parameter. */
export type Context<P extends string = never> = ContextOf<Document<P>>;

export interface ContextOf<F extends object>
  extends
    Cancellation,
    Environment,
    Places,
    Terminal,
    Clock,
    Origins,
    Accounted,
    Watching,
    MemoryLimit,
    Pricing,
    Featured,
    Followed,
    StreamedResultsOf<F>,
    Messages,
    Verbosity,
    Questions {
  /** For shells: Ctrl+C calls this instead of aborting `signal`, until the function that it returns is called. */
  readonly captureInterrupt: (onCtrlC: () => void) => () => void;
  /** Says this when a second Ctrl+C ends the process, until the function that it returns is called. */
  readonly onForcedExit: (words: () => string | undefined) => () => void;
  /** The command tree, for commands about commands. */
  readonly root: Node;
  /** Runs another call of the program, for shells; gives its exit status. */
  readonly runCall: (argv: readonly string[], streams: CallStreams) => Promise<number>;
}
