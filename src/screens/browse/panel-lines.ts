// What takes the place of the list: the question before a restore, the details of a file, a restore and its end.
import type { ThawTier } from '../../core/object-store/object-store.js';
import { displayPath } from '../../core/paths/raw-path.js';
import { type CostPlace, costVerdict, selectionCost, type SelectionCost } from '../../stores/browse/cost.js';
import type { BrowseMode, BrowseView } from '../../stores/browse/browse-state.js';
import { displayText } from '../../stores/display-text.js';
import type { TransferSnapshot } from '../../stores/transfer-snapshot.js';
import { formatBytes, formatCount, formatQuantity } from '../../ui/format.js';
import { formatUsd } from '../../ui/format-usd.js';
import { glyphsFor } from '../../ui/glyphs.js';
import type { Line } from '../../ui/toned-line.js';
import type { Look } from '../../ui/look.js';
import { cutMiddle } from '../../ui/text-width.js';
import { problemLines } from '../progress/problem-lines.js';
import { frameText } from '../progress/frame-text.js';

/** What the command was called with, as far as it is shown. */
export interface BrowseSettings {
  /** As it was typed. */
  readonly outputDir: string;
  readonly wait: boolean;
  /** Undefined for no cap. */
  readonly maxCostUsd: number | undefined;
  readonly cost: CostPlace;
}

export interface PanelSize {
  readonly columns: number;
  readonly height: number;
}

const labelled = (label: string, text: string): Line => [{ text: `   ${label.padEnd(10)}`, tone: 'dim' }, { text }];

/** Why the marked files cannot be restored in this tier and under this cap; undefined when they can. */
export function refusalOf({ marks, tier }: BrowseView, { cost, maxCostUsd }: BrowseSettings): string | undefined {
  const selection = selectionCost(marks, tier, cost);
  if (selection.wait === null) return `the ${tier} tier is not offered for all of this: t changes it`;
  const verdict = costVerdict(selection, maxCostUsd);
  if (verdict === 'within' || maxCostUsd === undefined) return undefined;
  return verdict === 'unknown'
    ? 'the cost is not known, and --max-restore-cost is given'
    : `${formatUsd(selection.estimate.costUsd)} is more than --max-restore-cost ${formatUsd(maxCostUsd)}`;
}

/** The question before a restore: where to, what of it is cold, for how much. */
export function confirmLines(view: BrowseView, settings: BrowseSettings, { columns }: PanelSize, look: Look): Line[] {
  const { marks, tier } = view;
  const cost = selectionCost(marks, tier, settings.cost);
  const { ellipsis } = glyphsFor(look);
  const title = ` Restore ${formatQuantity(marks.files, 'file')}, ${formatBytes(marks.bytes)} to `;
  const place = cutMiddle(displayText(settings.outputDir, look), Math.max(8, columns - title.length - 2), ellipsis);
  const cap = settings.maxCostUsd === undefined ? '' : ` of --max-restore-cost ${formatUsd(settings.maxCostUsd)}`;
  const refusal = refusalOf(view, settings);
  return [
    [{ text: title }, { text: place, tone: 'accent' }, { text: '?' }],
    [],
    labelled('readable', `${formatCount(marks.files - marks.coldFiles)} now`),
    ...(marks.coldFiles === 0 ? [] : coldLines(marks.coldFiles, tier, cost, settings)),
    labelled('cost', `est. ${formatUsd(cost.estimate.costUsd)}${cap}`),
    ...(refusal === undefined ? [] : [[{ text: `   ${refusal}`, tone: 'bad' as const }]]),
  ];
}

function coldLines(
  files: number,
  tier: ThawTier,
  { wait, coldChunks }: SelectionCost,
  settings: BrowseSettings,
): Line[] {
  const text = wait === null ? 'not offered' : (wait?.text ?? '');
  return [
    labelled('cold', `${formatCount(files)} in ${formatQuantity(coldChunks, 'chunk')}: ${tier} tier, ${text}`),
    labelled(
      '',
      settings.wait ? 'this waits until all of it can be read' : 'asked for now; a job is saved to fetch it later',
    ),
  ];
}

/** Everything known about a file, and its first lines as far as there is room. */
export function detailLines(
  view: BrowseView,
  { index, preview }: Extract<BrowseMode, { kind: 'details' }>,
  { columns, height }: PanelSize,
  look: Look,
): Line[] {
  const about = aboutLines(view, index, columns, look);
  const room = Math.max(0, height - about.length - 1);
  if (preview === undefined) return [...about, [{ text: ' reading the first lines', tone: 'dim' }]];
  if (preview.kind === 'none')
    return [...about, [{ text: ` ${displayText(preview.reason, look)}`, tone: 'attention' }]];
  const lines = preview.lines.slice(0, room);
  const isWhole = !preview.isCut && lines.length === preview.lines.length;
  const heading = isWhole ? ' all lines' : ' first lines';
  const shown = lines.map((text): Line => [{ text: `   ${displayText(text.replaceAll('\t', '    '), look)}` }]);
  return [...about, [{ text: heading, tone: 'dim' }], ...shown];
}

function aboutLines({ opened: { listing } }: BrowseView, index: number, columns: number, look: Look): Line[] {
  const { seconds } = listing.mtime(index);
  const date = new Date(seconds * 1000);
  const time = Number.isNaN(date.getTime()) ? 'unknown time' : date.toISOString().replace(/\.\d+Z$/, 'Z');
  const mode = listing.mode(index).toString(8).padStart(4, '0');
  const chunks = listing.chunks(index).map((chunk) => listing.head.chunks[chunk]?.key ?? '');
  const more = chunks.length > 1 ? ` and ${formatCount(chunks.length - 1)} more` : '';
  const target = listing.extra(index)?.target;
  const made = [
    ...(listing.stage(index) === undefined ? [] : [`stage ${listing.stage(index)}`]),
    ...(listing.commit(index) === undefined ? [] : [`commit ${listing.commit(index)}`]),
  ].join(', ');
  const fit = (text: string): string => cutMiddle(displayText(text, look), columns - 14, glyphsFor(look).ellipsis);
  return [
    labelled('path', fit(displayPath(listing.path(index)))),
    labelled(listing.type(index), `${formatBytes(listing.sizeBytes(index))}, ${time}, mode ${mode}`),
    ...(target === undefined ? [] : [labelled('points to', fit(displayPath(target)))]),
    ...(listing.md5(index) === undefined ? [] : [labelled('md5', listing.md5(index) ?? '')]),
    ...(chunks[0] === undefined
      ? []
      : [labelled('chunk', fit(`${chunks[0]}${more}, ${listing.storageClass(index) ?? ''}`))]),
    ...(made === '' ? [] : [labelled('made by', fit(made))]),
  ];
}

/** A restore that is under way, with what failed of it. */
export function progressPanel(snapshot: TransferSnapshot, { columns, height }: PanelSize, look: Look): Line[] {
  const { skipped, skippedCount } = snapshot;
  const problems = problemLines('failed  ', skipped, look, skippedCount);
  const drawn = frameText(snapshot, { columns, rows: height + 1 }, look);
  return [...drawn, ...problems].slice(0, height).map((text) => [{ text }]);
}
