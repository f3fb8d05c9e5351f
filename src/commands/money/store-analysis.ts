// The text about what is in a store and what it costs.
import type { RequestCounts } from '../../core/store/object-store.js';
import { type InventoryRead, type StoreAnalysis, STALE_DAYS } from '../../core/money/analyze/analyze-store.js';
import { athenaUsd } from '../../core/money/analyze/inventory/athena-cost.js';
import { type MoveSaving, moveSavings, payOffDays } from '../../core/money/analyze/move-savings.js';
import { errorOfTotal } from '../../core/money/analyze/sample.js';
import { monthOf, monthlyStoreUsd } from '../../core/money/analyze/stored-tally.js';
import { type Cell, type Counted, countedIn } from '../../core/money/analyze/tally.js';
import type { Usage } from '../../core/cost/cost-model.js';
import type { Usd } from '../../core/cost/money.js';
import type { PriceList } from '../../core/cost/price-table.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatBytes, formatCount, formatQuantity } from '../../ui/format.js';
import { formatMinute } from '../../ui/format-time.js';
import { formatUsd, shortUsd } from '../../ui/format-usd.js';
import { amountText } from '../kit/lines.js';
import { priceSourceText } from '../kit/price-lines.js';
import { type Column, column, numbers } from '../kit/table.js';

const KiB = 1024;
const MiB = 1024 * KiB;
const GiB = 1024 * MiB;
const SIZES = [0, 128 * KiB, MiB, 16 * MiB, 128 * MiB, GiB];
const AGES = [0, 30, 90, 180, 365];
const MONTHS = 12;

export interface AnalyzedStore extends StoreAnalysis {
  readonly location: string;
  /** True for a folder of this computer: nothing costs anything. */
  readonly isFolder: boolean;
  readonly isAws: boolean;
  readonly prices: PriceList;
  readonly requests: RequestCounts;
  readonly durationMs: number;
}

interface Band extends Counted {
  readonly from: number;
  readonly until: number | null;
}

interface ClassSum extends Counted {
  readonly storageClass: string;
  readonly monthlyUsd: Usd;
}

/** Rounds counts, as those of a sample are no whole numbers. */
export const whole = ({ objects, bytes }: Counted): Counted => ({
  objects: Math.round(objects),
  bytes: Math.round(bytes),
});

const bandsOf = (edges: readonly number[], cells: readonly Cell[], valueOf: (cell: Cell) => number): readonly Band[] =>
  edges.map((from, index) => {
    const until = edges[index + 1] ?? null;
    const own = cells.filter((cell) => valueOf(cell) >= from && (until === null || valueOf(cell) < until));
    return { from, until, ...whole(countedIn(own)) };
  });

export type Figures = ReturnType<typeof figuresOf>;

/** Computes all figures that are shown. */
export function figuresOf(analyzed: AnalyzedStore) {
  const { stored, unfinished, sample, isFolder, prices, inventory } = analyzed;
  // The cost of leaving a class too early is not known for objects without a date.
  const hasDates = inventory?.hasDates !== false;
  const [current, older] = [stored.current.cells(), stored.older.cells()];
  const usd = (amount: () => Usd): Usd => (isFolder ? 0 : amount());
  // Parts of unfinished uploads are billed in their own classes: STANDARD is the upper limit.
  const parts = (bytes: number | null): readonly Usage[] => [
    { kind: 'storage', storageClass: 'STANDARD', quantity: bytes ?? 0, ...(bytes === null ? { days: null } : {}) },
  ];
  const classes = [...new Set(current.map(({ storageClass }) => storageClass))].map((storageClass): ClassSum => {
    const own = current.filter((cell) => cell.storageClass === storageClass);
    return { storageClass, ...whole(countedIn(own)), monthlyUsd: usd(() => monthOf(own, prices)) };
  });
  const errorOf = (valueOf: (drawn: readonly Cell[]) => number): number =>
    sample === undefined
      ? 0
      : errorOfTotal(
          sample.drawn.map((tally) => valueOf(tally.current.cells())),
          sample.ranges,
        );
  // Without the parts that may not be listed; the text says so.
  const monthlyUsd = usd(() => monthlyStoreUsd([...current, ...older], prices, parts(unfinished?.bytes ?? 0)));
  return {
    ...whole(countedIn(current)),
    monthlyUsd,
    yearlyUsd: monthlyUsd === null ? null : monthlyUsd * MONTHS,
    classes: classes.toSorted((a, b) => b.bytes - a.bytes),
    sizes: bandsOf(SIZES, current, ({ fromBytes }) => fromBytes),
    ages: hasDates ? bandsOf(AGES, current, ({ ageDays }) => ageDays) : null,
    older: { ...whole(countedIn(older)), monthlyUsd: usd(() => monthOf(older, prices)) },
    deleteMarkers: Math.round(stored.deleteMarkers),
    unfinishedUsd: usd(() => monthOf([], prices, parts(unfinished && unfinished.bytes))),
    staleUsd: usd(() => monthOf([], prices, parts(unfinished && unfinished.staleBytes))),
    moves: isFolder || !hasDates ? [] : moveSavings(current, prices),
    errors: {
      objects: Math.ceil(errorOf((cells) => countedIn(cells).objects)),
      bytes: Math.ceil(errorOf((cells) => countedIn(cells).bytes)),
      monthlyUsd: monthlyUsd === null || isFolder ? monthlyUsd : errorOf((cells) => monthOf(cells, prices) ?? 0),
    },
  };
}

/** A line of the text; one without a label continues the line above it. */
export interface TextLine {
  readonly label: string;
  readonly value: string;
}

const said = (label: string, value: string): TextLine => ({ label, value });

const isEstimated = ({ sample }: AnalyzedStore): boolean => sample !== undefined && sample.drawn.length < sample.ranges;
const aboutText = (analyzed: AnalyzedStore): string => (isEstimated(analyzed) ? 'about ' : '');

/** The title: location, number of objects and size. */
export const titleLine = (analyzed: AnalyzedStore, { objects, bytes }: Figures): string =>
  `${analyzed.location}: ${aboutText(analyzed)}${amountText(objects, 'object', bytes)}`;

/** The facts above the tables. */
export function headFacts(analyzed: AnalyzedStore, figures: Figures): readonly TextLine[] {
  const { sample, versionsHidden, unfinished, inventory } = analyzed;
  const { monthlyUsd, yearlyUsd, older, deleteMarkers, errors } = figures;
  const about = aboutText(analyzed);
  const isWhole = !versionsHidden && unfinished !== null && unfinished.bytes !== null;
  return [
    said(
      'storage',
      `${about}${formatUsd(monthlyUsd)} a month, ${formatUsd(yearlyUsd)} a year, ${isWhole ? 'with all that' : 'without some of what'} plain listings do not show`,
    ),
    ...(inventory === undefined ? [] : inventoryFacts(inventory)),
    ...(sample === undefined
      ? []
      : [
          said(
            'sample',
            `${formatQuantity(sample.objects, 'object')} in ${formatCount(sample.drawn.length)} of ${formatCount(sample.ranges)} ranges of keys, drawn by chance`,
          ),
          said(
            'error',
            isEstimated(analyzed)
              ? `+-${formatQuantity(errors.objects, 'object')}, +-${formatBytes(errors.bytes)}, +-${formatUsd(errors.monthlyUsd)} a month (95% interval)`
              : 'none: everything was listed',
          ),
        ]),
    said(
      'older',
      versionsHidden
        ? `not known: ${inventory === undefined ? 'listing versions is denied (s3:ListBucketVersions)' : 'this inventory is of current versions only'}; where the bucket keeps them, they are billed too`
        : `${about}${amountText(older.objects, 'older version', older.bytes)}, ${formatUsd(older.monthlyUsd)} a month; ${formatQuantity(deleteMarkers, 'delete marker')}`,
    ),
    said('multipart', unfinishedText(analyzed, figures)),
  ];
}

/** The date of the inventory, and what is missing from it. */
function inventoryFacts({ createdAt, format, files, bytes, athena, ...gaps }: InventoryRead): readonly TextLine[] {
  return [
    said(
      'inventory',
      `begun ${formatMinute(createdAt)}, ${format}, ${amountText(files, 'file', bytes)}; what changed since is not in it`,
    ),
    ...(athena === undefined
      ? []
      : [
          said(
            'athena',
            `read ${formatBytes(athena.scannedBytes)} for ${formatUsd(athenaUsd(athena.scannedBytes))} (query ${printable(athena.queryId)})`,
          ),
        ]),
    ...(gaps.hasClasses ? [] : [said('', 'it has no column StorageClass: what is stored has no known price')]),
    ...(gaps.hasDates
      ? []
      : [said('', 'it has no column LastModifiedDate: ages are not known, nor what other classes save')]),
  ];
}

function unfinishedText(
  { unfinished, unfinishedHidden, location }: AnalyzedStore,
  { unfinishedUsd, staleUsd }: Figures,
): string {
  if (unfinished === null) {
    if (unfinishedHidden === 'unsupported')
      return 'not known: this store does not list unfinished uploads; their parts take space too';
    return unfinishedHidden === 'denied'
      ? 'not known: listing unfinished uploads is denied (s3:ListBucketMultipartUploads); their parts are billed too'
      : `not known: no inventory has unfinished uploads; with ${printable(location)} as URL and s3:ListBucketMultipartUploads they are listed`;
  }
  const { uploads, bytes, staleUploads } = unfinished;
  const count = formatQuantity(uploads, 'unfinished upload');
  if (uploads === 0) return count;
  const size =
    bytes === null
      ? 'size not known (s3:ListMultipartUploadParts is denied)'
      : `${formatBytes(bytes)}, ${formatUsd(unfinishedUsd)} a month`;
  const stale = `${formatCount(staleUploads)} begun ${STALE_DAYS} days ago or earlier, ${formatUsd(staleUsd)} a month`;
  return `${count}, ${size}; ${stale}`;
}

const bytesCell = ({ bytes }: Counted): string => formatBytes(bytes);
const objectsCell = ({ objects }: Counted): string => formatCount(Math.round(objects));
const rangeText = ({ from, until }: Band, text: (value: number) => string): string =>
  until === null
    ? `${text(from)} and more`
    : from === 0
      ? `less than ${text(until)}`
      : `${text(from)} to ${text(until)}`;

export const CLASS_COLUMNS: readonly Column<ClassSum>[] = [
  column('CLASS', ({ storageClass }) => storageClass),
  numbers('OBJECTS', objectsCell),
  numbers('SIZE', bytesCell),
  numbers('MONTH', ({ monthlyUsd }) => shortUsd(monthlyUsd)),
];
export const SIZE_COLUMNS: readonly Column<Band>[] = [
  column('OBJECT SIZE', (band) => rangeText(band, formatBytes)),
  numbers('OBJECTS', objectsCell),
  numbers('SIZE', bytesCell),
];
export const AGE_COLUMNS: readonly Column<Band>[] = [
  column('AGE', (band) => rangeText(band, (days) => `${days} days`)),
  numbers('OBJECTS', objectsCell),
  numbers('SIZE', bytesCell),
];
export const MOVE_COLUMNS: readonly Column<MoveSaving>[] = [
  column('MOVE TO', ({ storageClass }) => storageClass),
  column('OBJECTS OF', ({ fromBytes, firstYearSavedUsd }) =>
    firstYearSavedUsd === null ? undefined : fromBytes === null ? 'no size pays' : `${formatBytes(fromBytes)} and more`,
  ),
  numbers('OBJECTS', objectsCell, { dropOrder: 4 }),
  numbers('SIZE', bytesCell, { dropOrder: 3 }),
  numbers('SAVED/MONTH', ({ monthlySavedUsd }) => shortUsd(monthlySavedUsd)),
  numbers('TRANSITIONS', ({ transitionsUsd }) => shortUsd(transitionsUsd), { dropOrder: 1 }),
  numbers('TOO EARLY', ({ earlyDeletionUsd }) => shortUsd(earlyDeletionUsd), { dropOrder: 2 }),
  numbers('FIRST YEAR', ({ firstYearSavedUsd }) => shortUsd(firstYearSavedUsd)),
];

/** Advice, and what was not counted. */
export function adviceFacts({ moves, older, staleUsd }: Figures): readonly TextLine[] {
  const paying = moves.filter(({ firstYearSavedUsd }) => (firstYearSavedUsd ?? 0) > 0);
  // ONEZONE_IA keeps objects in one building only: it is never suggested for archives.
  const safe = paying.filter(({ storageClass }) => storageClass !== 'ONEZONE_IA');
  const best = [safe.find(({ isReadAtOnce }) => !isReadAtOnce), safe.find(({ isReadAtOnce }) => isReadAtOnce)];
  const pays = (usd: Usd): boolean => usd !== null && usd >= 0.01;
  return [
    ...best.flatMap((move) => (move === undefined ? [] : [said('advice', adviceText(move))])),
    ...(paying.length === 0 ? [said('advice', 'moving to another class saves nothing in the first year')] : []),
    ...(pays(older.monthlyUsd)
      ? [said('', `a lifecycle rule that deletes older versions saves up to ${formatUsd(older.monthlyUsd)} a month`)]
      : []),
    ...(pays(staleUsd)
      ? [
          said(
            '',
            `a lifecycle rule that aborts unfinished uploads after ${STALE_DAYS} days saves ${formatUsd(staleUsd)} a month`,
          ),
        ]
      : []),
    said(
      '',
      'not counted: what it costs to get content back from the new class (archiver cost estimate --operation download)',
    ),
  ];
}

function adviceText(move: MoveSaving): string {
  const { storageClass, isReadAtOnce, fromBytes, firstYearSavedUsd, minimumDays } = move;
  const which = fromBytes === null || fromBytes === 0 ? 'all objects' : `objects of ${formatBytes(fromBytes)} and more`;
  const kind = isReadAtOnce ? 'read at once' : 'for what is hardly ever read';
  const days = Math.max(payOffDays(move) ?? 0, minimumDays ?? 0);
  return `${which} to ${storageClass}, ${kind}: ${formatUsd(firstYearSavedUsd)} less in the first year; pays when kept for ${formatQuantity(days, 'day')} or more`;
}

/** Says where the prices come from. */
export const pricesText = ({ isFolder, prices }: AnalyzedStore): string =>
  isFolder ? 'none: a folder of this computer costs nothing' : priceSourceText(prices);
