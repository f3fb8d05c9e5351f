// The text about a folder of this computer: what is old in it, and what it would cost elsewhere.
import type { ClassEstimate } from '../../../core/cost/class-estimate.js';
import type { Usd } from '../../../core/cost/money.js';
import type { PriceList } from '../../../core/cost/price-table.js';
import type { AgeRule } from '../../../core/money/analyze/folder/file-rows.js';
import { DAY_MS } from '../../../core/money/analyze/folder/file-rows.js';
import type { AgeBand, FolderFacts, Owner } from '../../../core/money/analyze/folder/folder-facts.js';
import { type PlaceSums, MOSTLY_OLD } from '../../../core/money/analyze/folder/hot-folders.js';
import type { Sums } from '../../../core/money/analyze/folder/sums.js';
import type { Skip } from '../../../core/archive/scan/skip.js';
import { displayPath, pathBelow, TOP } from '../../../core/platform/paths/raw-path.js';
import { ageText } from '../../../ui/format-age.js';
import { formatBytes, formatCount, formatPercent, formatQuantity } from '../../../ui/format.js';
import { fineUsd } from '../../../ui/format-usd.js';
import { amountText, fact } from '../../kit/lines.js';
import { priceSourceText } from '../../kit/price-lines.js';
import { type Column, column, fitLines, numbers, tableText, type TableContext } from '../../kit/table.js';

export interface AnalyzedFolder extends FolderFacts {
  /** As it was typed. */
  readonly path: string;
  readonly rule: AgeRule;
  readonly sums: Sums;
  readonly directories: number;
  readonly leftOut: number;
  readonly skipped: readonly Skip[];
  /** Of what is right in the folder, the largest. */
  readonly largest: readonly PlaceSums[];
  readonly hottest: readonly PlaceSums[];
  /** How many there are; not all are listed. */
  readonly hotFolders: number;
  readonly prices: PriceList;
  readonly classes: readonly ClassEstimate[];
  readonly oldClasses: readonly ClassEstimate[];
  /** What it costs a month where it is: all of it, and what is old; undefined if that was not said. */
  readonly nowUsd: { readonly all: number; readonly old: number } | undefined;
  /** Undefined if there is nothing to upload. */
  readonly uploadCommand: string | undefined;
  readonly isStoreNamed: boolean;
  readonly durationMs: number;
}

const shareOf = (part: number, whole: number): string => (whole === 0 ? '0%' : formatPercent(part / whole));

/** `2y by mtime` */
export const ruleText = ({ olderThanMs, ageBy }: AgeRule): string => `${ageText(olderThanMs / DAY_MS)} by ${ageBy}`;

function headLines({ path, sums, directories, leftOut, skipped, rule }: AnalyzedFolder): readonly string[] {
  const { files, bytes, allocatedBytes, oldFiles, oldBytes } = sums;
  const unseen = skipped.filter(({ special }) => !special).length;
  return [
    `${path}: ${amountText(files, 'file', bytes)} in ${formatQuantity(directories + 1, 'folder')}`,
    fact('size', `apparent, files with several names once; ${formatBytes(allocatedBytes)} on disk`),
    fact('old', `${amountText(oldFiles, 'file', oldBytes)}, ${shareOf(oldBytes, bytes)}: ${ruleText(rule)} or more`),
    ...(rule.ageBy === 'mtime'
      ? []
      : [fact('', 'age since a file was changed or read last; backups that read files make them young')]),
    ...(leftOut > 0 ? [fact('left out', `${formatQuantity(leftOut, 'path')}, as an upload leaves them out`)] : []),
    ...(unseen > 0
      ? [fact('not seen', `${formatQuantity(unseen, 'path')} could not be looked at, and all sums are without them`)]
      : []),
  ];
}

const AGE_COLUMNS = (total: number): readonly Column<AgeBand>[] => [
  column('AGE', ({ fromDays, untilDays }) =>
    untilDays === null
      ? `${ageText(fromDays)} and more`
      : fromDays === 0
        ? `less than ${ageText(untilDays)}`
        : `${ageText(fromDays)} to ${ageText(untilDays)}`,
  ),
  numbers('FILES', ({ files }) => formatCount(files)),
  numbers('SIZE', ({ bytes }) => formatBytes(bytes)),
  numbers('SHARE', ({ bytes }) => shareOf(bytes, total)),
];

const OWNER_COLUMNS: readonly Column<Owner>[] = [
  column('OWNER', ({ user, uid }) => user ?? String(uid)),
  numbers('FILES', ({ files }) => formatCount(files), { dropOrder: 1 }),
  numbers('SIZE', ({ bytes }) => formatBytes(bytes)),
  numbers('OLD', ({ oldBytes }) => formatBytes(oldBytes)),
];

/** `lab/2019/`, or `lab/*` for what lies directly in it. */
export const hotPath = ({ path, isWhole }: Pick<PlaceSums, 'path' | 'isWhole'>): string =>
  isWhole ? displayPath(pathBelow(path, TOP)) : `${path === '' ? '' : `${displayPath(path)}/`}*`;

const LARGEST_COLUMNS = (total: number): readonly Column<PlaceSums>[] => [
  column('LARGEST', hotPath, { isCuttable: true }),
  numbers('FILES', ({ files }) => formatCount(files), { dropOrder: 2 }),
  numbers('SIZE', ({ bytes }) => formatBytes(bytes)),
  numbers('SHARE', ({ bytes }) => shareOf(bytes, total)),
  numbers('OLD', ({ oldBytes, bytes }) => shareOf(oldBytes, bytes)),
  numbers('NEWEST', ({ newestDays }) => ageText(newestDays), { dropOrder: 1 }),
];

const HOT_COLUMNS = (oldTotal: number): readonly Column<PlaceSums>[] => [
  column('HOTTEST', hotPath, { isCuttable: true }),
  numbers('FILES', ({ files }) => formatCount(files), { dropOrder: 2 }),
  numbers('SIZE', ({ bytes }) => formatBytes(bytes)),
  numbers('OLD', ({ oldBytes, bytes }) => shareOf(oldBytes, bytes)),
  numbers('OF ALL OLD', ({ oldBytes }) => shareOf(oldBytes, oldTotal)),
  numbers('MEAN AGE', ({ heat, oldBytes }) => ageText(heat / oldBytes), { dropOrder: 1 }),
  numbers('NEWEST', ({ newestDays }) => ageText(newestDays), { dropOrder: 3 }),
];

interface ClassRow {
  readonly all: ClassEstimate;
  readonly old: ClassEstimate | undefined;
}

const classRows = ({ classes, oldClasses }: AnalyzedFolder): readonly ClassRow[] =>
  classes.map((all) => ({ all, old: oldClasses.find(({ storageClass }) => storageClass === all.storageClass) }));

const saved = (now: number, there: Usd | undefined): Usd => (there == null ? null : now - there);

const CLASS_COLUMNS = ({ nowUsd }: AnalyzedFolder): readonly Column<ClassRow>[] => [
  column('CLASS', ({ all }) => all.storageClass),
  numbers('ALL/MONTH', ({ all }) => fineUsd(all.monthlyUsd)),
  ...(nowUsd === undefined
    ? []
    : [numbers<ClassRow>('ALL SAVES', ({ all }) => fineUsd(saved(nowUsd.all, all.monthlyUsd)))]),
  numbers('OLD/MONTH', ({ old }) => fineUsd(old?.monthlyUsd ?? null)),
  ...(nowUsd === undefined
    ? []
    : [numbers<ClassRow>('OLD SAVES', ({ old }) => fineUsd(saved(nowUsd.old, old?.monthlyUsd)))]),
  numbers('UPLOAD OLD', ({ old }) => fineUsd(old?.uploadUsd ?? null), { dropOrder: 2 }),
  numbers('MIN. DAYS', ({ all }) => all.minimumDays ?? undefined, { dropOrder: 1 }),
];

/** What stands below the table of the hottest folders. */
const heatLines = ({ hottest, hotFolders, sums, rule }: AnalyzedFolder): readonly string[] =>
  hotFolders === 0
    ? [fact('heat', `nothing is old: no file of ${ruleText(rule)} or more`)]
    : [
        fact(
          'heat',
          `${formatCount(hottest.length)} of ${formatQuantity(hotFolders, 'place')}, with ${shareOf(
            hottest.reduce((sum, { oldBytes }) => sum + oldBytes, 0),
            sums.oldBytes,
          )} of what is old: folders with ${formatPercent(MOSTLY_OLD)} of it or more, and files beside others (*)`,
        ),
      ];

function endLines({ prices, nowUsd, classes }: AnalyzedFolder): readonly string[] {
  return [
    ...(classes.length === 0
      ? []
      : [
          fact(
            'classes',
            'the most they cost: not compressed; archiver estimate finds out how much smaller it becomes',
          ),
        ]),
    ...(nowUsd === undefined
      ? [fact('', '--disk-price says what it costs where it is, to see what each class saves')]
      : [fact('now', `${fineUsd(nowUsd.all)} a month on disk, ${fineUsd(nowUsd.old)} of it for what is old`)]),
    fact('prices', priceSourceText(prices)),
  ];
}

/** The line to paste; never wrapped. */
function uploadText({ uploadCommand, isStoreNamed, hottest }: AnalyzedFolder): string {
  if (uploadCommand === undefined) return '';
  const isPart = hottest.some(({ isWhole }) => !isWhole);
  const notes = [
    ...(isStoreNamed ? [] : ['STORE is yours to name; --upload-to puts it in']),
    ...(isPart ? ['without the files that lie beside others (*)'] : []),
  ];
  const head = `To upload the folders above${notes.length === 0 ? '' : ` (${notes.join('; ')})`}:`;
  return `\n${head}\n${uploadCommand}\n`;
}

/** Returns all of the text; the line to paste is its last. */
export async function folderText(analyzed: AnalyzedFolder, context: TableContext): Promise<string> {
  const { ages, owners, largest, hottest, sums, classes } = analyzed;
  const tables = [
    await tableText(ages, AGE_COLUMNS(sums.bytes), context),
    await tableText(owners, OWNER_COLUMNS, context),
    ...(largest.length === 0 ? [] : [await tableText(largest, LARGEST_COLUMNS(sums.bytes), context)]),
    ...(hottest.length === 0 ? [] : [await tableText(hottest, HOT_COLUMNS(sums.oldBytes), context)]),
  ];
  const costs = classes.length === 0 ? '' : await tableText(classRows(analyzed), CLASS_COLUMNS(analyzed), context);
  const lines = [headLines(analyzed), heatLines(analyzed), endLines(analyzed)];
  const [head, heat, end] = await Promise.all(lines.map((own) => fitLines(own, context)));
  return `${head}\n${tables.join('\n')}${heat}\n${costs}${end}${uploadText(analyzed)}`;
}
