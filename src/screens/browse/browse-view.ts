// The browser as lines: the same frame everywhere, and in its middle the list or a panel. Pure: state and size to text.
import { rowAt, rowCount, type BrowseView } from '../../stores/browse/browse-state.js';
import type { ScreenSize } from '../../ui/string-screen.js';
import { formatQuantity } from '../../ui/format.js';
import { glyphsFor } from '../../ui/glyphs.js';
import { helpOverlay } from '../../ui/help-lines.js';
import { keyLine } from '../../ui/key-map.js';
import type { Line } from '../../ui/toned-line.js';
import type { Look } from '../../ui/look.js';
import { bindingsFor, HELP_BINDINGS, type BrowseAction } from './browse-keys.js';
import { filterLine, statusLine, titleLine } from './browse-lines.js';
import { confirmLines, detailLines, progressPanel, type BrowseSettings } from './panel-lines.js';
import { displayText } from '../../stores/display-text.js';
import { headerLine, rowLine } from './row-line.js';

/** Title, filters, three rules and heads, status and keys; and the last row of the window, which stays free. */
const AROUND_LIST = 8;
const AROUND_PANEL = AROUND_LIST - 1;

/** Rows of the list in a window. */
export const pageRows = ({ rows }: ScreenSize): number => Math.max(1, rows - AROUND_LIST);

export interface BrowseFrame {
  readonly view: BrowseView;
  readonly settings: BrowseSettings;
  readonly size: ScreenSize;
  /** First row of the list that is shown. */
  readonly top: number;
  readonly look: Look;
}

/** The whole frame, `rows - 1` lines. */
export function browseLines(frame: BrowseFrame): Line[] {
  const { view, settings, size, look } = frame;
  const { columns, rows } = size;
  const keys = keyLine(bindingsFor(view), { columns, words: wordsOf(view, settings, look) });
  if (view.mode.kind === 'help') {
    const overlay = { title: 'Keys in browse', columns, height: rows - 2, glyphs: glyphsFor(look) };
    return [...padded(helpOverlay(HELP_BINDINGS, overlay), rows - 2), keys];
  }
  const rule: Line = [{ text: glyphsFor(look).rule.repeat(columns), tone: 'dim' }];
  return [
    titleLine(view, columns, look),
    filterLine(view, columns, look),
    rule,
    ...padded(bodyLines(frame), rows - AROUND_PANEL),
    rule,
    statusLine(view, columns, settings.cost),
    keys,
  ];
}

function bodyLines({ view, settings, size, top, look }: BrowseFrame): Line[] {
  const panel = { columns: size.columns, height: size.rows - AROUND_PANEL };
  const { mode } = view;
  switch (mode.kind) {
    case 'list':
    case 'search':
    case 'help':
      return listLines(view, size, top, look);
    case 'confirm':
      return confirmLines(view, settings, panel, look);
    case 'details':
      return detailLines(view, mode, panel, look);
    case 'progress':
      return progressPanel(mode.snapshot, panel, look);
    case 'done':
      return mode.lines.map((text) => [{ text: ` ${text}` }]);
    default:
      return mode satisfies never;
  }
}

function listLines(view: BrowseView, size: ScreenSize, top: number, look: Look): Line[] {
  const { columns } = size;
  const last = Math.min(rowCount(view), top + pageRows(size));
  const rows: Line[] = [];
  for (let position = top; position < last; position++) {
    const row = rowAt(view, position);
    if (row !== undefined) rows.push(rowLine(view, row, { columns, isCursor: position === view.position, look }));
  }
  return [headerLine(view, columns), ...(rows.length > 0 ? rows : [[{ text: emptyText(view) }]])];
}

function emptyText({ files, isSearching }: BrowseView): string {
  if (isSearching) return '       searching';
  return files.length === 0 ? '       this upload has no files' : '       no file matches; esc, d or g show others';
}

const padded = (lines: readonly Line[], height: number): Line[] =>
  Array.from({ length: Math.max(0, height) }, (_, row) => lines[row] ?? []);

function wordsOf({ marks }: BrowseView, { outputDir }: BrowseSettings, look: Look): Map<BrowseAction, string> {
  if (marks.files === 0) return new Map();
  return new Map([['restore', `restore ${formatQuantity(marks.files, 'file')} to ${displayText(outputDir, look)}`]]);
}
