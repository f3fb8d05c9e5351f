// The bars around the list: the position, the filters, the marked files and their cost.
import type { ReactElement } from 'react';
import { displayPath, type RawPath, TOP, parentOf } from '../../core/platform/paths/raw-path.js';
import { type BrowseState, chosenIn } from '../../stores/browse/browse-state.js';
import { rowAt, rowCount } from '../../stores/browse/rows.js';
import { selectionCost } from '../../stores/browse/cost.js';
import { formatBytes, formatCount, formatPercent } from '../../ui/format.js';
import { shortUsd } from '../../ui/format-usd.js';
import { Line } from '../../ui/line.js';
import { useSize, WIDE_COLUMNS } from '../../ui/size.js';
import { Spinner } from '../../ui/spinner.js';
import { BETWEEN, Status } from '../../ui/status.js';
import { cut, widthOf } from '../../ui/text.js';
import { SearchLine } from '../../ui/search-line.js';
import { Tint, useTheme } from '../../ui/theme.js';
import { storeOutageText } from '../outage-words.js';
import { useNames } from '../use-names.js';
import { useBrowse } from './browse-context.js';
import { CHANGE_SIGNS } from './file-name.js';
import { versionName } from '../../core/dataset/records/version-name.js';

/** The filters, or the search text; at the right the number of matches, or the folder of the cursor. */
export function FilterBar(): ReactElement {
  const page = useBrowse((state) => state.page);
  const isTyping = useBrowse((state) => state.mode.kind === 'search');
  if (page === 'changes') return <ChangesBar />;
  return isTyping ? <SearchBar /> : <FiltersBar />;
}

function SearchBar(): ReactElement {
  const search = useBrowse((state) => state.search);
  const found = useBrowse(foundText);
  return <SearchLine label="search" line={search} placeholder="part of a path" found={found} />;
}

function FiltersBar(): ReactElement {
  const { columns } = useSize();
  const { glyphs } = useTheme();
  const names = useNames();
  const { stage, commit, text } = useBrowse((state) => state.filter);
  const sort = useBrowse((state) => state.sort);
  const folder = useBrowse(folderOfCursor);
  const found = useBrowse(foundText);
  const changed = useBrowse(changedText);
  const way = folder.split('/').map((name) => names(displayPath(name)));
  const crumbs = cut(
    way.join(` ${glyphs.closed === '>' ? '>' : '›'} `),
    Math.floor(columns / 3),
    'middle',
    glyphs.ellipsis,
  );
  const filters = [
    { name: 'stage', value: stage === undefined ? 'all' : names(stage), isOn: stage !== undefined },
    { name: 'commit', value: commit === undefined ? 'all' : names(commit.slice(0, 7)), isOn: commit !== undefined },
    { name: 'search', value: text === '' ? 'none' : names(text), isOn: text !== '' },
    { name: 'sort', value: sort, isOn: sort !== 'name' },
  ];
  return (
    <Line
      left={filters.map((filter, at) => (
        <Tint key={filter.name}>
          {at > 0 && '   '}
          <Tint tone="dim">{`${filter.name}: `}</Tint>
          <Tint tone={filter.isOn ? 'accent' : 'plain'}>{filter.value}</Tint>
        </Tint>
      ))}
      right={<Tint tone="dim">{found || crumbs || changed}</Tint>}
    />
  );
}

/** `12 of 13 290` when filters leave some out. */
function foundText({ visible, files, isSearching, opened, share }: BrowseState): string {
  if (opened.lazy !== undefined && (isSearching || share !== undefined))
    return `${isSearching ? 'search waits: ' : ''}${formatPercent(share ?? 0)} read`;
  if (isSearching) return `searching, ${formatCount(visible.length)} found`;
  return visible.length === files.length ? '' : `${formatCount(visible.length)} of ${formatCount(files.length)}`;
}

/** The folder above the row of the cursor, only in the tree. */
function folderOfCursor(state: BrowseState): RawPath {
  const { tree, position, opened } = state;
  const row = rowAt(state, position);
  if (tree === undefined || row === undefined) return TOP;
  return parentOf(typeof row === 'number' ? opened.listing.path(row) : row.path);
}

function changedText({ changes }: BrowseState): string {
  if (changes === undefined) return '';
  const { counts, since } = changes;
  if (since === undefined) return 'the first version';
  const modified = formatCount(counts.modified + counts.metadata);
  const sinceText = `since ${since.version === undefined ? 'v?' : versionName(since.version)}`;
  return `+${formatCount(counts.added)} ~${modified} -${formatCount(counts.deleted)} ${sinceText}`;
}

function ChangesBar(): ReactElement {
  const counts = useBrowse((state) => state.changes?.counts);
  const words = { added: 'added', modified: 'changed', metadata: 'metadata', deleted: 'gone' } as const;
  const kinds = ['added', 'modified', 'deleted', 'metadata'] as const;
  return (
    <Line
      left={kinds.map((kind) => (
        <Tint key={kind}>
          <Tint tone={CHANGE_SIGNS[kind].tone}>{CHANGE_SIGNS[kind].sign}</Tint>
          {` ${formatCount(counts?.[kind] ?? 0)} ${words[kind]}   `}
        </Tint>
      ))}
    />
  );
}

/** The marked files with their cost and wait, or a message; and the position of the cursor. Numbers are never cut: the wait goes first. */
export function StatusBar(): ReactElement {
  const { columns } = useSize();
  const notice = useBrowse((state) => state.notice);
  const busy = useBrowse((state) => state.busy);
  const trouble = useBrowse(({ mode, trouble }) => (mode.kind === 'progress' ? undefined : trouble));
  const position = useBrowse(positionText);
  const names = useNames();
  if (trouble !== undefined) {
    const parts = [storeOutageText(trouble), busy, trouble.reason && names(trouble.reason)];
    const text = parts.filter((part) => part !== undefined).join(BETWEEN);
    return <Status message={{ text, tone: 'bad' }} right={position} />;
  }
  if (notice !== undefined) return <Status message={{ text: names(notice), tone: 'warn' }} right={position} />;
  if (busy !== undefined) return <Line left={<Spinner label={busy} />} right={<Tint tone="dim">{position}</Tint>} />;
  return <MarkedStatus room={columns - widthOf(position) - 4} position={position} />;
}

function versionPositionText({ file }: BrowseState): string {
  const count = file?.found.kind === 'known' ? file.found.changes.length : 0;
  return `${formatCount(count === 0 ? 0 : (file?.position ?? 0) + 1)} of ${formatCount(count)}`;
}

function positionText(state: BrowseState): string {
  const { page, changes, changePosition, position } = state;
  if (page === 'versions') return versionPositionText(state);
  const count = page === 'changes' ? (changes?.files.length ?? 0) : rowCount(state);
  const at = page === 'changes' ? changePosition : position;
  const more = page === 'files' && (state.tree?.gaps.length ?? 0) > 0 ? '+' : '';
  return `${formatCount(count === 0 ? 0 : at + 1)} of ${formatCount(count)}${more}`;
}

function MarkedStatus({ room, position }: { readonly room: number; readonly position: string }): ReactElement {
  const { columns } = useSize();
  const { marks, opened } = useChosen();
  useBrowse((state) => state.markings);
  const page = useBrowse((state) => state.page);
  const tier = useBrowse((state) => state.tier);
  const { cost, outputDir } = useBrowse((state) => state.settings);
  const names = useNames();
  const { estimate, wait } = selectionCost(marks, tier, cost);
  const files = formatCount(marks.files);
  const from = page === 'changes' && opened.version !== undefined ? ` from ${versionName(opened.version)}` : '';
  const price = `est. ${shortUsd(estimate.costUsd)}`;
  const cold = marks.coldFiles === 0 ? '' : `${formatCount(marks.coldFiles)} cold`;
  const waiting = cold === '' ? '' : `, ${tier} tier ${wait?.text ?? 'not offered'}`;
  const to = columns >= WIDE_COLUMNS && marks.files > 0 ? `  to ${names(outputDir)}` : '';
  const roomy = `${files} selected  ${formatBytes(marks.bytes)}${from}  ${price}${cold === '' ? '' : '  '}`;
  const tight = `${files} sel. ${formatBytes(marks.bytes)} ${price} `;
  const choices = [
    [roomy, `${waiting}${to}`],
    [roomy, waiting],
    [roomy, ''],
  ] as const;
  const [text, more] = choices.find((choice) => widthOf(choice[0] + cold + choice[1]) <= room) ?? [tight, ''];
  return (
    <Line
      left={
        <>
          {text}
          <Tint tone="warn">{cold}</Tint>
          {more}
        </>
      }
      right={<Tint tone="dim">{position}</Tint>}
    />
  );
}

function useChosen(): ReturnType<typeof chosenIn> {
  const marks = useBrowse((state) => chosenIn(state).marks);
  const opened = useBrowse((state) => chosenIn(state).opened);
  return { marks, opened };
}
