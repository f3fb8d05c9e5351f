// The output of an upload's dry run: what would go where, what that costs at most, and with --verbose each file.
import type { Context, Pricing, StreamedResults } from '../../cli/context.js';
import type { GateAnswer, SlotValues } from '../../cli/slots.js';
import type { PlannedClass, PlannedPath, PlannedUpload } from '../../core/archive/plan/planned-upload.js';
import type { Destination, UploadResult } from '../../core/archive/upload-result.js';
import { roundedBill } from '../../core/cost/cost-model.js';
import { sumOf } from '../../core/cost/money.js';
import { oneTimeUsd, type UploadEstimate, uploadCost } from '../../core/cost/upload-cost.js';
import { jsonOf } from '../../core/platform/json/document.js';
import { displayPath, printable } from '../../core/platform/paths/raw-path.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { formatUsd } from '../../ui/format-usd.js';
import { amountText, fact } from '../kit/lines.js';
import { inPieces } from '../kit/pieces.js';
import { priceListText, priceSourceText } from '../kit/price-lines.js';
import { pricedBy } from '../kit/prices.js';
import { dryRunGate } from '../kit/slots.js';

export interface DryRun extends UploadResult {
  readonly planned: PlannedUpload;
  readonly destination: Destination;
  readonly gates?: GateAnswer;
}

export const isDryRun = (result: UploadResult): result is DryRun =>
  result.planned !== undefined && result.destination !== undefined;

interface Plan {
  readonly planned: Pick<PlannedUpload, 'classes' | 'entries' | 'objects'>;
  readonly destination: Destination;
  /** Answers of the checks that an upload would have to pass. */
  readonly gates?: GateAnswer;
}

/** What a run would store, as budgets are asked about it. */
export interface GatedAmounts {
  readonly bytes: number;
  readonly costUsd: number | null;
}

/**
 * Adds to a plan what the checks before an upload would say; `more` is stored elsewhere by the same run. `values` are those of the flags.
 * @throws what the checks throw
 */
export async function withGates<P extends Plan>(
  plan: P,
  values: SlotValues,
  context: Context,
  more: readonly GatedAmounts[] = [],
): Promise<P> {
  let bytes = more.reduce((sum, one) => sum + one.bytes, 0);
  for (const { sizeBytes, count = 1 } of plan.planned.objects()) bytes += sizeBytes * count;
  if (bytes === 0) return plan;
  const costUsd = sumOf([estimateOf(plan, context).costUsd, ...more.map((one) => one.costUsd)]);
  return { ...plan, gates: await dryRunGate(values, { bytes, costUsd }, context) };
}

/** Estimates the upper limit of the cost. */
function estimateOf({ planned, destination }: Plan, context: Pricing): UploadEstimate {
  const { provider, book } = pricedBy(context, { runBy: destination.provider });
  return uploadCost(planned.objects(), { ...destination, provider, entries: planned.entries }, book);
}

/** The keys that a dry run adds to the document of an upload. */
export function plannedDocument(plan: Plan, context: Pricing) {
  const { planned, destination, gates } = plan;
  const { version, isListed } = destination;
  const estimate = estimateOf(plan, context);
  return {
    dryRun: true,
    dataset: { version: version === 0 ? null : version, isListed },
    classes: planned.classes,
    estimate: { ...estimate, ...roundedBill(estimate) },
    wouldRefuse: false,
    budgetChecks: [],
    ...gates?.document,
  };
}

/** Lines that say where the upload would go, what would be stored in which class, and what that costs. */
export function plannedFacts(plan: Plan & { readonly datasetId: string }, context: Pricing): string[] {
  return [fact('dataset', datasetText(plan.datasetId, plan.destination)), ...plannedCostFacts(plan, context)];
}

/** Lines that say what would be stored in which class, and what that costs. */
export function plannedCostFacts(plan: Plan, context: Pricing): string[] {
  const { planned, destination, gates } = plan;
  return [
    ...planned.classes.map((one) => fact(one.storageClass, classText(one))),
    ...costFacts(estimateOf(plan, context), destination),
    ...(gates?.lines ?? []),
  ];
}

/** Describes the current state of the dataset. */
function datasetText(datasetId: string, { version, isListed }: Pick<Destination, 'version' | 'isListed'>): string {
  const name = printable(datasetId);
  if (!isListed) return `${name}; this writer may not list the place, so what is there is not known`;
  return version === 0 ? `${name}, which has no version yet` : `${name}, which is at version ${version}`;
}

const classText = ({ files, bytes, objects, packedBytes }: PlannedClass): string =>
  `${amountText(files, 'file', bytes)}, in ${formatQuantity(objects, 'object')} of ${formatBytes(packedBytes)} before compression`;

/** Lines about the upper limit of the cost; none for a folder of this computer. */
function costFacts(estimate: UploadEstimate, { isFolder }: Pick<Destination, 'isFolder'>): string[] {
  if (isFolder || estimate.lines.every(({ quantity }) => quantity === 0)) return [];
  const storage = formatUsd(estimate.lines.find(({ item }) => item === 'storage')?.costUsd ?? null);
  const requests = formatUsd(oneTimeUsd(estimate));
  return [
    fact('cost', `storage ${storage} a month at most, requests ${requests} once`),
    fact('prices', listText(estimate)),
  ];
}

const listText = (estimate: UploadEstimate): string =>
  `${priceSourceText(estimate)}${priceListText(estimate) === undefined ? '' : ', as if nothing could be compressed'}`;

const STATES = { included: 'included', kept: 'metadata', unchanged: 'unchanged', leftOut: 'left out' } as const;
const STATE_WIDTH = 9;
const ABOUT_WIDTH = 12;

function pathLine({ path, state, storageClass, change, reason }: PlannedPath): string {
  const about = reason ?? storageClass ?? '';
  const how = state === 'included' && change === 'modified' ? 'changed' : STATES[state];
  return `${how.padEnd(STATE_WIDTH)}  ${about.padEnd(ABOUT_WIDTH)}  ${displayPath(path)}\n`;
}

function pathDocument({ path, state, sizeBytes, storageClass, change, reason }: PlannedPath) {
  return jsonOf({
    path: displayPath(path),
    status: state,
    size: sizeBytes,
    storageClass: storageClass ?? null,
    change: change ?? null,
    reason: reason ?? null,
  });
}

function* texts<T, S extends string>(items: Iterable<T>, textOf: (item: T) => S): Generator<S> {
  for (const item of items) yield textOf(item);
}

/** The JSON of each file, and of each path that is left out. */
export const pathDocuments = ({ planned }: DryRun) => texts(planned.paths(), pathDocument);

/** Prints a line for each file, and for each path that is left out with the rule. */
export async function printPaths(
  { planned }: DryRun,
  context: Pick<StreamedResults<'upload'>, 'print'>,
): Promise<void> {
  for await (const piece of inPieces(texts(planned.paths(), pathLine))) await context.print(piece);
}
