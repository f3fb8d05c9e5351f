import { defineCommand } from '../../../cli/command.js';
import type { Results } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import type { TaggedSum } from '../../../core/money/ledger/provenance.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { formatBytes, formatCount } from '../../../ui/format.js';
import {
  amountOf,
  ESTIMATED,
  type LedgerContext,
  recordedIn,
  refuseIdleAccess,
  ledgerFlags,
  spentDocument,
  spentFacts,
  USED_COLUMNS,
} from '../spent.js';
import { chosenPeriod, periodFlags, periodRules } from '../period-flags.js';
import { column, fitLines, numbers, tableText, type TableContext } from '../../kit/table.js';

const COMMIT = /^[0-9a-f]{4,40}$/;

const COLUMNS = [
  column<TaggedSum>('STAGE', ({ dvcStage }) => (dvcStage === null ? undefined : printable(dvcStage)), {
    isCuttable: true,
  }),
  column<TaggedSum>('COMMIT', ({ gitCommit }) => gitCommit?.slice(0, 12)),
  numbers<TaggedSum>('RUNS', ({ runs }) => formatCount(runs)),
  numbers<TaggedSum>('STORED', ({ storedBytes }) => formatBytes(storedBytes)),
  ...USED_COLUMNS,
  numbers<TaggedSum>('COST', amountOf),
];

export const command = defineCommand({
  path: 'cost summary',
  summary: 'show what the uploads of a DVC stage or a git commit have cost',
  description:
    'Uploads are tagged with what --dvc-stage and --git-metadata record. Without flags, every stage and commit is shown. ' +
    'Storage counts until the end of the period, as long as it is not pruned.',
  flags: {
    byDvcStage: flag.text({ placeholder: 'NAME', describe: 'only uploads of this DVC stage' }),
    gitCommit: flag.text({
      placeholder: 'SHA',
      describe: 'only uploads of this commit; four digits or more of it',
    }),
    ...periodFlags('all'),
    ...ledgerFlags,
  },
  rules: [
    ...periodRules,
    {
      kind: 'check',
      text: '--git-commit is a commit: 4 to 40 hex digits',
      ok: ({ gitCommit }) => gitCommit === undefined || COMMIT.test(gitCommit.toLowerCase()),
    },
  ],
  examples: ['archiver cost summary', 'archiver cost summary --by-dvc-stage train --git-commit 4f2a91c'],
  exits: { 0: 'shown; also when nothing is tagged so', 1: 'the ledger cannot be read' },
  async run(values, _args, context: Results<'cost summary'> & LedgerContext & TableContext) {
    const { taggedSpend } = await import('../../../core/money/ledger/provenance.js');
    const filter = { dvcStage: values.byDvcStage, gitCommit: values.gitCommit?.toLowerCase() };
    refuseIdleAccess(context);
    const { records: all, unreadLines } = await recordedIn(context);
    const own = all.filter(({ region }) => values.inRegion === undefined || region === values.inRegion);
    const { sums, report } = taggedSpend(own, filter, await chosenPeriod(values, context));
    const spent = { report, all, unreadLines };
    const table = await tableText(sums, COLUMNS, context);
    const facts = await fitLines(await spentFacts(spent), context);
    const ends = await fitLines(['', ESTIMATED], context);
    context.result({ ...(await spentDocument(spent)), tagged: sums }, () =>
      sums.length === 0
        ? 'no recorded upload is tagged so; upload with --dvc-stage or --git-metadata\n'
        : `${facts}\n${table}${ends}`,
    );
  },
});
