import { defineCommand } from '../../cli/command.js';
import type { Clock, Messages, Pricing, Questions, Results } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import { parseDuration } from '../../core/platform/text/parse-duration.js';
import type { ProgressContext } from '../../cli/progress.js';
import { roundedUsd } from '../../core/cost/money.js';
import type { LockOutcome } from '../../core/dataset/lock/extend-locks.js';
import type { LockPlan } from '../../core/dataset/lock/plan-lock.js';
import { ArchiverError, isArchiverError, usageError } from '../../core/platform/failures/errors.js';
import type { BucketLock } from '../../core/store/bucket-lock.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatCount, formatQuantity } from '../../ui/format.js';
import { formatMinute } from '../../ui/format-time.js';
import { formatUsd } from '../../ui/format-usd.js';
import { recordRunFacts } from '../kit/account.js';
import { requireConfirmation } from '../kit/ask.js';
import { placeArg, storeFlags, writerFlag, yesFlag } from '../kit/flags.js';
import { amountText, bytesOf, fact, failureText, firstLines, textOf } from '../kit/lines.js';
import { priceListText } from '../kit/price-lines.js';
import { withResult } from '../kit/run.js';
import { type StoreContext, withStore } from '../kit/store.js';

const flags = {
  until: flag.text({
    required: true,
    placeholder: 'DATE|DURATION',
    sample: '90d',
    describe:
      'lock until the end of this day or this minute, in the time zone of this computer (Z: UTC), or for so long from now, to the end of the day',
  }),
  datasetId: flag.text({
    alias: 'dataset',
    names: 'dataset',
    placeholder: 'NAME|ID',
    describe: 'only this dataset, of every writer: its id, its name or a beginning that no other has',
  }),
  objectLock: flag.choice(['governance', 'compliance'], {
    default: 'governance',
    describe: 'how objects are locked that are not yet; a lock that is there keeps its mode',
  }),
  dryRun: flag.on({ describe: 'say what would be locked and what that costs; change nothing' }),
  ...yesFlag,
  ...writerFlag,
  ...storeFlags('us-west-2'),
};

type Call = Messages & Questions & Clock & Results<'fleet lock-extend'> & StoreContext & ProgressContext & Pricing;

export const command = defineCommand({
  path: 'fleet lock-extend',
  summary: 'lock everything that versions need for longer (S3 Object Lock)',
  description:
    'A new version refers to chunks that earlier ones have put, and those may be locked for a shorter time. This looks at ' +
    'every version of S3_URL and of the writers below it, and extends the lock of every record, manifest and chunk that ' +
    'one of them needs, whichever upload put it. No lock is ever shortened. Each object is asked about first (one request ' +
    'each); then it says how many requests the extension takes and what they cost, and asks. Run it again whenever you ' +
    'like: what is locked long enough is left alone. Retired versions are not extended.',
  args: [placeArg],
  flags,
  examples: [
    'archiver fleet lock-extend s3://acme-archive/lab --until 90d --dry-run',
    'archiver fleet lock-extend s3://acme-archive/lab --until 2027-12-31 --dataset results-1a2b3c4d --yes',
  ],
  isRecorded: true,
  exits: {
    0: 'everything that versions need is locked until then',
    1: 'the bucket has no Object Lock, or the store failed',
    3: 'some of it could not be locked, or is not known; the result names it',
  },
  async run(values, [url], context: Call) {
    const { lockUntil } = await import('../../core/dataset/lock/lock-until.js');
    const until = lockUntil(values.until, context.now(), parseDuration);
    const { datasetBase } = await import('../kit/dataset-target.js');
    const baseUrl = datasetBase(url, values.writerId);
    const { plan, done } = await withResult(
      context,
      {},
      {
        work: (emit, aside) => {
          emit({ type: 'start', operation: 'lock-extend', source: baseUrl, target: '' });
          const call = { baseUrl, values, context, requestsAtOnce: REQUESTS_AT_ONCE, onEvent: emit };
          return withStore(call, async (opened) => {
            const { signal } = context;
            const { datasetId: dataset, objectLock: mode, dryRun } = values;
            const lock = await lockOf(opened, baseUrl, signal);
            const { planLock } = await import('../../core/dataset/lock/plan-lock.js');
            const { readOnly } = await import('../../core/store/read-only.js');
            const plan = await planLock(readOnly(opened.store), { dataset, until, mode, emit, signal });
            if (plan.datasets.length === 0) throw noDataset(baseUrl, dataset);
            for (const text of plan.warnings) context.warn(text);
            const about = { plan, cost: await costOf(plan, opened, context), until, requests: opened.requests };
            if (dryRun || plan.changes.length === 0) return { ...about, done: undefined };
            await aside(async () => {
              context.note(planLines(about).join('\n'));
              await requireConfirmation(
                context,
                `Lock ${formatQuantity(plan.changes.length, 'object')}?`,
                'nothing was locked',
              );
            });
            const [datasetId] = dataset === undefined ? [] : plan.datasets;
            recordRunFacts(context, { operation: 'lock-extend', datasetId });
            const { extendLocks } = await import('../../core/dataset/lock/extend-locks.js');
            return { ...about, done: await extendLocks(lock, plan.changes, { emit, signal }) };
          });
        },
        show: (about) => ({
          document: { location: baseUrl, dryRun: values.dryRun, ...lockDocument(about) },
          text: () => textOf(about.done === undefined ? [...planLines(about), lastLine(about)] : doneLines(about)),
        }),
      },
    );
    return plan.problems.length > 0 || (done?.failed.length ?? 0) > 0 ? 3 : 0;
  },
});

/** The concurrency with which the engine reads and extends locks. */
const REQUESTS_AT_ONCE = 32;

/** Returns the locks of the bucket. @throws unsupported where nothing can be locked */
async function lockOf({ lock }: OpenedStore, baseUrl: string, signal: AbortSignal): Promise<BucketLock> {
  const { parseStoreUrl } = await import('../../core/store/store-url.js');
  const { noLockError } = await import('../../core/store/store-error.js');
  const place = parseStoreUrl(baseUrl);
  if (lock === undefined || place.kind === 'file')
    throw usageError('nothing in a folder can be locked: lock-extend needs an s3:// store');
  // Without permission to read the configuration, the first object tells whether there are locks.
  const rule = await lock.read(signal).catch((error: unknown) => {
    if (!isArchiverError(error, 'access-denied')) throw error;
    return {};
  });
  if (rule === undefined) throw noLockError(place.bucket);
  return lock;
}

const noDataset = (baseUrl: string, datasetId: string | undefined): ArchiverError =>
  new ArchiverError(
    'not-found',
    `there is no ${datasetId === undefined ? 'dataset' : `dataset ${printable(datasetId)}`} under ${printable(baseUrl)}`,
    { hint: `archiver list ${printable(baseUrl)}` },
  );

/** The cost of the requests that extend locks; those that read them have been sent already. */
async function costOf({ changes }: LockPlan, opened: OpenedStore, context: Pricing) {
  const { billOf } = await import('../../core/cost/cost-model.js');
  const { listsByKey } = await import('../../core/platform/lists-by-key.js');
  const { bookedPlace } = await import('../../core/cost/price-book.js');
  const { pricedBy } = await import('../kit/prices.js');
  const { provider, book } = pricedBy(context, opened);
  const puts = listsByKey(changes, ({ storageClass }) => storageClass);
  const used = Array.from(
    puts,
    ([storageClass, own]) => ({ kind: 'put', storageClass, quantity: own.length }) as const,
  );
  return billOf([['requests', used]], book(bookedPlace({ ...opened, region: opened.region, provider })));
}

interface Planned {
  readonly plan: LockPlan;
  readonly cost: Awaited<ReturnType<typeof costOf>>;
  readonly until: Date;
  readonly requests: OpenedStore['requests'];
}

interface Done extends Planned {
  readonly done: LockOutcome | undefined;
}

function planLines({ plan, cost, until }: Planned): readonly string[] {
  const { datasets, versions, objects, changes, problems } = plan;
  const modes = new Set(changes.map(({ retention }) => retention.mode));
  const unlocked = changes.filter(({ before }) => before === undefined);
  const of = `${formatQuantity(versions, 'version')} of ${formatQuantity(datasets.length, 'dataset')}`;
  const prices = priceListText(cost);
  return [
    `${of} need ${formatQuantity(objects, 'object')}`,
    ...(changes.length === 0
      ? []
      : [
          fact('lock', `${amountText(changes.length, 'object', bytesOf(changes))}, until ${formatMinute(until)}`),
          fact('mode', [...modes].join(' and ')),
          ...(unlocked.length === 0
            ? []
            : [fact('unlocked', `${formatCount(unlocked.length)} of them are not locked now`)]),
          fact('requests', `${formatCount(changes.length)} (PutObjectRetention)`),
          fact('cost', `${formatUsd(cost.costUsd)}${prices === undefined ? '' : `, at ${prices}`}`),
        ]),
    ...firstLines(problems.map((problem) => fact('unknown', printable(problem)))),
  ];
}

function lastLine({ plan, until }: Planned): string {
  if (plan.changes.length > 0) return 'Nothing was changed (--dry-run).';
  return plan.problems.length > 0
    ? 'Everything else is locked until then.'
    : `Everything is locked until ${formatMinute(until)} or longer: nothing to do.`;
}

function doneLines({ plan, done, until }: Done): readonly string[] {
  const { extended = 0, failed = [] } = done ?? {};
  return [
    `locked ${formatQuantity(extended, 'object')} until ${formatMinute(until)}`,
    ...firstLines(failed.map(({ key, reason }) => fact('failed', failureText({ path: key, reason })))),
    ...firstLines(plan.problems.map((problem) => fact('unknown', printable(problem)))),
  ];
}

function lockDocument({ plan, cost, until, done, requests }: Done) {
  const { datasets, versions, objects, changes, problems, warnings } = plan;
  return {
    lockedUntil: until.toISOString(),
    datasetCount: datasets.length,
    versionCount: versions,
    objects,
    toExtend: { objects: changes.length, bytes: bytesOf(changes), costUsd: roundedUsd(cost.costUsd) },
    extended: done?.extended ?? 0,
    failed: done?.failed ?? [],
    warnings: [...problems, ...warnings].map((message) => ({ message })),
    requests,
  };
}
