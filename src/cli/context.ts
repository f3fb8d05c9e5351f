// The context that a command gets from the framework. It is the only access to the world: no command touches process.* itself.
import type { PriceSettings } from '../core/cost/own-prices.js';
import type { EventConsumer } from '../core/events/fan-out.js';
import type { RunObserver } from '../core/events/observer.js';
import type { Document, DocumentParts, Exact } from '../json/documents.js';
import type { RunAbout, UploadShape } from '../core/events/run-about.js';
import type { MeteredObject } from '../core/store/meter.js';
import type { UploadId } from '../core/store/ids/upload-id.js';
import type { OpenStoreOptions } from '../core/store/open-store.js';
import type { Host } from './host.js';
import type { NamedStores, SettingsAt } from './named-stores.js';
import type { Origin } from './origin.js';
import type { Slots } from './slots.js';
import type { Node } from './tree.js';

/** Streams and signal of a call within a call. Its signal ends only that call. */
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
  /** `$ARCHIVER_HOME`, or else `~/.archiver`. */
  readonly home: string;
}

export interface Terminal extends Pick<Host, 'stdin' | 'stdout' | 'stderr'> {
  /** Whether text for this stream may carry colour: `--color`, NO_COLOR, FORCE_COLOR, terminal. */
  readonly colors: { readonly stdout: boolean; readonly stderr: boolean };
}

export interface Clock {
  readonly now: () => Date;
}

/** Tells which flags were given, and how. */
export interface Origins {
  /** Origin of each flag's value, by its camelCase key. */
  readonly origins: Readonly<Record<string, Origin>>;
}

export interface MemoryLimit {
  /** Bytes from `--memory-limit`, if given. */
  readonly memoryLimitBytes: number | undefined;
}

/** The account of a run: what it uses and what it reports for its record; commands use `kit/account.ts`. */
export interface RunAccount {
  /** Only a recorded run is metered. */
  readonly isRecorded: boolean;
  /** Sets `meter`, `know` and `record` once a store is opened; undefined unless a feature keeps account. */
  readonly open: ((account: RunAccount) => Promise<void>) | undefined;
  /** Values of the run's flags and settings. */
  values: Readonly<Record<string, unknown>>;
  /** Facts for the record; a run without any makes none. */
  about?: RunAbout;
  /** Set by an upload that made a version. */
  shape?: UploadShape;
  /** Called with the reason why there is no record; by default it is a warning. */
  onTrouble?: (text: string) => void;
  /** Returns the meter of a store that is opened. */
  meter?: NonNullable<OpenStoreOptions['meter']>;
  /** Describes objects to the meter. */
  know?: (objects: Iterable<MeteredObject>) => void;
  /**
   * Tells of uploads whose objects the run changes. `read` reads the project that the manifest of one names: null for none, undefined where it
   * does not tell.
   */
  learnProjects?: (
    uploadIds: readonly UploadId[],
    read: (uploadId: UploadId) => Promise<string | null | undefined>,
  ) => Promise<void>;
  /** Makes the record. `end` is the exit status, or the error that the run failed with. Never throws. */
  record?: (context: RecordContext, end: unknown) => Promise<void>;
}

export interface Accounted {
  readonly account: RunAccount;
}

/** The part of the context that making a record needs. */
export type RecordContext = Accounted &
  Cancellation &
  Clock &
  Environment &
  Pick<Messages, 'warn'> &
  Pick<Places, 'home' | 'cwd'>;

/** The observer of the run, if a flag asks for metrics or traces. */
export interface Watching {
  readonly observer?: RunObserver | undefined;
}

/** Settings about prices. */
export interface Pricing {
  readonly pricing: PriceSettings;
}

/** Stores by their names, for commands with words that may be stores: `storeWord`, `placeUrlOf`. */
export interface Named {
  readonly stores: NamedStores;
  readonly settingsAt: SettingsAt;
}

/** The texts of each argument, as they were typed: none of a store that something else names. */
export interface Typed {
  readonly typed: readonly (readonly string[])[];
}

/** Listeners to the events of operations other than the display: a log, telemetry. */
export interface EventListeners {
  readonly followers?: readonly EventConsumer[];
}

/** The features' part in runs of other commands; commands use `kit/slots.ts`. */
export interface Featured {
  readonly features: readonly Slots<Context>[];
  /** Values of all flags and settings, for features: a command reads its own values. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** stdout: a result whose document is an `F`. */
export interface ResultsOf<F extends object> {
  /** Only for the compiler, which infers `F` from it. */
  readonly [FORM]?: (document: F) => void;
  /** True with `--json`: stdout carries exactly one document. */
  readonly json: boolean;
  /** Prints the result: the document with `--json`, otherwise the text. Call it once; its text may stream with `print`. */
  readonly result: <D extends F | undefined>(document: Exact<D, F>, text: () => string) => void;
  /** Prints the result of work that was done, rather than an answer: with `--quiet` the text is left out when the exit status is 0. */
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

/** How much to print to stderr. */
export interface Verbosity {
  readonly quiet: boolean;
  readonly verbose: boolean;
  readonly trace: boolean;
  /** Prints a line to stderr, only with `--verbose` or `--trace`. */
  debug(text: string): void;
}

export interface Questions {
  /** Asks y/n on stderr; `--yes` answers yes; without a terminal it throws a usage error that names --yes. */
  confirm(question: string, isYes?: boolean): Promise<boolean>;
}

/**
 * The whole context, for the command with this path; `never` prints no document. A command declares the parts that it uses as the type of
 * its last parameter.
 */
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
    Named,
    Typed,
    EventListeners,
    StreamedResultsOf<F>,
    Messages,
    Verbosity,
    Questions {
  /** For shells: calls the function at Ctrl+C instead of aborting `signal`, until the returned function is called. */
  readonly captureInterrupt: (onCtrlC: () => void) => () => void;
  /** Sets the text to print when a second Ctrl+C ends the process, until the returned function is called. */
  readonly onForcedExit: (words: () => string | undefined) => () => void;
  /** Returns the tree of all commands, for commands about commands. @throws in a call that has loaded its own alone */
  readonly tree: () => Node;
  /** Runs another call of the program, for shells; returns its exit status. */
  readonly runCall: (argv: readonly string[], streams: CallStreams) => Promise<number>;
}
