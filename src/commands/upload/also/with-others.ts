// An upload for several stores: to the first one that takes it, and to the others as well. Where the first one fails, the next takes its place.
import type { UploadReport } from '../../../cli/slots.js';
import type { EventSink } from '../../../core/events/events.js';
import { defined } from '../../../core/platform/defined.js';
import { errorText, isArchiverError } from '../../../core/platform/failures/errors.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { FailureWitness } from '../../../core/store/failure-witness.js';
import type { OpenedStore } from '../../../core/store/open-store.js';
import { newRequestCounts } from '../../../core/store/request-count.js';
import { joinedReports } from '../../kit/slots.js';
import type { OpenForWriting } from '../../kit/store.js';
import type { Archived } from '../notified-run.js';
import type { ArchiveCall, Attempt, MakeAttempt } from '../attempt.js';
import { alsoReport, type AlsoRow } from './also-lines.js';
import { catchUp, type CatchUp, tell } from './catch-up.js';
import { type FailedStore, Others } from './others.js';
import { copyCommand, type OtherStore, type SharedValues } from './other-store.js';
import { type PlannedAlso, plannedAlso } from './planned.js';

/** The other stores of a call. */
export interface AlsoCall {
  readonly stores: readonly OtherStore[];
  /** Values of flags in the store of the upload. */
  readonly values: SharedValues;
  /** Prepares the same upload to one of them; undefined for what cannot be read again. */
  readonly instead?: ((store: OtherStore) => Promise<ArchiveCall>) | undefined;
}

interface State {
  /** The store of the upload, once it is open. */
  main: OpenedStore | undefined;
  /** From here on it may be a version, and is not made anew elsewhere. */
  isCommitting: boolean;
  /** What a dry run says of the others. */
  planned: readonly PlannedAlso[];
}

/** Makes the version in all of them. @throws what fails in the first one where no other takes its place */
export async function withOthers(
  also: AlsoCall,
  first: Attempt,
  make: MakeAttempt,
  failed?: FailedStore,
): Promise<Archived> {
  const witness = new FailureWitness();
  const state: State = { main: undefined, isCommitting: false, planned: [] };
  const { emit, context, call } = first;
  const { stores, values } = also;
  const others = new Others({ stores, main: () => state.main, values, failed, context, emit });
  const open: OpenForWriting = async (onEvent) => (state.main = await witness.opened(() => call.open(onEvent)));
  const following: EventSink = (event) => {
    state.isCommitting ||= event.type === 'step' && event.step === 'commit';
    emit(event);
  };
  const run: CatchUp = { others, open: call.open, values, context, emit };
  try {
    return await make({
      ...first,
      emit: following,
      options: { ...first.options, also: others },
      call: {
        ...call,
        open,
        planned: async (plan) => (state.planned = await plannedAlso(run, plan)),
        after: afterwards(run, call.after, state),
      },
    });
  } catch (error) {
    const [next, ...rest] = stores;
    const isOver = state.isCommitting || context.signal.aborted || first.options.dryRun === true;
    if (next === undefined || also.instead === undefined || isOver || !witness.isOfStore(error)) throw error;
    others.close();
    return await insteadOf(
      { ...also, instead: also.instead },
      { failure: error, servers: state.main?.servers, next, rest },
      first,
      make,
    );
  } finally {
    others.close();
  }
}

interface Failed {
  readonly failure: unknown;
  readonly servers: FailedStore['servers'] | undefined;
  readonly next: OtherStore;
  readonly rest: readonly OtherStore[];
}

async function insteadOf(
  also: AlsoCall & { readonly instead: NonNullable<AlsoCall['instead']> },
  { failure, servers, next, rest }: Failed,
  { emit, aside, call, context, options: { warn } }: Attempt,
  make: MakeAttempt,
): Promise<Archived> {
  const place = printable(call.storeUrl);
  emit({
    type: 'note',
    text: `${place} failed: ${errorText(failure)}; the source is read again, and the version made in ${printable(next.name)}`,
  });
  try {
    const prepared = await also.instead(next);
    const attempt = {
      call: prepared,
      options: { ...prepared.options, ...defined({ warn }) },
      context: next.context,
      emit,
      aside,
    };
    const archived = await withOthers({ ...also, stores: rest, values: next.values }, attempt, make, {
      url: call.storeUrl,
      ...defined({ servers }),
    });
    const { result, after } = archived;
    const to = { name: call.storeUrl, isFolder: call.storeUrl.startsWith('file:'), values: also.values };
    const row: AlsoRow = {
      store: call.storeUrl,
      copyState: 'failed',
      objects: 0,
      bytes: 0,
      requests: newRequestCounts(),
      problem: errorText(failure),
      hint: copyCommand({ from: next.url, uploadId: result.uploadId, to }, next.values, next.context),
    };
    tell(row, result, { context, emit });
    return { ...archived, after: joined(after, alsoReport([row])) };
  } catch (second) {
    if (isArchiverError(second, 'cancelled')) throw second;
    emit({ type: 'note', text: `${printable(next.name)} failed as well: ${errorText(second)}` });
    throw failure;
  }
}

/** What follows a commit, with the other stores first; in a dry run what would go there. */
const afterwards =
  (run: CatchUp, then: ArchiveCall['after'], state: State): NonNullable<ArchiveCall['after']> =>
  async (result, open, emit) => {
    state.isCommitting = true;
    const { version } = result;
    const report =
      version === null ? alsoReport(state.planned.map(({ row }) => row)) : await catchUp(run, { ...result, version });
    return joined(await then?.(result, open, emit), report);
  };

const joined = (a: UploadReport | undefined, b: UploadReport): UploadReport => {
  if (a === undefined) return b;
  const rows = [...(a.document.alsoStores ?? []), ...(b.document.alsoStores ?? [])];
  const report = joinedReports([a, b]);
  return { ...report, document: { ...report.document, alsoStores: rows } };
};
