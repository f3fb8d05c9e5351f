// What a copy costs at most: reading what is missing where it is, and storing it where it goes. Budgets are asked for both.
import type { Context, Pricing } from '../../cli/context.js';
import type { GateAnswer, SlotValues } from '../../cli/slots.js';
import { roundedUsd, type Usd } from '../../core/cost/money.js';
import { estimateRetrieval, type RetrievalEstimate } from '../../core/cost/retrieval-cost.js';
import type { StoredObject } from '../../core/cost/stored-object.js';
import { oneTimeUsd, uploadCost, type UploadEstimate, type UploadPlace } from '../../core/cost/upload-cost.js';
import type { EventSink } from '../../core/events/events.js';
import type { NeededObject } from '../../core/mend/copy/needed-objects.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { formatUsd } from '../../ui/format-usd.js';
import { bytesOf, fact } from '../kit/lines.js';
import { priceSourceText } from '../kit/price-lines.js';
import { pricedBy } from '../kit/prices.js';
import { dryRunGate, dryRunRetrievalGate, retrievalGate, uploadGate } from '../kit/slots.js';

export interface CopyAmounts {
  readonly missing: readonly NeededObject[];
  /** Versions that are made: each has a record. */
  readonly records: number;
  readonly from: OpenedStore;
  readonly to: OpenedStore;
  /** True for objects about which budgets were asked before. */
  readonly isAsked?: ((key: string) => boolean) | undefined;
  readonly values: SlotValues & {
    readonly storageClass: string;
    readonly kmsKeyId: string | undefined;
    readonly project?: string | undefined;
  };
}

const isFolder = ({ store }: OpenedStore): boolean => store.url.startsWith('file:');

function readingCost({ missing, from }: CopyAmounts, context: Pricing): RetrievalEstimate {
  const { region, isAws } = from;
  const chunks = missing.map(({ sizeBytes, storageClass }) => ({ sizeBytes, storageClass, isReadable: true }));
  const place = { ...pricedBy(context, from), region, isAws, isFolder: isFolder(from) };
  return estimateRetrieval({ ...place, chunks, tier: 'standard', days: 0 });
}

/** About the size of a version record. */
const RECORD_BYTES = 1024;

const storedObjects = ({ missing, records, values }: CopyAmounts): readonly StoredObject[] => [
  ...missing.map(({ sizeBytes, kind }) => ({
    sizeBytes,
    storageClass: kind === 'listing' ? 'STANDARD' : values.storageClass,
  })),
  { sizeBytes: RECORD_BYTES, storageClass: 'STANDARD', count: records },
];

const targetOf = ({ to, values }: CopyAmounts): Omit<UploadPlace, 'provider'> => ({
  region: to.region,
  isAws: to.isAws,
  isFolder: isFolder(to),
  usesKms: values.kmsKeyId !== undefined,
});

function storingCost(amounts: CopyAmounts, context: Pricing): UploadEstimate {
  const { provider, book } = pricedBy(context, amounts.to);
  return uploadCost(storedObjects(amounts), { ...targetOf(amounts), provider }, book);
}

/** Asks budgets before anything is read or sent. @throws what keeps the copy from beginning */
export async function askBudgets(amounts: CopyAmounts, emit: EventSink, context: Context): Promise<void> {
  const { missing, to, values } = amounts;
  if (missing.length === 0) return;
  const { project = null } = values;
  const { costUsd } = readingCost(amounts, context);
  await retrievalGate({ ...values }, uploadOf(missing), context)({ costUsd, project });
  const stored = { ...amounts, missing: missing.filter(({ key }) => amounts.isAsked?.(key) !== true) };
  await uploadGate({ ...values }, context)(emit)({
    bytes: bytesOf(stored.missing),
    billAt: ({ provider = to.runBy, book }) =>
      uploadCost(storedObjects(stored), { ...targetOf(stored), provider }, book),
  });
}

/** Names the copy where budgets are asked for an upload; the project says whose they are. */
const uploadOf = ([first]: readonly NeededObject[]): string => first?.key.split('/')[1] ?? '';

export interface PlannedCost {
  readonly reading: RetrievalEstimate;
  readonly storing: UploadEstimate;
  readonly gates: GateAnswer;
}

/** What a dry run says of costs and budgets. @throws what keeps budgets from being asked */
export async function plannedCost(amounts: CopyAmounts, context: Context): Promise<PlannedCost> {
  const { missing, values } = amounts;
  const reading = readingCost(amounts, context);
  const storing = storingCost(amounts, context);
  if (missing.length === 0) return { reading, storing, gates: { document: {}, lines: [] } };
  const { project = null } = values;
  const retrieval = { costUsd: reading.costUsd, project, uploadId: uploadOf(missing) };
  const read = await dryRunRetrievalGate(values, retrieval, context);
  const stored = await dryRunGate(values, { bytes: bytesOf(missing), costUsd: storing.costUsd }, context);
  return { reading, storing, gates: joined(read, stored) };
}

const joined = (a: GateAnswer, b: GateAnswer): GateAnswer => ({
  document: {
    wouldRefuse: a.document.wouldRefuse === true || b.document.wouldRefuse === true,
    budgetChecks: [...(a.document.budgetChecks ?? []), ...(b.document.budgetChecks ?? [])],
  },
  lines: [...a.lines, ...b.lines],
});

const monthlyUsd = ({ lines }: UploadEstimate): Usd => lines.find(({ item }) => item === 'storage')?.costUsd ?? null;

/** Keys of JSON. */
export const costDocument = ({ reading, storing, gates }: PlannedCost) => ({
  readUsd: roundedUsd(reading.costUsd),
  requestsUsd: roundedUsd(oneTimeUsd(storing)),
  monthlyUsd: roundedUsd(monthlyUsd(storing)),
  wouldRefuse: false,
  budgetChecks: [],
  ...gates.document,
});

/** Lines for people; none about a folder, which costs nothing. */
export function costLines({ reading, storing, gates }: PlannedCost, { from, to }: CopyAmounts): readonly string[] {
  const lines: string[] = [];
  if (!isFolder(from))
    lines.push(
      fact(
        'reading',
        `${formatUsd(reading.costUsd)} at most, with transfer to the internet (${priceSourceText(reading)})`,
      ),
    );
  if (!isFolder(to)) {
    const month = `storage ${formatUsd(monthlyUsd(storing))} a month at most`;
    lines.push(fact('cost', `${month}, requests ${formatUsd(oneTimeUsd(storing))} once (${priceSourceText(storing)})`));
  }
  return [...lines, ...gates.lines];
}
