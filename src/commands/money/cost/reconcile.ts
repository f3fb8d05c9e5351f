import { resolve } from 'node:path';
import type { Cancellation, Places, Results } from '../../../cli/context.js';
import { defineCommand } from '../../../cli/command.js';
import { flag } from '../../../cli/flag.js';
import { ArchiverError } from '../../../core/platform/failures/errors.js';
import type { Bill } from '../../../core/money/ledger/bill.js';
import type { ReconciledLine, ReconciledProject } from '../../../core/money/ledger/reconcile.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { formatQuantity } from '../../../ui/format.js';
import { formatUsd, shortUsd } from '../../../ui/format-usd.js';
import { fact, textOf } from '../../kit/lines.js';
import { periodDocument, periodText } from '../period-flags.js';
import { type LedgerContext, recordsOf } from '../spent.js';
import { column, numbers, tableText, type TableContext } from '../../kit/table.js';

const signed = (usd: number | null): string => `${usd === null || usd < 0 ? '' : '+'}${shortUsd(usd)}`;

const LINES = [
  column<ReconciledLine>('BUCKET', ({ bucket }) => printable(bucket), { isCuttable: true }),
  column<ReconciledLine>('FOR', ({ item }) => item),
  numbers<ReconciledLine>('RECORDED', ({ recordedUsd }) => shortUsd(recordedUsd)),
  numbers<ReconciledLine>('BILLED', ({ billedUsd }) => shortUsd(billedUsd)),
  numbers<ReconciledLine>('DIFFERENCE', ({ differenceUsd }) => signed(differenceUsd)),
];

const PROJECTS = [
  column<ReconciledProject>('PROJECT', ({ project }) => (project === null ? 'none' : printable(project)), {
    isCuttable: true,
  }),
  numbers<ReconciledProject>('RECORDED', ({ recordedUsd }) => shortUsd(recordedUsd)),
  numbers<ReconciledProject>('OF THE BILL', ({ billedUsd }) => shortUsd(billedUsd)),
];

export const command = defineCommand({
  path: 'cost reconcile',
  summary: 'compare what was recorded with the bill',
  description:
    'Reads a Cost and Usage Report of AWS or a FOCUS export (CSV, also gzipped; with resource ids), and shows for each ' +
    'bucket and line what was recorded in its time and what was billed. Projects get their share of the bill by what was ' +
    'recorded for them. Differences come from other programs and computers that use the bucket, discounts, free tiers, and ' +
    'from list prices that are not those of today. Nothing is sent anywhere, and the ledger stays as it is.',
  flags: {
    cur: flag.file({ placeholder: 'FILE', required: true, describe: 'the bill, as CSV or CSV.gz' }),
  },
  examples: ['archiver cost reconcile --cur acme-00001.csv.gz', 'archiver cost reconcile --cur focus.csv --json'],
  exits: { 0: 'compared', 1: 'the file cannot be read or is no bill, or the ledger cannot be read' },
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
    const found = reconcile(await recordsOf(context), bill);
    const { period, lines, projects, recordedUsd, billedUsd, otherBilledUsd } = found;
    const tables = [await tableText(lines, LINES, context), await tableText(projects, PROJECTS, context)];
    const { period: _, ...days } = await periodDocument(period);
    const daysText = (await periodText(period)).replace('all, ', '');
    const amounts = { recordedUsd, billedUsd, otherBilledUsd };
    const counts = { rows: bill.rows, otherRows: bill.otherRows };
    context.result(
      { billForm: bill.form, ...days, ...amounts, ...counts, billLines: lines, billProjects: projects },
      () =>
        [
          textOf([
            `recorded ${formatUsd(recordedUsd)}, billed ${formatUsd(billedUsd)}`,
            fact('period', daysText),
            fact(
              'other',
              `${formatUsd(otherBilledUsd)} of S3 in buckets without records; ${formatQuantity(bill.otherRows, 'row')} of other services`,
            ),
          ]),
          ...tables,
        ].join('\n'),
    );
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
