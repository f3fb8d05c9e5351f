// `archiver analyze PATH`: what is old and big in a folder of this computer, as text, as a document, or on a screen.
import type { Context } from '../../../cli/context.js';
import { isCi } from '../../../cli/progress.js';
import { readAccountNames } from '../../../core/archive/scan/account-names.js';
import { resolveSource } from '../../../core/archive/scan/source-folder.js';
import type { PriceList } from '../../../core/cost/price-table.js';
import { folderFacts } from '../../../core/money/analyze/folder/folder-facts.js';
import { ROOT } from '../../../core/money/analyze/folder/folder-tree.js';
import { hotFolders, largestFolders } from '../../../core/money/analyze/folder/hot-folders.js';
import { keptInClasses } from '../../../core/money/analyze/folder/kept-in-classes.js';
import { documentLine } from '../../../core/platform/json/document.js';
import { ArchiverError, isArchiverError } from '../../../core/platform/failures/errors.js';
import { printable, type RawPath } from '../../../core/platform/paths/raw-path.js';
import { isBareWord } from '../../../core/store/store-url.js';
import { DEFAULT_REGION } from '../../kit/flags.js';
import { stopwatch } from '../../kit/run.js';
import { chosenPrices, warnOfRegion } from '../chosen-prices.js';
import { folderDocument } from './folder-document.js';
import { refuseTyped, STORE_KEYS } from './folder-flags.js';
import { type AnalyzedFolder, folderText } from './folder-text.js';
import { type ScannedFolder, scanFolder, type ScanValues } from './scan-folder.js';
import { UploadLines } from './upload-lines.js';

export interface FolderValues extends ScanValues {
  readonly format: 'table' | 'json';
  readonly region: string | undefined;
  readonly top: number;
  readonly diskPrice: number | undefined;
  readonly storageClass: string | undefined;
  readonly uploadTo: string | undefined;
  readonly once: boolean;
}

/** Returns the exit status: 3 if something could not be looked at. @throws usage; not-found, access-denied for the folder itself */
export async function analyzeFolder(path: string, values: FolderValues, context: Context<'analyze'>): Promise<number> {
  const hint = 'a store in a folder is named by its URL: file:///absolute/folder';
  refuseTyped(STORE_KEYS, context, `${printable(path)}, which is a path`, hint);
  const elapsed = stopwatch(context);
  const root = sourceOf(path, context.cwd);
  const lines = new UploadLines(root, values, context);
  const { region = DEFAULT_REGION } = values;
  // A folder tells nothing of where it will be stored.
  const prices = await chosenPrices({ region, realTimePricing: false, profile: undefined }, context);
  await warnOfRegion(prices, context);
  const scanned = await scanFolder({ root, path }, values, context);
  const { tree, skipped, leftOut } = scanned;
  lines.hasLeftOut = leftOut > 0;
  const unseen = skipped.filter(({ special }) => !special).length;
  if (opensScreen(values, context)) {
    const { markOnScreen } = await import('./show-folder.js');
    await markOnScreen({ path, tree, prices, lines, unseen }, context);
  } else {
    const found = { path, prices, ...sumsOf(scanned, lines, { ...values, prices }) };
    const analyzed = { ...found, isStoreNamed: values.uploadTo !== undefined, durationMs: elapsed() };
    const document = folderDocument(analyzed);
    const text = values.format === 'json' ? documentLine(document) : await folderText(analyzed, context);
    context.result(document, () => text);
  }
  return unseen > 0 ? 3 : 0;
}

/** Returns the resolved path. @throws what `resolveSource` throws, for a bare word with how a bucket is written */
function sourceOf(path: string, cwd: string): RawPath {
  try {
    return resolveSource(path, cwd);
  } catch (error) {
    if (!isArchiverError(error, 'not-found') || !isBareWord(path)) throw error;
    throw new ArchiverError('not-found', error.message, {
      hint: `write s3://${printable(path)} for a bucket`,
      cause: error,
    });
  }
}

interface Priced extends Pick<FolderValues, 'top' | 'diskPrice'> {
  readonly prices: PriceList;
}

/** Bytes that --disk-price is the price of. */
const TB = 1e12;

function sumsOf(
  scanned: ScannedFolder,
  lines: UploadLines,
  { top, diskPrice, prices }: Priced,
): Omit<AnalyzedFolder, 'path' | 'prices' | 'isStoreNamed' | 'durationMs'> {
  const { tree } = scanned;
  const sums = tree.sums(ROOT);
  const all = hotFolders(tree);
  const hottest = all.slice(0, top);
  const whole = hottest.filter(({ isWhole }) => isWhole);
  const wholeBytes = whole.reduce((sum, { bytes }) => sum + bytes, 0);
  const wholePaths = whole.map((one) => one.path);
  const { allocatedBytes, oldAllocatedBytes } = sums;
  return {
    ...scanned,
    ...folderFacts(tree.files, readAccountNames()),
    rule: tree.files.rule,
    sums,
    hottest,
    hotFolders: all.length,
    largest: largestFolders(tree).slice(0, top),
    classes: keptInClasses(sums.bytes, prices),
    oldClasses: keptInClasses(sums.oldBytes, prices),
    nowUsd:
      diskPrice === undefined
        ? undefined
        : { all: (allocatedBytes / TB) * diskPrice, old: (oldAllocatedBytes / TB) * diskPrice },
    uploadCommand: lines.of(wholePaths, wholeBytes, prices),
  };
}

/** A terminal gets a screen, unless something was asked for that is printed. */
function opensScreen({ once, format }: FolderValues, context: Context<'analyze'>): boolean {
  const { json, stdin, stdout, env } = context;
  if (once || json || format === 'json') return false;
  return stdin.isTTY === true && stdout.isTTY === true && env['TERM'] !== 'dumb' && !isCi(env);
}
