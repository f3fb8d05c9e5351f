import { hostname } from 'node:os';
import { defineCommand } from '../../cli/command.js';
import type { Clock, Messages, Places, Results } from '../../cli/context.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import {
  elapsedMs,
  type SavedProgress,
  savedProgress,
  savedStatus,
  stateDocument,
  timeLeftMs,
} from '../../core/archive/resume/describe-state.js';
import type { FoundState } from '../../core/archive/resume/state-folder.js';
import { formatBytes, formatCount, formatDuration } from '../../ui/format.js';
import { ofKnown } from '../kit/lines.js';
import { stateFolder } from '../kit/saved.js';
import { type Column, column, numbers, tableText, type TableContext } from '../kit/table.js';

export const command = defineCommand({
  path: 'resume list',
  summary: 'list uploads that can be resumed',
  description:
    'Shows what ~/.archiver/state holds: uploads that were interrupted, that are running now, or that are complete and ' +
    'could not clear their state away. Nothing is asked of any store.',
  examples: ['archiver resume list', 'archiver resume list --json'],
  exits: { 0: 'listed', 1: 'the folder cannot be read', 3: 'listed, but some saved uploads are damaged or newer' },
  async run(_values, _args, context: Results<'resume list'> & Messages & Clock & Pick<Places, 'home'> & TableContext) {
    const { findUploads } = await import('../../core/archive/resume/state-folder.js');
    const folder = stateFolder(context);
    const found = await findUploads(folder, hostname());
    for (const { problem } of found) if (problem !== undefined) context.warn(problem.message);
    const nowMs = context.now().getTime();
    const none = `no uploads are saved in ${printable(folder)}\n`;
    const text = found.length === 0 ? none : await tableText(found, columnsAt(nowMs), context);
    context.result({ uploads: found.map((one) => stateDocument(one, nowMs)), folder }, () => text);
    return found.some(({ problem }) => problem !== undefined) ? 3 : 0;
  },
});

const columnsAt = (nowMs: number): readonly Column<FoundState>[] => [
  column('UPLOAD ID', ({ id }) => id),
  column('STATUS', savedStatus),
  column('SOURCE', ({ document: state }) => ofKnown(state?.sources.join(' '), printable), { isCuttable: true }),
  column('DESTINATION', ({ document: state }) => ofKnown(state?.destination, printable), {
    isCuttable: true,
    dropOrder: 3,
  }),
  numbers('FILES', (one) => ofKnown(savedProgress(one), filesText), { dropOrder: 2 }),
  numbers('SENT', (one) => ofKnown(savedProgress(one), sentText)),
  numbers('ELAPSED', ({ document: state }) => ofKnown(state, (known) => formatDuration(elapsedMs(known, nowMs))), {
    dropOrder: 1,
  }),
  numbers('LEFT', (one) => ofKnown(timeLeftMs(one, nowMs), formatDuration), { dropOrder: 4 }),
];

const filesText = ({ files, of }: SavedProgress): string => `${formatCount(files)} of ${formatCount(of.files)}`;

const sentText = ({ bytes, of }: SavedProgress): string => `${formatBytes(bytes)} of ${formatBytes(of.bytes)}`;
