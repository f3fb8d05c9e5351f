// Text about chunks in cold storage: their states, what each tier costs and when it is done; and about a restore that has requested them.
import type { RetrievalEstimate, RetrievalItem } from '../../core/cost/retrieval-cost.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { isLost } from '../../core/restore/retrieval-document.js';
import type { Requested, Retrieval, ThawedChunk } from '../../core/restore/retrieve.js';
import { isColdClass, THAW_TIERS, waitOf } from '../../core/store/cold-class.js';
import type { TierPlan } from '../../core/restore/thaw/tier-plans.js';
import { formatBytes, formatCount, formatQuantity } from '../../ui/format.js';
import { formatTimestamp } from '../../ui/format-time.js';
import { formatUsd } from '../../ui/format-usd.js';
import { amountText, bytesOf, fact, firstLines, textOf } from './lines.js';
import { priceListText, priceSourceText } from './price-lines.js';

const ITEM_WORDS: Readonly<Record<RetrievalItem, string>> = {
  retrieval: 'retrieval',
  requests: 'requests',
  temporaryCopy: 'temporary copy',
  transfer: 'transfer to the internet',
};

/** The items that cost something or whose price is not known: `retrieval $8.12, requests less than $0.01`. */
const linesText = ({ lines }: RetrievalEstimate): string =>
  lines
    .filter(({ costUsd }) => costUsd !== 0)
    .map(({ item, costUsd }) => `${ITEM_WORDS[item]} ${formatUsd(costUsd)}`)
    .join(', ');

function costText(estimate: RetrievalEstimate): string {
  const lines = priceListText(estimate) === undefined ? '' : linesText(estimate);
  return `${formatUsd(estimate.costUsd)}${lines === '' ? '' : `: ${lines}`}`;
}

/** Says where the prices come from. */
export function sourceText(estimate: RetrievalEstimate): string {
  const list = priceSourceText(estimate);
  if (estimate.provider !== 'aws') return list;
  return estimate.isAws
    ? `${list}; the free 100 GB of transfer a month are not counted on`
    : `${list}; this store is another server, which may charge something else`;
}

/** Lines that a dry run adds: chunks by state, what each tier costs and when it is done. */
export function plannedLines(
  { chunks, estimate, tiers }: Extract<Retrieval, { kind: 'planned' }>,
  tier: string,
): string[] {
  const isFree = estimate.costUsd === 0;
  const cold = chunks.filter(({ storageClass }) => isColdClass(storageClass));
  if (cold.length === 0) return isFree ? [] : [fact('cost', costText(estimate)), fact('prices', sourceText(estimate))];
  const cost =
    tiers.length > 0
      ? THAW_TIERS.map((name) => tierLine(name, tiers, chunks, tier))
      : [fact('cost', costText(estimate))];
  return [fact('chunks', statesText(chunks)), ...cost, fact('prices', sourceText(estimate))];
}

function tierLine(
  name: TierPlan['tier'],
  tiers: readonly TierPlan[],
  chunks: readonly ThawedChunk[],
  chosen: string,
): string {
  const plan = tiers.find(({ tier }) => tier === name);
  const mark = name === chosen ? '  (--tier)' : '';
  if (plan === undefined) return fact(name, `not offered for ${notOffered(name, chunks)}${mark}`);
  const { readyBy, wait, estimate } = plan;
  return fact(name, `ready by ${formatTimestamp(readyBy)} (${wait.text}), cost ${costText(estimate)}${mark}`);
}

function notOffered(tier: TierPlan['tier'], chunks: readonly ThawedChunk[]): string {
  const refused = chunks.find(
    ({ storageClass, sizeBytes, state }) => state === 'cold' && waitOf(storageClass, tier, sizeBytes) === null,
  );
  if (refused === undefined) return 'these chunks';
  return waitOf(refused.storageClass, tier) === null ? refused.storageClass : 'chunks of 250 MB or more';
}

const STATE_WORDS: Readonly<Record<ThawedChunk['state'], string>> = {
  readable: 'readable',
  thawing: 'on their way back',
  cold: 'in cold storage',
  missing: 'missing',
  denied: 'denied',
};

/** The states of the chunks: `12 needed: 3 readable, 9 in cold storage (GLACIER, 812 GiB)`. */
function statesText(chunks: readonly ThawedChunk[]): string {
  const parts = (['readable', 'thawing', 'cold', 'missing', 'denied'] as const).flatMap((state) => {
    const own = chunks.filter((chunk) => chunk.state === state);
    if (own.length === 0) return [];
    const classes = [...new Set(own.map(({ storageClass }) => storageClass))].sort().join(', ');
    return [`${formatCount(own.length)} ${STATE_WORDS[state]} (${printable(classes)}, ${formatBytes(bytesOf(own))})`];
  });
  return `${formatCount(chunks.length)} needed: ${parts.join(', ')}`;
}

/** Says which chunks were requested, when they are readable, and how to continue. */
export function requestedText(
  requested: Requested,
  values: { readonly tier: string; readonly restoreDays: number },
  jobId: string,
): string {
  const { result, chunks, estimate, readyBy } = requested;
  const lost = chunks.filter(isLost);
  const thawing = chunks.filter(({ state }) => state === 'thawing').length;
  const asked = `${formatQuantity(thawing, 'chunk')} of ${formatCount(chunks.length)} on the way back from cold storage`;
  const kept = `with --tier ${values.tier}, kept for ${formatQuantity(values.restoreDays, 'day')}`;
  const cost = readyBy === null ? `nothing new was requested; the rest: ${costText(estimate)}` : costText(estimate);
  const again = 'the same restore asks for the rest; take another --tier where this one has no capacity';
  return textOf([
    `${asked}, for ${amountText(result.files, 'file', result.bytes)} to ${printable(result.outputDir)}`,
    ...(readyBy === null ? [] : [fact('ready by', `${formatTimestamp(readyBy)} ${kept}`)]),
    fact('cost', cost),
    fact('prices', sourceText(estimate)),
    ...firstLines(lost.map(lostLine)),
    ...(lost.some(({ state }) => state === 'cold') ? [fact('again', again)] : []),
    fact('job', jobId),
    fact('next', `archiver restore jobs check ${jobId}`),
  ]);
}

const lostLine = ({ key, state, reason }: ThawedChunk): string =>
  fact(state, printable(reason === undefined ? key : `${key}: ${reason}`));
