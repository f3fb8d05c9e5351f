// What a feature does in runs of other commands than its own. Whoever has such a run asks all features in turn
// (src/commands/kit/slots.ts); what a feature has nothing to say about it leaves out. Declarations are light: what does the work
// is imported when it is asked for. `C` is the context of the command.
import type { MayBegin } from '../core/archive/run/may-begin.js';
import type { UploadProvenance } from '../core/archive/run/upload-provenance.js';
import type { UploadResult } from '../core/archive/upload-result.js';
import type { EventConsumer } from '../core/events/fan-out.js';
import type { EventSink } from '../core/events/events.js';
import type { RunObserver } from '../core/events/observer.js';
import type { EndedRun, NotedRun, RunFacts } from '../core/events/run-facts.js';
import type { RawPath } from '../core/platform/paths/raw-path.js';
import type { Document } from '../json/documents.js';
import type { OpenedStore } from '../core/store/open-store.js';
import type { Flags } from './flag.js';
import type { Resolved } from './layers.js';

/** Of flags, by their keys; those that are typed, and those that an interrupted run has saved. */
export type SlotValues = Readonly<Record<string, unknown>>;

/** A call that is about to run. */
export interface BegunCall<C> extends Pick<Resolved, 'values' | 'origins'> {
  /** The flags that the command declares itself. */
  readonly own: Flags;
  /** It is within another one, whose followers it has. */
  readonly isInner: boolean;
  readonly context: C;
  /** Words of the command. */
  readonly command: string;
  readonly hasScreen: boolean;
  /** Of the program. */
  readonly version: string;
}

/** Who follows a call, and the calls within it. */
export interface Follower {
  readonly consumers: readonly EventConsumer[];
  /** Told what people are told. */
  readonly said?: ((level: 'info' | 'warn' | 'debug', text: string) => void) | undefined;
  /** Called when a failure was told. `end`: the exit status, or what the run failed with. Never throws. */
  readonly close: (end: unknown) => Promise<void>;
}

/** Who watches one run, with each request to its stores. */
export interface Watcher {
  readonly consumers: readonly EventConsumer[];
  readonly observer: RunObserver;
  /** Called when the command has ended. Never throws. */
  readonly close: () => Promise<void>;
}

/** A folder that is to be archived. */
export interface BegunUpload<C> {
  readonly values: SlotValues;
  readonly source: RawPath;
  readonly context: C;
}

/** Keys of an upload's document. */
export type UploadParts = Partial<Document<'upload'>>;

/** What is said of an upload beside its result. */
export interface UploadReport {
  /** Keys of the JSON document. */
  readonly document: UploadParts;
  readonly lines: readonly string[];
  /** Something is missing: exit status 3. */
  readonly isPartial: boolean;
}

/** What a gate would answer, of a dry run. */
export interface GateAnswer {
  readonly document: Pick<UploadParts, 'wouldRefuse' | 'budgetChecks'>;
  readonly lines: readonly string[];
}

/** What is done once an upload is committed; nothing for what was not. */
export type AfterUpload = (
  result: UploadResult,
  open: (onEvent: EventSink) => Promise<OpenedStore>,
) => Promise<UploadReport | undefined>;

/** How a run ended, as its caller sees it. */
export type RunOutcome = Pick<EndedRun, 'exitStatus' | 'status' | 'problem'> & RunFacts;

/** A run that others are told of. */
export interface NotifiedRun<T, C> {
  readonly values: SlotValues;
  readonly run: NotedRun;
  readonly work: () => Promise<T>;
  readonly ofResult: (result: T) => RunOutcome;
  readonly ofFailure: (error: unknown) => RunOutcome;
  readonly context: C;
}

type AccountIn<C> = C extends { readonly account: infer A } ? A : never;

export interface Slots<C> {
  /** Undefined where no flag asks for it. */
  readonly follow?: (call: BegunCall<C>) => Promise<Follower> | undefined;
  /** Undefined where no flag asks for it. */
  readonly watch?: (call: BegunCall<C>) => Promise<Watcher> | undefined;
  /** Opens the meter of an account and says who makes its record; only one feature of a program has it. */
  readonly meter?: (account: AccountIn<C>, context: C) => Promise<void>;
  /** Told of an upload before it begins; what it gives is asked once it is known what will be sent. */
  readonly mayBegin?: (values: SlotValues, context: C) => (emit: EventSink) => MayBegin;
  /** What that would answer, for a dry run. @throws as it does, but no refusal */
  readonly wouldBegin?: (
    values: SlotValues,
    planned: { readonly bytes: number; readonly costUsd: number | null },
    context: C,
  ) => Promise<GateAnswer>;
  /** Looks at the store before anything is sent there. Gives keys of the upload's document. @throws what keeps it from beginning */
  readonly lookAtStore?: (url: string, values: SlotValues, context: C) => Promise<UploadParts | undefined>;
  /** What is recorded about a folder beside its files. @throws what keeps it from beginning */
  readonly provenance?: (upload: BegunUpload<C>) => Promise<UploadProvenance | undefined>;
  /** Asked before anything is sent. @throws what keeps it from beginning */
  readonly afterUpload?: (upload: BegunUpload<C>) => Promise<AfterUpload | undefined>;
  /** Runs the work of an upload, and tells others of it. */
  readonly tell?: <T>(told: NotifiedRun<T, C>) => Promise<T>;
}
