// `archiver dataset diff`: rows as the comparison goes, or one JSON document. Memory stays flat whatever has changed.
import type { Context } from '../../cli/context.js';
import { checkDatasetId } from '../../core/dataset/dataset-id.js';
import { diffViews, type Change } from '../../core/dataset/diff.js';
import { parseVersionSelector, resolveVersion } from '../../core/dataset/version-selector.js';
import { openVersion } from '../../core/dataset/version-view.js';
import type { View } from '../../core/dataset/view.js';
import type { VersionRecord } from '../../core/manifest/manifest-types.js';
import { displayPath } from '../../core/paths/raw-path.js';
import { formatBytes, formatCount, formatQuantity } from '../../ui/format.js';
import { openForReading } from '../kit/store.js';
import { datasetBase } from '../kit/dataset-target.js';
import type { DatasetDiffValues } from './diff.js';
import { changeDocument, DiffTally, isFolderChange, LISTS, type Counts, type ListName } from './diff-tally.js';

interface Side {
  readonly record: VersionRecord;
  readonly view: View;
}

const KIND_WIDTH = 'modified'.length;
const SIZE_WIDTH = 10;
const PIECE = 64 * 1024;

/** Runs the command. */
export async function runDatasetDiff(values: DatasetDiffValues, url: string, context: Context): Promise<void> {
  const base = datasetBase(url, values.writerId);
  const datasetId = checkDatasetId(values.datasetId);
  const selectors = [parseVersionSelector(values.from), parseVersionSelector(values.to)];
  const opened = await openForReading(base, values, context);
  try {
    const sides: Side[] = [];
    for (const selector of selectors) {
      const record = await resolveVersion(opened.store, datasetId, selector, context.signal);
      sides.push({ record, view: await openVersion(opened.store, record, context.signal) });
    }
    const [from, to] = sides;
    if (from === undefined || to === undefined) throw new Error('two versions are compared');
    if (context.json) await asDocument(from, to, { datasetId, location: base, requests: opened.requests }, context);
    else await asRows(from, to, context);
  } finally {
    opened.close();
  }
}

async function asRows(from: Side, to: Side, context: Context): Promise<void> {
  const tally = new DiffTally(from.view, to.view);
  for await (const batch of diffViews(from.view, to.view)) {
    context.signal.throwIfAborted();
    tally.add(batch);
    const rows = batch.changes.filter((change) => !isFolderChange(change)).map(changeRow);
    if (rows.length > 0) await context.print(rows.join(''));
  }
  context.result(undefined, () => summaryText(from.record, to.record, tally));
}

function changeRow(change: Change): string {
  const entry = change.kind === 'removed' ? change.before : change.after;
  const link = entry.target === undefined ? '' : ` -> ${displayPath(entry.target)}`;
  const what = change.kind === 'modified' ? `  (${change.what})` : '';
  const size = formatBytes(entry.size).padStart(SIZE_WIDTH);
  return `${change.kind.padEnd(KIND_WIDTH)}  ${size}  ${displayPath(entry.path)}${link}${what}\n`;
}

const isAny = ({ added, removed, modified }: Counts): boolean => added + removed + modified > 0;

function summaryText(from: VersionRecord, to: VersionRecord, { files, folders, unchanged }: DiffTally): string {
  const words = ({ added, removed, modified }: Counts): string =>
    `${formatCount(added)} added, ${formatCount(removed)} removed, ${formatCount(modified)} modified`;
  const title = `v${from.version} to v${to.version}: `;
  if (!isAny(files) && !isAny(folders)) return `${title}no differences in ${formatQuantity(unchanged, 'file')}\n`;
  const folderText = isAny(folders) ? `; folders: ${words(folders)}` : '';
  return `${title}${words(files)}, ${formatCount(unchanged)} unchanged${folderText}\n`;
}

async function asDocument(
  from: Side,
  to: Side,
  about: { readonly datasetId: string; readonly location: string; readonly requests: unknown },
  context: Context,
): Promise<void> {
  // Once through before anything is written: what is wrong is known by then, and mostly all changes are in hand.
  const tally = new DiffTally(from.view, to.view);
  for await (const batch of diffViews(from.view, to.view)) {
    context.signal.throwIfAborted();
    tally.add(batch);
  }
  const { datasetId, location, requests } = about;
  const head = {
    datasetId,
    location,
    from: from.record.uploadId,
    fromVersion: from.record.version,
    to: to.record.uploadId,
    toVersion: to.record.version,
    counts: tally.files,
    folders: tally.folders,
    unchanged: tally.unchanged,
    requests,
  };
  await context.streamDocument(
    (async function* (): AsyncGenerator<string> {
      yield JSON.stringify(head).slice(0, -1);
      for (const list of LISTS) {
        yield `,"${list}":[`;
        yield* joined(tally.list(list) ?? again(from, to, list));
        yield ']';
      }
      yield '}';
    })(),
  );
}

async function* again({ view: from }: Side, { view: to }: Side, kind: ListName): AsyncGenerator<string> {
  for await (const { changes } of diffViews(from, to)) {
    for (const change of changes)
      if (change.kind === kind && !isFolderChange(change)) yield JSON.stringify(changeDocument(change, from, to));
  }
}

/** Items with commas between them, in pieces that are worth writing. */
async function* joined(items: Iterable<string> | AsyncIterable<string>): AsyncGenerator<string> {
  let piece = '';
  let comma = '';
  for await (const item of items) {
    piece += comma + item;
    comma = ',';
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}
