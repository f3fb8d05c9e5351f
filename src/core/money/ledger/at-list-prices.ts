// Prices records anew by the list that comes with the program, without discounts and own prices: what a FOCUS table calls the list cost.
import { billOf } from '../../cost/cost-model.js';
import { microsOf } from '../../cost/money.js';
import { pricesIn, type PriceList } from '../../cost/price-table.js';
import { monthlyUsd } from '../../cost/stored-object.js';
import { ITEMS } from './make-record.js';
import type { CostLine, LedgerRecord } from './record.js';

const MICROS = 1e6;

/**
 * Returns the record with list prices of AWS. What the list does not tell keeps its recorded cost: fees for early deletion, regions without
 * a list, and other servers.
 */
export function atListPrices(record: LedgerRecord): LedgerRecord {
  const { provider, region, stored, measured } = record;
  if (provider !== 'aws') return record;
  const prices = pricesIn(region ?? undefined);
  const monthlyMicros = (changes: Parameters<typeof monthlyUsd>[0], recorded: number | null): number | null => {
    const usd = monthlyUsd(changes, prices);
    return usd === null ? recorded : Math.round(usd * MICROS);
  };
  return {
    ...record,
    lines: record.lines.map((line) => ({ ...line, costMicros: lineMicros(line, record, prices) })),
    monthlyMicros: monthlyMicros(stored, record.monthlyMicros),
    ...(measured && {
      measured: {
        ...measured,
        levels: measured.levels.map((level) => ({
          ...level,
          monthlyMicros: monthlyMicros([level], level.monthlyMicros),
        })),
      },
    }),
  };
}

function lineMicros(line: CostLine, { used }: LedgerRecord, prices: PriceList): number | null {
  const own = used.filter(({ kind, storageClass = null }) => {
    return ITEMS[kind] === line.item && storageClass === line.storageClass;
  });
  const { costUsd, lines } = billOf([['own', own]], prices);
  // Usage that is not in the record, such as fees, cannot be priced anew.
  return costUsd === null || lines[0]?.quantity !== line.quantity ? line.costMicros : microsOf(costUsd);
}
