import { arg } from '../../cli/arg.js';
import { defineCommand } from '../../cli/command.js';
import type { Context } from '../../cli/context.js';
import { conflicts } from '../../cli/rule.js';
import { flags, LEAST_REFRESH_MS } from './flags.js';

export const command = defineCommand({
  path: 'dashboard',
  summary: 'show spending, budgets and uploads on a full screen',
  description:
    'Shows what this computer knows: the cost ledger, budgets, and uploads that run or can be continued. Nothing is asked of any store ' +
    'for that, but for budgets that are kept in a bucket, which are read when it opens and with R, and for a ledger that machines share ' +
    '(ARCHIVER_LEDGER_STORE), which is read once a minute at most. What is shown is read again at each ' +
    'refresh; running uploads of this computer are followed twice a second. ? lists the keys.\n' +
    'With S3_URL three more views: the uploads of the store, what it costs and could save, and the writers of its fleet; and Uploads shows plans of the last eight days that are no versions yet, with what is done of their parts. Each reads the store ' +
    'while it is shown; heartbeats are read for the overview, too, once a minute at most, with one HEAD at each refresh between, which tells whether the store answers. A scan of the store begins when a is pressed, and never by itself.\n' +
    '--once prints one view and ends; with --json as a document. It needs no terminal, and never scans: archiver analyze does.',
  args: [arg.url('S3_URL', { describe: 'the store: bucket and prefix, or a folder', optional: true })],
  flags,
  rules: [
    conflicts('once', ['refresh']),
    {
      kind: 'check',
      text: '--refresh is at least 1s',
      ok: ({ refresh }: { readonly refresh: number }) => refresh >= LEAST_REFRESH_MS,
    },
  ],
  examples: [
    'archiver dashboard',
    'archiver dashboard s3://acme-archive/lab --refresh 30s',
    'archiver dashboard --once --view uploads --json',
  ],
  exits: { 0: 'left, or printed', 1: 'a part of what --once prints could not be read' },
  hasScreen: true,
  async run(values, [url], context: Context<'dashboard'>) {
    const { runDashboard } = await import('./run-dashboard.js');
    return await runDashboard(values, url, context);
  },
});
