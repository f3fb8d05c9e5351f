// The screen of `archiver analyze PATH`; what is marked when it is left is printed as an upload line.
import type { Context } from '../../../cli/context.js';
import type { PriceList } from '../../../core/cost/price-table.js';
import type { FolderTree } from '../../../core/money/analyze/folder/folder-tree.js';
import { keptInClasses } from '../../../core/money/analyze/folder/kept-in-classes.js';
import { showFolder } from '../../../screens/money/show-folder.js';
import { type FolderPorts, markedSums } from '../../../stores/money/folder-state.js';
import { createFolderStore } from '../../../stores/money/folder-store.js';
import { lookOf } from '../../../ui/look.js';
import { amountText } from '../../kit/lines.js';
import { ruleText } from './folder-text.js';
import type { UploadLines } from './upload-lines.js';

export interface ShownFolder {
  /** As it was typed. */
  readonly path: string;
  readonly tree: FolderTree;
  readonly prices: PriceList;
  readonly lines: UploadLines;
  /** Number of paths that could not be looked at. */
  readonly unseen: number;
}

/** Shows the folder until the user leaves, and prints the line for what is marked then. */
export async function markOnScreen(
  { path, tree, prices, lines, unseen }: ShownFolder,
  context: Context<'analyze'>,
): Promise<void> {
  const { stdin, stdout, signal, colors, env } = context;
  const store = createFolderStore(tree);
  const ports: FolderPorts = {
    classes: (bytes) => keptInClasses(bytes, prices),
    line: (paths, bytes) => lines.of(paths, bytes, prices),
  };
  const rule = ruleText(tree.files.rule);
  const shown = { store, ports, where: path, rule, unseen };
  await showFolder({ stdin, stdout, look: lookOf(colors.stdout, env), signal, shown });
  signal.throwIfAborted();
  const { marks } = store.getState();
  if (marks.size === 0) return;
  const { files, bytes } = markedSums(marks);
  const line = lines.of([...marks.keys()], bytes, prices) ?? 'the name of the folder cannot be written in a line';
  await context.print(`${amountText(files, 'file', bytes)} marked:\n${line}\n`);
}
