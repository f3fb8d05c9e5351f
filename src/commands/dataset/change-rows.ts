// Changes between two versions, as people read them.
import type { Change } from '../../core/dataset/diff.js';
import { type FoldedRow, FolderFold } from '../../core/dataset/fold-by-folder.js';
import { displayPath } from '../../core/platform/paths/raw-path.js';
import { formatBytes } from '../../ui/format.js';
import { foldedText, SCREENFUL } from '../kit/folded-text.js';

const KIND_WIDTH = 'modified'.length;
const SIZE_WIDTH = 10;

const entryOf = (change: Change) => (change.kind === 'deleted' ? change.before : change.after);

const differsText = (change: Change): string => (change.kind === 'modified' ? `  (${change.differs.join(', ')})` : '');

function changeRow(folded: FoldedRow<Change>): string {
  const change = 'row' in folded ? folded.row : folded.sample;
  const { path, size, target } = entryOf(change);
  const bytes = formatBytes('row' in folded ? size : folded.bytes).padStart(SIZE_WIDTH);
  const link = target === undefined ? '' : ` -> ${displayPath(target)}`;
  const name = 'row' in folded ? displayPath(path) + link : foldedText(folded);
  return `${change.kind.padEnd(KIND_WIDTH)}  ${bytes}  ${name}${differsText(change)}\n`;
}

/** The rows of changes as they come: the first screenful waits for whether there are more, which are folded. */
export class ChangeRows {
  private first: Change[] | undefined = [];
  private readonly fold = new FolderFold<Change>({
    path: (change) => entryOf(change).path,
    bytes: (change) => entryOf(change).size,
    isFolder: () => false,
    kind: (change) => change.kind + differsText(change),
  });

  constructor(private readonly isEach: boolean) {}

  /** The text of what is ready. */
  add(changes: readonly Change[]): string {
    if (this.isEach) return changes.map((row) => changeRow({ row })).join('');
    if (this.first === undefined) return this.folded(changes);
    this.first.push(...changes);
    if (this.first.length <= SCREENFUL) return '';
    const { first } = this;
    this.first = undefined;
    return this.folded(first);
  }

  end(): string {
    return this.first === undefined
      ? Array.from(this.fold.end(), changeRow).join('')
      : this.first.map((row) => changeRow({ row })).join('');
  }

  private folded(changes: readonly Change[]): string {
    return changes.map((change) => Array.from(this.fold.add(change), changeRow).join('')).join('');
  }
}
