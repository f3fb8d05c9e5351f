// Computes what a template saves, month by month, for content that is uploaded to STANDARD on the first day and never read. A month has the
// number of days that prices are for. The requests of a move count in the month of the move.
import { roughlyPlanned } from '../../archive/plan/planned-upload.js';
import { autoShardCount } from '../../archive/run/shard-strategy.js';
import { billOf, type Usage } from '../../cost/cost-model.js';
import { sumOf, type Usd } from '../../cost/money.js';
import { classRule, DAYS_A_MONTH, originOf, type PriceList, type PriceOrigin } from '../../cost/price-table.js';
import { type StoredObject, storedObject } from '../../cost/stored-object.js';
import type { Template } from './templates.js';

const SHOWN_MONTHS = 12;

/** INTELLIGENT_TIERING prices objects that were not read for so many days like these classes. */
const IDLE_TIERS = [
  { days: 30, pricedAs: 'STANDARD_IA' },
  { days: 90, pricedAs: 'GLACIER_IR' },
] as const;
const TIERING = 'INTELLIGENT_TIERING';

interface Stage {
  readonly fromDay: number;
  readonly storageClass: string;
  readonly pricedAs: string;
}

export interface MonthSaving {
  /** Counted from 1. */
  readonly month: number;
  readonly standardUsd: Usd;
  readonly templateUsd: Usd;
  /** Negative when the moves cost more than they save. */
  readonly savingUsd: Usd;
}

export interface Savings extends PriceOrigin {
  readonly bytes: number;
  readonly objects: number;
  readonly months: readonly MonthSaving[];
  /** Sum of all months shown. */
  readonly savingUsd: Usd;
  /** Days that the content must then stay in its last class; they are billed in any case. */
  readonly minimumDays: number | null;
}

function stagesOf({ transitions }: Template): readonly Stage[] {
  const stages = transitions.flatMap(({ Days, StorageClass }): Stage[] => [
    { fromDay: Days, storageClass: StorageClass, pricedAs: StorageClass },
    ...(StorageClass === TIERING
      ? IDLE_TIERS.map(({ days, pricedAs }) => ({ fromDay: Days + days, storageClass: StorageClass, pricedAs }))
      : []),
  ]);
  return [{ fromDay: 0, storageClass: 'STANDARD', pricedAs: 'STANDARD' }, ...stages];
}

/** Returns the usage of keeping an object in this stage for so many days. */
const keeping = (object: StoredObject, { storageClass, pricedAs }: Stage, days: number, prices: PriceList): Usage[] =>
  storedObject({ ...object, storageClass }, days, prices).map((usage) =>
    usage.kind === 'storage' && usage.storageClass === storageClass ? { ...usage, storageClass: pricedAs } : usage,
  );

/** Returns the savings for `bytes` in chunks of the size that an upload makes. */
export function templateSavings(template: Template, bytes: number, prices: PriceList): Savings {
  const content = { storageClass: 'STANDARD', files: 0, bytes, packedBytes: bytes };
  const objects = [...roughlyPlanned(content, autoShardCount(bytes)).objects()];
  const count = objects.reduce((sum, one) => sum + (one.count ?? 1), 0);
  const stages = stagesOf(template);
  const costOf = (used: readonly Usage[]): Usd => billOf([['all', used]], prices).costUsd;
  const standardUsd = costOf(objects.flatMap((object) => storedObject(object, undefined, prices)));
  const months = Array.from({ length: SHOWN_MONTHS }, (_, index): MonthSaving => {
    const [from, to] = [index * DAYS_A_MONTH, (index + 1) * DAYS_A_MONTH];
    const stored = stages.flatMap((stage, position) => {
      const until = stages[position + 1]?.fromDay ?? Number.POSITIVE_INFINITY;
      const days = Math.min(to, until) - Math.max(from, stage.fromDay);
      return days > 0 ? objects.flatMap((object) => keeping(object, stage, days, prices)) : [];
    });
    const moves = template.transitions
      .filter(({ Days }) => Days >= from && Days < to)
      .map(({ StorageClass }): Usage => ({ kind: 'transition', storageClass: StorageClass, quantity: count }));
    const templateUsd = costOf([...stored, ...moves]);
    return { month: index + 1, standardUsd, templateUsd, savingUsd: difference(standardUsd, templateUsd) };
  });
  const last = template.transitions.at(-1)?.StorageClass ?? 'STANDARD';
  return {
    bytes,
    objects: count,
    months,
    savingUsd: sumOf(months.map(({ savingUsd }) => savingUsd)),
    minimumDays: classRule(prices, last)?.minStorageDays ?? null,
    ...originOf(prices),
  };
}

const difference = (a: Usd, b: Usd): Usd => (a === null || b === null ? null : a - b);

/** Returns the cost of the requests that move so many objects through the whole template. */
export const movingCost = ({ transitions }: Template, objects: number, prices: PriceList): Usd =>
  billOf(
    transitions.map(({ StorageClass }) => [
      StorageClass,
      [{ kind: 'transition', storageClass: StorageClass, quantity: objects }],
    ]),
    prices,
  ).costUsd;
