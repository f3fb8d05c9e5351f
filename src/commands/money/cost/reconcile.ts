import { resolve } from 'node:path';
import type { Cancellation, Places, Results } from '../../../cli/context.js';
import { defineCommand } from '../../../cli/command.js';
import { flag } from '../../../cli/flag.js';
import { ArchiverError } from '../../../core/platform/failures/errors.js';
import { nearestUsd } from '../../../core/cost/money.js';
import type { Bill } from '../../../core/money/ledger/bill.js';
import type { Reconciled, ReconciledLine } from '../../../core/money/ledger/reconcile.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { formatQuantity } from '../../../ui/format.js';
import { fineUsd, formatUsd } from '../../../ui/format-usd.js';
import { fact, ofKnown } from '../../kit/lines.js';
import { accessFlags } from '../../kit/flags.js';
import { periodDocument, periodText } from '../period-flags.js';
import { type LedgerContext, recordsOf, refuseIdleAccess } from '../spent.js';
import { column, fitLines, numbers, tableText, type TableContext } from '../../kit/table.js';

const signed = (usd: number | null): string => `${usd === null || usd < 0 ? '' : '+'}${fineUsd(usd)}`;

const GOES_TO = { projects: 'projects', shared: 'shared by use', notOurs: 'not ours' } as const;

const LINES = [
  column<ReconciledLine>('BUCKET', ({ bucket }) => (bucket === '' ? '(none)' : printable(bucket)), {
    isCuttable: true,
  }),
  column<ReconciledLine>('FOR', ({ item }) => item),
  numbers<ReconciledLine>('RECORDED', ({ recordedUsd }) => fineUsd(recordedUsd), { dropOrder: 2 }),
  numbers<ReconciledLine>('BILLED', ({ billedUsd }) => fineUsd(billedUsd)),
  numbers<ReconciledLine>('DIFFERENCE', ({ differenceUsd }) => signed(differenceUsd), { dropOrder: 1 }),
  column<ReconciledLine>('GOES TO', ({ goesTo }) => GOES_TO[goesTo], { dropOrder: 3 }),
];

/** A row of the table that adds up to the bill. */
interface Share {
  readonly name: string;
  readonly recordedUsd?: number | null;
  readonly billedUsd?: number;
  readonly sharedUsd?: number;
  readonly totalUsd: number;
}

const SHARES = [
  column<Share>('PROJECT', ({ name }) => name, { isCuttable: true }),
  numbers<Share>('RECORDED', ({ recordedUsd }) => ofKnown(recordedUsd, fineUsd), { dropOrder: 3 }),
  numbers<Share>('BILLED', ({ billedUsd }) => ofKnown(billedUsd, fineUsd), { dropOrder: 2 }),
  numbers<Share>('SHARED BY USE', ({ sharedUsd }) => ofKnown(sharedUsd, fineUsd), { dropOrder: 1 }),
  numbers<Share>('OF THE BILL', ({ totalUsd }) => fineUsd(totalUsd)),
];

/** The projects, and below them all else that the bill has: the last column adds up to it. */
const sharesOf = ({
  projects,
  otherBilledUsd,
  creditsUsd,
  refundsUsd,
  taxesUsd,
  totalUsd,
}: Reconciled): readonly Share[] => [
  ...projects.map(({ project, ...own }) => {
    const name = project === null ? '(no project)' : printable(project);
    return { name, ...own, totalUsd: nearestUsd(own.billedUsd + own.sharedUsd) };
  }),
  ...(
    [
      ['(not ours)', otherBilledUsd],
      ['(credits)', creditsUsd],
      ['(refunds)', refundsUsd],
      ['(taxes)', taxesUsd],
    ] as const
  )
    .filter(([, usd]) => usd !== 0)
    .map(([name, usd]) => ({ name, totalUsd: usd })),
  { name: '(the bill)', totalUsd },
];

export const command = defineCommand({
  path: 'cost reconcile',
  summary: 'compare what was recorded with the bill',
  description:
    'Reads a Cost and Usage Report of AWS or a FOCUS export (CSV, also gzipped; with resource ids), and shows for each ' +
    'bucket and line what was recorded in its time (days of UTC) and what was billed. Every line of S3 goes to projects, by what ' +
    'was recorded for them; where nothing was recorded for the line, it is shared by what projects used of the bucket; or it is not ' +
    'ours, in buckets without records. Credits, refunds and taxes stand apart, and all of it adds up to the bill. Requests to KMS ' +
    'are billed by another service and left out. Differences come from other programs and computers that use the bucket, discounts, free tiers, and ' +
    'from list prices that are not those of today. Nothing is sent anywhere, and the ledger stays as it is.',
  flags: {
    ...accessFlags,
    cur: flag.file({ placeholder: 'FILE', required: true, describe: 'the bill, as CSV or CSV.gz' }),
  },
  usesUtc: () => true,
  examples: ['archiver cost reconcile --cur acme-00001.csv.gz', 'archiver cost reconcile --cur focus.csv --json'],
  exits: {
    0: 'compared',
    1: 'the file cannot be read, is no bill or has no resource ids, or the ledger cannot be read',
  },
  async run(
    values,
    _args,
    context: Results<'cost reconcile'> & Cancellation & Pick<Places, 'cwd'> & LedgerContext & TableContext,
  ) {
    const { reconcile } = await import('../../../core/money/ledger/reconcile.js');
    const bill = await billIn(values.cur, context);
    if (bill.from === null)
      throw new ArchiverError('not-found', `${printable(values.cur)} has no line of S3`, {
        hint: 'it is a bill of other services, or of a time without storage',
      });
    refuseIdleAccess(context);
    const found = reconcile(await recordsOf(context), bill);
    const { period, projects: billProjects, lines: billLines, ...amounts } = found;
    const { otherBilledUsd, recordedUsd, billedUsd, totalUsd } = amounts;
    const ours = billLines.filter(({ goesTo }) => goesTo !== 'notOurs');
    const tables = [await tableText(ours, LINES, context), await tableText(sharesOf(found), SHARES, context)];
    const { period: _, ...days } = await periodDocument(period);
    const daysText = (await periodText(period)).replace('all, ', '');
    const { rows, otherRows } = bill;
    const head = await fitLines(
      [
        `recorded ${formatUsd(recordedUsd)}, billed ${formatUsd(billedUsd)} of ${formatUsd(totalUsd)}`,
        fact('period', daysText),
        fact('not ours', `${formatUsd(otherBilledUsd)} of S3 in buckets without records, or in none`),
        fact('others', `${formatQuantity(otherRows, 'row')} of other services`),
      ],
      context,
    );
    const document = { billForm: bill.form, ...days, ...amounts, rows, otherRows, billLines, billProjects };
    context.result(document, () => [head, ...tables].join('\n'));
  },
});

async function billIn(path: string, { cwd, signal }: Cancellation & Pick<Places, 'cwd'>): Promise<Bill> {
  const { createReadStream } = await import('node:fs');
  const { createGunzip } = await import('node:zlib');
  const { pipeline } = await import('node:stream');
  const { csvRows } = await import('../../../core/platform/text/csv.js');
  const { readBill } = await import('../../../core/money/ledger/bill.js');
  const { fileFailure } = await import('../../../core/platform/failures/file-failure.js');
  const { isArchiverError } = await import('../../../core/platform/failures/errors.js');
  const file = createReadStream(resolve(cwd, path), { signal });
  const bytes = path.endsWith('.gz') ? pipeline(file, createGunzip(), () => undefined) : file;
  try {
    return await readBill(csvRows(bytes.setEncoding('utf8') as AsyncIterable<string>));
  } catch (error) {
    if (isArchiverError(error)) throw error;
    throw fileFailure('read', path, error);
  } finally {
    bytes.destroy();
    file.destroy();
  }
}
