// What was found, as people read it.
import { type FoldedRow, FolderFold } from '../../core/dataset/fold-by-folder.js';
import type { Hit } from '../../core/dataset/history/find-in-versions.js';
import type { PlacedSearch } from '../../core/dataset/history/search-store.js';
import { runsText } from '../../core/dataset/records/ordinals-text.js';
import { versionName } from '../../core/dataset/records/version-name.js';
import { displayPath, printable } from '../../core/platform/paths/raw-path.js';
import { formatQuantity } from '../../ui/format.js';
import { dayText } from '../../ui/format-time.js';
import { writerOf } from '../kit/all-writers.js';
import { foldedCells, sizeAndTime, SIZE_AND_TIME } from '../kit/entry-cells.js';
import { foldedText, SCREENFUL } from '../kit/folded-text.js';

/** What is said where nothing was found. */
export function nothingText(searched: readonly PlacedSearch[]): string {
  const versions = searched.reduce((sum, { found }) => sum + found.versions, 0);
  return `no path matches in ${formatQuantity(versions, 'version')} of ${formatQuantity(searched.length, 'dataset')}\n`;
}

const versionsText = ({ versions }: Hit): string => runsText(versions, 'v');

const deletedText = ({ deleted }: Hit): string =>
  deleted === undefined
    ? ''
    : `deleted ${deleted.isNext ? 'in' : 'by'} ${versionName(deleted)} on ${dayText(new Date(deleted.createdAt))}`;

/** Maximum width of the column; wider cells push their row to the right. */
const MAX_WIDTH = 24;

interface RowOptions {
  /** The dataset is named above its rows. */
  readonly isNamed: boolean;
  readonly isFolded: boolean;
}

/** The rows of a dataset, those of a folder as one where they are many. */
export function* textRows(
  { datasetId, place, found: { hits } }: PlacedSearch,
  { isNamed, isFolded }: RowOptions,
): Generator<string> {
  if (hits.length === 0) return;
  const of = place === '' ? '' : ` of ${writerOf(place)}`;
  if (isNamed) yield `dataset ${printable(datasetId)}${of}\n`;
  const title = 'VERSIONS';
  const width = hits.reduce(
    (widest, hit) => Math.min(MAX_WIDTH, Math.max(widest, versionsText(hit).length)),
    title.length,
  );
  yield `${title.padEnd(width)}  ${SIZE_AND_TIME}  PATH\n`;
  const rows = isFolded && hits.length > SCREENFUL ? folded(hits) : hits.map((row) => ({ row }));
  for (const row of rows) yield `${versionsText('row' in row ? row.row : row.sample).padEnd(width)}  ${hitText(row)}\n`;
}

function folded(hits: readonly Hit[]): readonly FoldedRow<Hit>[] {
  const fold = new FolderFold<Hit>({
    path: ({ entry }) => entry.path,
    bytes: ({ entry }) => entry.size,
    isFolder: ({ entry }) => entry.type === 'directory',
    kind: (hit) => versionsText(hit) + deletedText(hit),
  });
  return [...hits.flatMap((hit) => [...fold.add(hit)]), ...fold.end()];
}

function hitText(hit: FoldedRow<Hit>): string {
  if (!('row' in hit))
    return `${foldedCells(hit)}  ${[foldedText(hit), deletedText(hit.sample)].filter(Boolean).join(', ')}`;
  const { path, type, target } = hit.row.entry;
  const end = type === 'directory' ? '/' : target === undefined ? '' : ` -> ${displayPath(target)}`;
  const deleted = deletedText(hit.row);
  return `${sizeAndTime(hit.row.entry)}  ${displayPath(path)}${end}${deleted && `  (${deleted})`}`;
}
