// Carries out `archiver copy`: both stores are opened, and what was copied is shown.
import type { Context } from '../../cli/context.js';
import type { EventSink } from '../../core/events/events.js';
import { listWriters } from '../../core/dataset/records/find-places.js';
import { undefinedOn } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { writableStore } from '../../core/store/create-once/create-once.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { sumOfCounts } from '../../core/store/request-count.js';
import { recordRunFacts } from '../kit/account.js';
import { textOf } from '../kit/lines.js';
import { stopwatch, warnOf, withResult } from '../kit/run.js';
import { withoutClassOfFolder } from '../kit/place-options.js';
import { type CopyPlaces, type CopyValues, openFrom, openTo, placesOf, refuseSame } from './both-stores.js';
import { type CopyDone, copyOpened, type OpenStores } from './copy-opened.js';
import { copyLines, failureTexts, outcomeOf, plannedAmounts, plannedOutcome, versionRows } from './copy-lines.js';
import { costDocument, costLines } from './planned-cost.js';

interface Call {
  readonly values: CopyValues;
  readonly from: string;
  readonly to: string | undefined;
}

interface Done extends CopyDone {
  readonly requests: OpenedStore['requests'];
}

/** Runs the command. @returns its exit status */
export async function runCopy({ values: asked, from, to }: Call, context: Context<'copy'>): Promise<number> {
  const elapsed = stopwatch(context);
  const places = placesOf(from, to, asked, context.cwd);
  const values = withoutClassOfFolder(places.to, asked, context);
  const { dryRun } = values;
  const done = await withResult(context, values, {
    work: (emit) => carryOut(places, values, context, emit),
    show: ({ plan, result, cost, amounts, requests }: Done) => {
      const outcome = result === undefined ? plannedOutcome(plan) : outcomeOf(plan, result);
      const sent =
        result === undefined ? plannedAmounts(plan) : { objects: result.sentObjects, bytes: result.sentBytes };
      const document = {
        copyFrom: places.from,
        copyTo: places.to,
        dryRun,
        copiedVersions: versionRows(outcome, dryRun ? 'planned' : 'made'),
        ...sent,
        ...(result === undefined ? {} : { addedTags: result.addedTags }),
        ...(cost === undefined ? {} : costDocument(cost)),
        durationMs: elapsed(),
        requests,
      };
      const headline = { ...places, isVerbose: context.verbose };
      const lines = [
        ...copyLines(outcome, dryRun ? 'Would copy' : 'Copied', sent, headline),
        ...(cost === undefined ? [] : costLines(cost, amounts)),
        ...(dryRun ? ['Nothing was written (--dry-run).'] : []),
      ];
      return { document, text: () => textOf(lines) };
    },
  });
  const failures = done.result?.failures ?? done.plan.failures;
  warnOf(failureTexts({ ...plannedOutcome(done.plan), failures }), context);
  return failures.length === 0 ? 0 : 3;
}

async function carryOut(
  places: CopyPlaces,
  values: CopyValues,
  context: Context<'copy'>,
  emit: EventSink,
): Promise<Done> {
  emit({ type: 'start', operation: 'copy', source: places.from, target: places.to });
  const from = await openFrom(places.from, values, context, emit);
  try {
    const to = await openTo(places.to, values, context, emit);
    try {
      return await copyBetween({ places, from, to }, values, context, emit);
    } finally {
      to.close();
    }
  } finally {
    from.close();
  }
}

async function copyBetween(
  { places, from, to: bare }: OpenStores,
  values: CopyValues,
  context: Context<'copy'>,
  emit: EventSink,
): Promise<Done> {
  const { dryRun, exclusive: isExclusive, project } = values;
  refuseSame(from, bare);
  const to = await writableStore(bare, context, { dryRun, isExclusive });
  await tellWriters(from, context);
  const onBegin = (): void => recordRunFacts(context, { operation: 'copy', project });
  const done = await copyOpened({ places, from, to }, values, context, { emit, onBegin });
  return { ...done, requests: sumOfCounts(from.requests, to.requests) };
}

/** Says that writers below are stores of their own. */
async function tellWriters({ store }: OpenedStore, context: Context): Promise<void> {
  const found = await listWriters(store, context.signal).catch(undefinedOn('access-denied', 'store'));
  const [first, ...others] = found?.places ?? [];
  if (first === undefined) return;
  const many = others.length === 0 ? 'a writer lies' : `${others.length + 1} writers lie`;
  const command = `archiver copy ${printable(store.url)}/${first} TO/${first}`;
  context.warn(`${many} below ${printable(store.url)}, and each is a store of its own: ${command}`);
}
