// The lines around the list: what is looked at, the filters, what is marked and what it would cost.
import { type CostPlace, selectionCost } from '../../stores/browse/cost.js';
import { type BrowseView, rowCount, type VersionChanges } from '../../stores/browse/browse-state.js';
import { displayText } from '../../stores/display-text.js';
import { formatBytes, formatCount } from '../../ui/format.js';
import { glyphsFor } from '../../ui/glyphs.js';
import { clipLine, lineWidth, type Line, type Segment } from '../../ui/toned-line.js';
import type { Look } from '../../ui/look.js';
import { cutMiddle, textWidth } from '../../ui/text-width.js';
import { shortUsd } from '../../ui/format-usd.js';

const WIDE_COLUMNS = 120;
const GAP = 2;
const SHORTEST_SEARCH = 8;

/** Left and right end of a line; the right one goes when both do not fit. */
export function spread(left: Line, right: Line, columns: number): Line {
  const room = columns - lineWidth(left) - lineWidth(right);
  return room < GAP ? left : [...left, { text: ' '.repeat(room) }, ...right];
}

/** Program, store, and the upload or version. Ids are never cut. */
export function titleLine({ opened }: BrowseView, columns: number, look: Look): Line {
  const { version, uploadId, baseUrl } = opened;
  const upload = `upload ${uploadId}`;
  const dataset =
    version === undefined
      ? undefined
      : `dataset ${version.datasetId} v${version.version}${version.isHead ? ' (HEAD)' : ''}`;
  const both = dataset === undefined || columns >= WIDE_COLUMNS ? [upload] : [];
  const right = displayText([...both, ...(dataset === undefined ? [] : [dataset])].join(', '), look);
  const name = ' archiver browse  ';
  const room = columns - textWidth(name) - textWidth(right) - GAP;
  const place = room < 12 ? '' : cutMiddle(displayText(baseUrl, look), room, glyphsFor(look).ellipsis);
  return spread([{ text: name, tone: 'accent' }, { text: place }], [{ text: right }], columns);
}

/** The filters, and at the right what is going on. */
export function filterLine(view: BrowseView, columns: number, look: Look): Line {
  const { filter, mode, search } = view;
  const left: Segment[] = [
    { text: ' stage: ', tone: 'dim' },
    { text: displayText(filter.stage ?? 'all', look) },
    { text: '   commit: ', tone: 'dim' },
    { text: displayText(filter.commit?.slice(0, 7) ?? 'all', look) },
    { text: '   search: ', tone: 'dim' },
  ];
  const right = newsSegment(view, look);
  const room = columns - lineWidth(left) - textWidth(right.text) - GAP;
  // What the person has to know comes before what is on the screen anyway.
  if (view.notice !== undefined && room < SHORTEST_SEARCH)
    return clipLine([{ ...right, text: ` ${right.text}` }], columns, glyphsFor(look).ellipsis);
  const text =
    mode.kind === 'search'
      ? searchBox(search.text, search.cursor, Math.max(SHORTEST_SEARCH, room))
      : [{ text: displayText(filter.text === '' ? 'none' : filter.text, look) }];
  return spread(
    clipLine([...left, ...text], columns, glyphsFor(look).ellipsis),
    right.text === '' ? [] : [right],
    columns,
  );
}

/** The text that is being typed, around its cursor; the cell of the cursor is drawn inverse, or as `_` at the end. */
function searchBox(text: string, cursor: number, room: number): Segment[] {
  const at = text.slice(cursor, cursor + 1);
  const before = text.slice(Math.max(0, cursor - room + 2), cursor);
  return [{ text: before }, { text: at === '' ? '_' : at, tone: 'inverse' }, { text: text.slice(cursor + 1) }];
}

function newsSegment(view: BrowseView, look: Look): Segment {
  const { notice, busy, isSearching, changes, visible, files } = view;
  if (notice !== undefined) return { text: displayText(notice, look), tone: 'attention' };
  if (busy !== undefined) return { text: busy, tone: 'dim' };
  if (isSearching) return { text: `searching, ${formatCount(visible.length)} found`, tone: 'dim' };
  const found =
    visible.length === files.length ? [] : [`${formatCount(visible.length)} of ${formatCount(files.length)}`];
  return { text: [...found, ...changesText(changes)].join('   '), tone: 'dim' };
}

function changesText(changes: VersionChanges | undefined): string[] {
  if (changes === undefined) return [];
  const { added, modified, removed, since } = changes;
  if (since === undefined) return ['the first version'];
  return [`+${formatCount(added)} ~${formatCount(modified)} -${formatCount(removed)} since v${since}`];
}

/** What is marked, its cost and wait; where the cursor is. Numbers are never cut: the wait goes first. */
export function statusLine(view: BrowseView, columns: number, cost: CostPlace): Line {
  const { marks, tier, position } = view;
  const { estimate, wait } = selectionCost(marks, tier, cost);
  const files = formatCount(marks.files);
  const bytes = formatBytes(marks.bytes);
  const price = `est. ${shortUsd(estimate.costUsd)}`;
  const cold: Segment = {
    text: marks.coldFiles === 0 ? '' : `${formatCount(marks.coldFiles)} cold`,
    tone: 'attention',
  };
  const gap = cold.text === '' ? '' : '  ';
  const waiting = cold.text === '' ? '' : `, ${tier} tier ${wait?.text ?? 'not offered'}`;
  const count = rowCount(view);
  const right = [{ text: `${formatCount(count === 0 ? 0 : position + 1)} of ${formatCount(count)}` }];
  const roomy: Line = [{ text: ` ${files} selected  ${bytes}  ${price}${gap}` }, cold];
  const tight: Line = [{ text: ` ${files} sel. ${bytes} ${price} ` }, cold];
  const choices: readonly Line[] = [[...roomy, { text: waiting }], roomy, tight];
  const left = choices.find((line) => lineWidth(line) + GAP + lineWidth(right) <= columns) ?? tight;
  return spread(left, right, columns);
}
