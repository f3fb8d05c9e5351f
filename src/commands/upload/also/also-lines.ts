// What is said of the other stores of an upload.
import type { UploadReport } from '../../../cli/slots.js';
import type { RequestCounts } from '../../../core/store/object-store.js';
import type { Usd } from '../../../core/cost/money.js';
import { roundedUsd } from '../../../core/cost/money.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { formatUsd } from '../../../ui/format-usd.js';
import { formatQuantity } from '../../../ui/format.js';
import { amountText, fact, INDENT } from '../../kit/lines.js';

/** What became of one of them. */
export interface AlsoRow {
  /** As people name it. */
  readonly store: string;
  readonly copyState: 'made' | 'there' | 'planned' | 'failed';
  /** Sent there, while the upload ran and after it. */
  readonly objects: number;
  readonly bytes: number;
  readonly requests: RequestCounts;
  readonly monthlyUsd?: Usd;
  readonly requestsUsd?: Usd;
  readonly problem?: string;
  /** What catches up. */
  readonly hint?: string;
}

/** The rows as keys of the document and lines of the result. */
export const alsoReport = (rows: readonly AlsoRow[]): UploadReport => ({
  document: {
    alsoStores: rows.map(({ store, monthlyUsd, requestsUsd, ...row }) => ({
      storeName: store,
      ...row,
      ...(monthlyUsd === undefined ? {} : { monthlyUsd: roundedUsd(monthlyUsd) }),
      ...(requestsUsd === undefined ? {} : { requestsUsd: roundedUsd(requestsUsd) }),
    })),
  },
  lines: rows.flatMap(linesOf),
  isPartial: rows.some(({ copyState }) => copyState === 'failed'),
});

function linesOf(row: AlsoRow): readonly string[] {
  const { store, copyState, objects, bytes, requests, problem = '', hint, monthlyUsd, requestsUsd } = row;
  const name = printable(store);
  const amount = amountText(objects, 'object', bytes);
  const count = Object.values(requests).reduce((sum, one: number) => sum + one, 0);
  const sent = `${amount}, ${formatQuantity(count, 'request')}`;
  switch (copyState) {
    case 'made':
      return [fact('also', `${name}: done (${sent})`)];
    case 'there':
      return [fact('also', `${name}: there already (${sent})`)];
    case 'planned': {
      const cost =
        monthlyUsd === undefined || requestsUsd === undefined
          ? ''
          : `; storage ${formatUsd(monthlyUsd)} a month at most, requests ${formatUsd(requestsUsd)} once`;
      return [fact('also', `${name}: ${amount} at most${cost}`)];
    }
    case 'failed':
      return [
        fact('also', `${name}: failed: ${printable(problem)}`),
        ...(hint === undefined ? [] : [`${INDENT}to catch up: ${hint}`]),
      ];
    default:
      return copyState satisfies never;
  }
}
