// `archiver balance`: analysis, plan or execution, as text or JSON.
import { randomBytes } from 'node:crypto';
import type { Context } from '../../cli/context.js';
import { balance, previewBalance } from '../../core/balance/balance.js';
import { analyze, type Analysis, type BalancePlan } from '../../core/balance/plan-balance.js';
import type { ShardLoads } from '../../core/balance/shard-loads.js';
import type { BalanceValues } from '../balance.js';
import { openForReading, uploadTarget, uploadUrl } from '../inspect/upload-target.js';
import { balanceText } from './balance-text.js';

const REQUESTS_AT_ONCE = 8;

/** What the command found and did. */
export interface Balanced {
  readonly analysis: Analysis;
  /** With --dry-run and --execute. */
  readonly plan?: BalancePlan;
  /** The plan was carried out. */
  readonly executed: boolean;
}

/** Runs the command; returns its exit status. */
export async function runBalance(values: BalanceValues, url: string | undefined, context: Context): Promise<number> {
  const target = uploadTarget(url, values);
  const startedAt = context.now().getTime();
  const opened = await openForReading(target.baseUrl, values, context, { requestsAtOnce: REQUESTS_AT_ONCE });
  try {
    const { uploadId } = target;
    const options = { uploadId, threshold: values.threshold, randomBytes, signal: context.signal };
    const done = await carryOut();
    const durationMs = context.now().getTime() - startedAt;
    const about = { location: uploadUrl(target), dryRun: values.dryRun };
    const document = { ...resultDocument(done), ...about, durationMs, requests: opened.requests };
    const text = values.format === 'json' ? `${JSON.stringify(document)}\n` : await balanceText(done, context);
    context.result(document, () => text);
    return 0;

    async function carryOut(): Promise<Balanced> {
      if (values.execute) {
        const onStep = (step: string): void => context.note(step);
        const plan = await balance(opened.store, { ...options, requestsAtOnce: REQUESTS_AT_ONCE, onStep });
        return { analysis: plan, plan, executed: true };
      }
      if (!values.dryRun) return { analysis: await analyze(opened.store, options), executed: false };
      const plan = await previewBalance(opened.store, options);
      return { analysis: plan, plan, executed: false };
    }
  } finally {
    opened.close();
  }
}

function resultDocument({ analysis, plan, executed }: Balanced): Record<string, unknown> {
  const { uploadId, threshold, imbalanced, loads } = analysis;
  return {
    uploadId,
    threshold,
    imbalanced,
    ...loadsDocument(loads),
    ...(plan === undefined ? {} : { plan: planDocument(plan) }),
    executed,
    ...(plan === undefined || !executed ? {} : { moved: plan.moves.length, ...supersededDocument(plan) }),
  };
}

const loadsDocument = ({ shards, totalBytes, averageBytes, largestBytes, ratio }: ShardLoads) => ({
  ratio,
  averageBytes,
  largestBytes,
  totalBytes,
  shardCount: shards.length,
  shards,
});

const planDocument = (plan: BalancePlan) => ({
  moves: plan.moves.map(({ from, to, fromShard, toShard, sizeBytes }) => ({ from, to, fromShard, toShard, sizeBytes })),
  movedBytes: plan.moves.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  staying: plan.staying,
  ...supersededDocument(plan),
  after: loadsDocument(plan.after),
});

const supersededDocument = ({ superseded }: BalancePlan) => ({
  supersededObjects: superseded.objects,
  supersededBytes: superseded.bytes,
});
