// The interface of features to runs of other commands. Such a run calls all features in turn (src/commands/kit/slots.ts); a feature leaves
// out the functions that it does not need. Declarations are light: heavy code is imported when it is called. `C` is the context of the
// command.
import type { UploadGate } from '../core/archive/run/upload-gate.js';
import type { UploadProvenance } from '../core/archive/run/upload-provenance.js';
import type { UploadResult } from '../core/archive/upload-result.js';
import type { PlannedRetrieval, RetrievalGate } from '../core/restore/retrieval-gate.js';
import type { EventConsumer } from '../core/events/fan-out.js';
import type { EventSink } from '../core/events/events.js';
import type { RunObserver } from '../core/events/observer.js';
import type { EndedRun, NotedRun, RunFacts } from '../core/events/run-facts.js';
import type { RawPath } from '../core/platform/paths/raw-path.js';
import type { Document } from '../json/documents.js';
import type { OpenedStore } from '../core/store/open-store.js';
import type { Flags } from './flag.js';
import type { Resolved } from './layers.js';

/** Values of flags by key, as typed or as an interrupted run has saved them. */
export type SlotValues = Readonly<Record<string, unknown>>;

/** A call that is about to run. */
export interface BegunCall<C> extends Pick<Resolved, 'values' | 'origins'> {
  /** The flags that the command declares itself. */
  readonly own: Flags;
  /** True if it is within another call, whose followers it shares. */
  readonly isInner: boolean;
  readonly context: C;
  /** Words of the command. */
  readonly command: string;
  readonly hasScreen: boolean;
  /** Version of the program. */
  readonly version: string;
}

/** A listener to a call, and to the calls within it. */
export interface CallListener {
  readonly consumers: readonly EventConsumer[];
  /** Called with every message to the user. */
  readonly said?: ((level: 'info' | 'warn' | 'debug', text: string) => void) | undefined;
  /** Called after a failure was reported. `end` is the exit status, or the error that the run failed with. Never throws. */
  readonly close: (end: unknown) => Promise<void>;
}

/** An observer of one run, and of each request to its stores. */
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

/** Additions to the result of an upload. */
export interface UploadReport {
  /** Keys of the JSON document. */
  readonly document: UploadParts;
  readonly lines: readonly string[];
  /** True if something is missing: exit status 3. */
  readonly isPartial: boolean;
}

/** The answer of a check, in a dry run. */
export interface GateAnswer {
  readonly document: Pick<UploadParts, 'wouldRefuse' | 'budgetChecks'>;
  readonly lines: readonly string[];
}

/** Work after an upload; undefined if nothing was committed. */
export type AfterUpload = (
  result: UploadResult,
  open: (onEvent: EventSink) => Promise<OpenedStore>,
  emit: EventSink,
) => Promise<UploadReport | undefined>;

/** How a run ended, as its caller sees it. */
export type RunOutcome = Pick<EndedRun, 'exitStatus' | 'status' | 'problem'> & RunFacts;

/** A run that others are notified of. */
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
  /** IDs of the views that it adds to the dashboard. */
  readonly views?: readonly string[];
  /** Returns undefined if no flag asks for it. */
  readonly follow?: (call: BegunCall<C>) => Promise<CallListener> | undefined;
  /** Returns undefined if no flag asks for it. */
  readonly watch?: (call: BegunCall<C>) => Promise<Watcher> | undefined;
  /** Gives the account its meter and the function that makes its record; only one feature of a program has this. */
  readonly meter?: (account: AccountIn<C>, context: C) => Promise<void>;
  /** Called before an upload begins; the returned check runs once it is known what will be sent. */
  readonly uploadGate?: (values: SlotValues, context: C) => (emit: EventSink) => UploadGate;
  /** Returns what the check would answer, for a dry run. @throws what the check throws, except a refusal */
  readonly dryRunGate?: (
    values: SlotValues,
    planned: { readonly bytes: number; readonly costUsd: number | null },
    context: C,
  ) => Promise<GateAnswer>;
  /** Called before content of an upload is requested or fetched; the returned check runs once it is known what that costs. */
  readonly retrievalGate?: (values: SlotValues, uploadId: string, context: C) => RetrievalGate;
  /** Returns what that check would answer, for a dry run. @throws what the check throws, except a refusal */
  readonly dryRunRetrievalGate?: (
    values: SlotValues,
    planned: PlannedRetrieval & { readonly uploadId: string },
    context: C,
  ) => Promise<GateAnswer>;
  /** Checks the store before anything is sent there; returns keys of the upload's document. @throws what keeps the upload from beginning */
  readonly inspectStore?: (url: string, values: SlotValues, context: C) => Promise<UploadParts | undefined>;
  /** Returns what is recorded about a folder besides its files. @throws what keeps the upload from beginning */
  readonly provenance?: (upload: BegunUpload<C>) => Promise<UploadProvenance | undefined>;
  /** Called before anything is sent; returns the work to do after the commit, in turn. @throws what keeps the upload from beginning */
  readonly afterUpload?: (upload: BegunUpload<C>) => Promise<readonly (AfterUpload | undefined)[]>;
  /** Runs the work of an upload, and notifies others of it. */
  readonly tell?: <T>(told: NotifiedRun<T, C>) => Promise<T>;
}
