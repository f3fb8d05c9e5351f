import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { program } from '../../../src/commands/index.js';
import { appendRecords } from '../../../src/core/money/ledger/ledger.js';
import { ledgerRecord } from '../../support/ledger-record.js';
import { runCommand } from '../../support/run-command.js';
import { tempFolder } from '../../support/temp-folder.js';
import { type FocusValidator, focusValidator } from '../../servers/focus-validator.js';

const INSTALL_MS = 900_000;
/** Columns of what S3 has not (docs/decisions/071-bills.md): each of their rules fails, and each that asks for one of them. */
const LEFT_OUT = [
  'AvailabilityZone',
  'BillingAccountType',
  'CapacityReservation(?:Id|Status)',
  'CommitmentDiscount(?:Category|Id|Name|Quantity|Status|Type|Unit)',
  'SubAccountType',
].join('|');
const OF_WHAT_S3_HAS_NOT = new RegExp(
  `^(?:(?:${LEFT_OUT})-C-\\d|CostAndUsage-D-\\d+-C: .*Column '(?:${LEFT_OUT})'|CostAndUsage-D-00[012]-M: .* AND failed)`,
);
/**
 * The specification wants no invoice id where there is no invoice, and one where there is; the validator asks for both of each row, and takes
 * either (InvoiceId-C-003-C).
 */
const OF_INVOICES = /^InvoiceId-C-005-C:/;

let validator: FocusValidator | string = '';

beforeAll(async () => void (validator = await focusValidator()), INSTALL_MS);
afterAll(async () => {
  if (typeof validator !== 'string') await validator.remove();
});

const line = (item: string, quantity: number, costMicros: number | null, storageClass: string | null = null) => {
  return { item, storageClass, quantity, costMicros };
};
const once = { stored: [], monthlyMicros: 0 };
/** Two months, all kinds of lines, odd names, and a line without a price. */
const RECORDS = [
  ledgerRecord({ time: '2026-02-10T12:00:00.000Z' }),
  ledgerRecord({
    ...once,
    time: '2026-03-10T12:00:00.000Z',
    project: null,
    used: [
      { kind: 'kms', quantity: 1000 },
      { kind: 'transferOut', quantity: 2 ** 33 },
    ],
    // With a discount of a quarter.
    lines: [line('kms', 1000, 2250), line('transfer', 2 ** 33, 540_000)],
    costMicros: 542_250,
  }),
  ledgerRecord({
    ...once,
    time: '2026-03-11T12:00:00.000Z',
    project: 'Größe, "β" 項目',
    lines: [
      line('retrieval', 7, 1, 'GLACIER'),
      line('temporaryCopy', 12345, 1, 'STANDARD'),
      line('earlyDeletion', 2 ** 30, 99_000_000_123, 'DEEP_ARCHIVE'),
      line('upload', 0, 3),
    ],
    costMicros: 99_000_000_128,
  }),
  ledgerRecord({
    time: '2026-03-12T12:00:00.000Z',
    store: 's3://elsewhere/x',
    provider: 'other',
    region: null,
    lines: [line('requests', 34, null, 'STANDARD')],
    costMicros: null,
    monthlyMicros: null,
  }),
];

test('a FOCUS table of two months, all kinds of lines and odd names fails no rule of the validator but of what S3 has not', async ({
  skip,
}) => {
  if (typeof validator === 'string') {
    skip(validator);
    return;
  }
  const folder = await tempFolder();
  await appendRecords(join(folder, 'home', 'ledger'), RECORDS, { host: 'here' });
  const now = (): Date => new Date('2026-03-31T12:00:00.000Z');
  const report = ['cost', 'report', '--format', 'focus', '--period', 'all', '--output', 'focus.csv'];
  const { status } = await runCommand({ root: program(), folder, now }, report);

  const { failed, passed, skipped } = await validator.validate(join(folder, 'focus.csv'));

  const known = failed.filter((rule) => OF_WHAT_S3_HAS_NOT.test(rule) || OF_INVOICES.test(rule));
  process.stderr.write(
    `focus-validator: ${passed + failed.length} rules checked (${skipped} do not apply), ${failed.length} failing, ` +
      `${known.length} of them for what S3 has not, as docs/decisions/071-bills.md lists them\n`,
  );
  expect(status).toBe(0);
  expect(failed.filter((rule) => !known.includes(rule))).toEqual([]);
  expect(passed).toBeGreaterThan(285);
});
