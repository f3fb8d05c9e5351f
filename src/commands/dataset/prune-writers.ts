// Prunes the base of a fleet and each of its writers. All of them are planned before anything is changed, and one question is asked for all;
// then each is pruned by itself. A writer that is refused keeps no other from being pruned.
import type { Aside } from '../../cli/progress.js';
import { earlyDeletionDocument } from '../../core/cost/early-deletion.js';
import { commonDocument, datasetDocuments } from '../../core/dataset/prune/prune-document.js';
import { ArchiverError, isArchiverError } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import type { RequestCounts } from '../../core/store/object-store.js';
import { addCounts, newRequestCounts } from '../../core/store/request-count.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import type { Writing } from '../../core/store/create-once/create-once.js';
import { joinStoreUrl } from '../../core/store/store-url.js';
import { formatQuantity } from '../../ui/format.js';
import { recordRunFacts } from '../kit/account.js';
import { placesOf, writerOf } from '../kit/all-writers.js';
import { requireConfirmation } from '../kit/ask.js';
import { fact, textOf } from '../kit/lines.js';
import { stopwatch, withResult } from '../kit/run.js';
import { type StoreValues, withStore } from '../kit/store.js';
import { outcomeLines, planLines } from './prune-lines.js';
import {
  planPlace,
  type PricedPlan,
  type PricedRun,
  type PruneContext,
  prunePlace,
  type PruneStep,
} from './prune-steps.js';

export interface WritersCall {
  readonly baseUrl: string;
  readonly values: StoreValues & { readonly force: boolean };
  readonly rules: Omit<PruneStep, 'emit' | 'datasetId'>;
  readonly writing: Writing;
}

/** A place relative to the base: '' or that of a writer. */
interface Planned extends PricedPlan {
  readonly place: string;
}

interface Refused {
  readonly place: string;
  readonly error: ArchiverError;
}

interface Done {
  readonly place: string;
  readonly run: PricedRun;
}

/** Failures that the next writer would meet as well. */
const OF_ALL = ['usage', 'credentials', 'store', 'stalled', 'cancelled'] as const;

/** Prunes every place; returns the exit status. @throws what keeps all of them from being planned */
export async function pruneWriters(call: WritersCall, context: PruneContext): Promise<number> {
  const { baseUrl, rules } = call;
  const { dryRun } = rules;
  const { Compactions } = await import('../../core/dataset/prune/compactions.js');
  const elapsed = stopwatch(context);
  const requests = newRequestCounts();
  const { done, refused } = await withResult(
    context,
    {},
    {
      work: async (emit, aside) => {
        emit({ type: 'start', operation: 'prune', source: baseUrl, target: '' });
        const step = { ...rules, datasetId: undefined, compactions: new Compactions(), emit };
        const open = <T>(place: string, work: (opened: OpenedStore) => Promise<T>): Promise<T> =>
          inPlace({ ...call, place, requests, emit }, context, work);
        const { planned, refused } = await planAll(open, step, context);
        if (planned.length + refused.length === 0)
          throw new ArchiverError('not-found', `there are no datasets under ${printable(baseUrl)} or its writers`);
        await agree(planned, refused, { ...call, aside }, context);
        const { done, failed } = await pruneAll(open, planned, step, context);
        for (const one of failed) context.warn(refusalText(one));
        return { done, refused: [...refused, ...failed] };
      },
      show: ({ done, refused }) => ({
        document: {
          location: baseUrl,
          dryRun,
          writers: inOrder([...done, ...refused]).map((one) => ({
            ...placeDocument(baseUrl, one.place),
            ...('run' in one ? runDocument(one.run) : refusalDocument(one)),
          })),
          durationMs: elapsed(),
          requests,
        },
        text: () => textOf(resultLines(done, refused, call, context.verbose)),
      }),
    },
  );
  return statusOf(done, refused);
}

type Open = <T>(place: string, work: (opened: OpenedStore) => Promise<T>) => Promise<T>;

/** Opens the store of a place to write to it, and counts its requests. */
async function inPlace<T>(
  { baseUrl, values, writing, place, requests, emit }: WritersCall & InPlace,
  context: PruneContext,
  work: (opened: OpenedStore) => Promise<T>,
): Promise<T> {
  const { writableStore } = await import('../../core/store/create-once/create-once.js');
  return await withStore({ baseUrl: joinStoreUrl(baseUrl, place), values, context, onEvent: emit }, async (opened) => {
    try {
      return await work(await writableStore(opened, context, writing));
    } finally {
      addCounts(requests, opened.requests);
    }
  });
}

interface InPlace extends Pick<PruneStep, 'emit'> {
  readonly place: string;
  readonly requests: RequestCounts;
}

/** Plans every place that has datasets. @throws failures that all of them would meet */
async function planAll(
  open: Open,
  step: PruneStep,
  context: PruneContext,
): Promise<{ readonly planned: readonly Planned[]; readonly refused: readonly Refused[] }> {
  const { listDatasets } = await import('../../core/dataset/records/versions.js');
  const places = await open('', ({ store }) => placesOf(store, { allWriters: true }, context));
  const planned: Planned[] = [];
  const refused: Refused[] = [];
  for (const place of places) {
    try {
      const plan = await open(place, async (opened) => {
        const { versions } = await listDatasets(opened.store, context.signal);
        return versions.size === 0 ? undefined : await planPlace(opened, step, context);
      });
      if (plan !== undefined) planned.push({ place, ...plan });
    } catch (error) {
      if (!isArchiverError(error) || context.signal.aborted || isArchiverError(error, ...OF_ALL)) throw error;
      refused.push({ place, error });
    }
  }
  return { planned, refused };
}

/** Says what will happen and who is refused, and asks where there is something to do. @throws usage when the answer is no */
async function agree(
  planned: readonly Planned[],
  refused: readonly Refused[],
  { values: { force }, aside }: WritersCall & { readonly aside: Aside },
  context: PruneContext,
): Promise<void> {
  const due = planned.filter((one) => one.planned.isDue);
  await aside(async () => {
    for (const {
      place,
      planned: { warnings },
    } of planned)
      for (const warning of warnings) context.warn(`${titleOf(place)}: ${printable(warning)}`);
    for (const one of refused) context.warn(refusalText(one));
    for (const one of due) context.note([titleOf(one.place), ...linesOf(one, context.verbose)].join('\n'));
    if (due.length === 0 || force) return;
    const question = `Delete this for good, of ${formatQuantity(due.length, 'place')}?`;
    await requireConfirmation(context, question, 'nothing was pruned');
  });
}

/** Prunes one place after another. What all would meet ends it, and the rest are failed for the same reason. */
async function pruneAll(
  open: Open,
  planned: readonly Planned[],
  step: PruneStep,
  context: PruneContext,
): Promise<{ readonly done: readonly Done[]; readonly failed: readonly Refused[] }> {
  const done: Done[] = [];
  const failed: Refused[] = [];
  let isOver = false;
  for (const { place, ...plan } of planned) {
    const last = failed.at(-1);
    if (isOver && last !== undefined) {
      failed.push({ ...last, place });
      continue;
    }
    try {
      if (!step.dryRun) recordRunFacts(context, { operation: 'prune' });
      const run = plan.planned.isDue
        ? await open(place, (opened) => prunePlace(opened, plan, step, context))
        : { ...plan.planned, outcome: undefined, fees: plan.fees };
      done.push({ place, run });
    } catch (error) {
      if (context.signal.aborted && done.length > 0)
        context.note(`pruned before that: ${done.map((one) => titleOf(one.place)).join(', ')}`);
      if (!isArchiverError(error) || context.signal.aborted) throw error;
      failed.push({ place, error });
      isOver = isArchiverError(error, ...OF_ALL);
    }
  }
  return { done, failed };
}

const titleOf = (place: string): string => (place === '' ? 'base' : `writer ${writerOf(place)}`);

const refusalText = ({ place, error: { message, hint } }: Refused): string =>
  `${titleOf(place)} is not pruned: ${message}${hint === undefined ? '' : ` (${hint})`}`;

const linesOf = ({ planned, fees }: PricedPlan, isVerbose: boolean): readonly string[] =>
  planLines({ ...planned, fees }, isVerbose);

function resultLines(
  done: readonly Done[],
  refused: readonly Refused[],
  { baseUrl, rules: { dryRun, graceMs } }: WritersCall,
  isVerbose: boolean,
): readonly string[] {
  const lines = done.flatMap(({ place, run }) => [
    titleOf(place),
    ...(dryRun ? planLines(run, isVerbose) : outcomeLines(run, { url: joinStoreUrl(baseUrl, place), graceMs })),
  ]);
  const retired = done.reduce((sum, { run }) => sum + run.plan.retired.length, 0);
  const names = refused.map(({ place }) => titleOf(place)).join(', ');
  return [
    ...lines,
    `${formatQuantity(done.length, 'place')}: ${formatQuantity(retired, 'version')} ${dryRun ? 'to retire' : 'retired'}`,
    ...(refused.length === 0 ? [] : [fact('refused', names)]),
    ...(dryRun ? ['Nothing was changed (--dry-run).'] : []),
  ];
}

const placeDocument = (baseUrl: string, place: string) => ({
  writerId: place === '' ? null : writerOf(place),
  location: joinStoreUrl(baseUrl, place),
});

const runDocument = (run: PricedRun) => ({
  datasets: datasetDocuments(run),
  ...commonDocument(run),
  earlyDeletion: earlyDeletionDocument(run.fees),
});

const refusalDocument = ({ error: { code, message } }: Refused) => ({ code, problem: message });

const inOrder = <T extends { readonly place: string }>(outcomes: readonly T[]): readonly T[] =>
  outcomes.toSorted(({ place: a }, { place: b }) => (a < b ? -1 : 1));

/** 3 where some were pruned and others were not, or not wholly; where all were refused, what each of them alone would give. */
function statusOf(done: readonly Done[], refused: readonly Refused[]): number {
  if (done.length > 0)
    return refused.length > 0 || done.some(({ run }) => (run.outcome?.failed.length ?? 0) > 0) ? 3 : 0;
  const [status = 1, ...others] = new Set(refused.map(({ error }) => error.exitCode));
  return others.length === 0 ? status : 1;
}
