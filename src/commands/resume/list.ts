import { defineCommand } from '../../cli/command.js';

export const command = defineCommand({
  path: 'resume list',
  summary: 'list uploads that can be resumed',
  description:
    'Shows what ~/.archiver/state holds: uploads that were interrupted, that are running now, or that are complete and ' +
    'could not clear their state away. Nothing is asked of any store.',
  examples: ['archiver resume list', 'archiver resume list --json'],
  exits: { 0: 'listed', 1: 'the folder cannot be read', 3: 'listed, but some saved uploads are damaged or newer' },
  async run(_values, _args, context) {
    const { runResumeList } = await import('./run-list.js');
    return runResumeList(context);
  },
});
