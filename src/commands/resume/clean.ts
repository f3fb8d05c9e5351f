import { hostname } from 'node:os';
import { defineCommand } from '../../cli/command.js';
import type { Clock, Origins, Places, Results } from '../../cli/context.js';
import { flag, type Values } from '../../cli/flag.js';
import { savedStatus } from '../../core/archive/resume/describe-state.js';
import type { FoundState } from '../../core/archive/resume/state-folder.js';
import { isGiven } from '../kit/run.js';
import { isDamaged, ORPHAN_MS, removalText, stateFolder } from '../kit/saved.js';

const flags = {
  olderThan: flag.duration({
    default: '24h',
    describe: 'only what has not been written to for this long: 24h, 7d, 168h; 0 for any age',
  }),
  completed: flag.on({ describe: 'only uploads that are complete, of any age unless --older-than is given' }),
  dryRun: flag.on({ describe: 'show what would be removed, remove nothing' }),
};

export const command = defineCommand({
  path: 'resume clean',
  summary: 'remove saved upload state from this computer',
  description:
    'An upload whose state is removed cannot be resumed any more. What is running is never touched, and neither is any ' +
    'store: chunks that an interrupted upload has sent stay there until `archiver dataset prune` takes them as abandoned.\n' +
    'Files that killed processes left there (of any age above an hour) go as well. An upload that succeeds removes its own state; one that is complete and still listed was stopped in between.',
  flags,
  examples: [
    'archiver resume clean',
    'archiver resume clean --older-than 7d --dry-run',
    'archiver resume clean --completed',
  ],
  exits: { 0: 'removed, or there was nothing to remove', 1: 'the folder cannot be read or written' },
  async run(values, _args, context: Results<'resume clean'> & Clock & Origins & Pick<Places, 'home'>) {
    const { savedUploads } = await import('../../core/archive/resume/state-folder.js');
    const folder = stateFolder(context);
    const saved = savedUploads(folder);
    const found = await saved.findAll(hostname());
    const { dryRun } = values;
    const olderThanMs = values.completed && !isGiven(context, 'olderThan') ? 0 : values.olderThan;
    const before = context.now().getTime() - olderThanMs;
    const chosen = found.filter((one) => isChosen(one, before, values));
    if (!dryRun) for (const { id } of chosen) await saved.remove(id);
    const orphans = await saved.removeOrphans(context.now().getTime() - ORPHAN_MS, dryRun);
    const removed = chosen.map((one) => ({ uploadId: one.id, status: savedStatus(one) }));
    const kept = found.length - chosen.length;
    context.outcome({ removed, keptCount: kept, orphans, dryRun, folder }, () => {
      const named = chosen.map((one) => ({ id: one.id, status: savedStatus(one), url: one.document?.storeUrl }));
      return removalText(
        { noun: 'saved upload', dryRun, removed: named, kept, orphans },
        chosen.some(hasSent) ? [STAYS] : [],
      );
    });
  },
});

const STAYS = 'The stores were not touched: what was sent stays there until `archiver dataset prune`.';

function isChosen(one: FoundState, before: number, { completed }: Values<typeof flags>): boolean {
  const status = savedStatus(one);
  if (status === 'running' || (completed && status !== 'complete')) return false;
  if (one.document === undefined) return isDamaged(one) && one.writtenMs <= before;
  return Date.parse(one.document.updatedAt) <= before;
}

const hasSent = ({ document: state }: FoundState): boolean =>
  state !== undefined && state.status !== 'complete' && state.done.chunks > 0;
