// The result of a balance as a JSON document.
import type { Analysis, BalancePlan } from './plan-balance.js';
import type { ShardLoads } from './shard-loads.js';

export interface Balanced {
  readonly analysis: Analysis;
  /** Undefined when the balance only analyzed the upload. */
  readonly plan?: BalancePlan;
  /** True when the plan was carried out. */
  readonly executed: boolean;
}

/** The keys of the document. Sizes are bytes, `ratio` is the largest shard over the average. */
export function balanceDocument({ analysis, plan, executed }: Balanced) {
  const { uploadId, threshold, imbalanced, canImprove, loads } = analysis;
  return {
    uploadId,
    threshold,
    imbalanced,
    canImprove: imbalanced && canImprove,
    ...loadsDocument(loads),
    ...(plan === undefined ? {} : { plan: planDocument(plan) }),
    executed,
    ...(plan === undefined || !executed ? {} : { moved: plan.moves.length, ...supersededDocument(plan) }),
  };
}

const loadsDocument = ({ shards, totalBytes, averageBytes, largestBytes, ratio }: ShardLoads) => ({
  ratio,
  averageBytes: Math.round(averageBytes),
  largestBytes,
  totalBytes,
  shardCount: shards.length,
  shards,
});

const planDocument = (plan: BalancePlan) => ({
  moves: plan.moves.map(({ sizeBytes: size, from, to, fromShard, toShard }) => ({
    from,
    to,
    fromShard,
    toShard,
    size,
  })),
  movedBytes: plan.moves.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  staying: plan.staying,
  ...supersededDocument(plan),
  after: loadsDocument(plan.after),
});

const supersededDocument = ({ superseded }: BalancePlan) => ({
  supersededObjects: superseded.objects,
  supersededBytes: superseded.bytes,
});
