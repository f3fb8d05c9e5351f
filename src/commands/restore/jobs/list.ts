import { defineCommand } from '../../../cli/command.js';

export const command = defineCommand({
  path: 'restore jobs list',
  summary: 'list restores that wait for cold storage',
  description:
    'Shows what ~/.archiver/restore-jobs holds, oldest first, as it was when the store was asked last; nothing is asked ' +
    'of any store now. pending: not all chunks can be read yet. ready: all can. downloading, or interrupted when its ' +
    'process is gone. completed. failed: some of it could not be had.',
  examples: ['archiver restore jobs list', 'archiver restore jobs list --json'],
  exits: { 0: 'listed', 1: 'the folder cannot be read', 3: 'listed, but some jobs are damaged or newer' },
  async run(_values, _args, context) {
    const { runJobsList } = await import('./run-list.js');
    return runJobsList(context);
  },
});
