// Plans as the dashboard has seen them: the head of a real one, and parts in the states that a test says.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SeenPlan } from '../../src/core/archive/parts/living-plans.js';
import type { PartState, PartStatus, PlanStatus } from '../../src/core/archive/parts/plan-status.js';
import { type ReadPlan, readPlan } from '../../src/core/archive/parts/read-plan.js';
import { fileStore } from '../../src/core/store/file/file-store.js';
import { planned, planSite } from '../core/archive/parts/plan-runs.js';
import { asUploadId } from './as-upload-id.js';
import { raw } from './raw.js';

const PART_BYTES = 64 * 2 ** 30;

export interface PlanSpec {
  readonly uploadId: string;
  /** How many parts are in each state, in this order. */
  readonly states: readonly (readonly [PartState, number])[];
  readonly source?: string;
  readonly hosts?: number;
}

async function realPlan(): Promise<ReadPlan> {
  const site = await planSite();
  writeFileSync(join(site.source, 'a'), 'a');
  const { uploadId } = await planned(site, { count: 1 });
  return await readPlan(fileStore(site.base), uploadId, new AbortController().signal);
}

/** A plan whose parts have 64 GiB and 100 files each. */
export async function seenPlan({
  uploadId: id,
  states,
  source = '/project/survey',
  hosts = 2,
}: PlanSpec): Promise<Extract<SeenPlan, { readonly problem: null }>> {
  const { head, sha256 } = await realPlan();
  const uploadId = asUploadId(id);
  const named = { path: raw(source), host: 'login-1' };
  const createdAt = '2025-11-14T08:30:12Z';
  const plan = { uploadId, sha256, head: { ...head, uploadId, createdAt, source: { ...head.source, ...named } } };
  return { uploadId, problem: null, plan, status: statusOf(plan, states, hosts) };
}

function statusOf(plan: ReadPlan, states: PlanSpec['states'], hosts: number): PlanStatus {
  const each = states.flatMap(([state, count]) => Array.from({ length: count }, () => state));
  const parts = each.map((state, part): PartStatus => {
    const attempt = {
      plan: plan.uploadId,
      part,
      uploadId: asUploadId(`20251114-09${String(part % 60).padStart(2, '0')}00-000000aa`),
      host: `node-${part % hosts}`,
      pid: 1,
      createdAt: plan.head.createdAt,
      job: {},
      objects: 2,
      storedBytes: 2 ** 30,
      begunMs: 0,
      newestMs: 0,
    };
    return { part, state, files: 100, bytes: PART_BYTES, attempt: state === 'notBegun' ? undefined : attempt };
  });
  const done = parts.filter(({ state }) => state === 'done').length;
  const rate = done === 0 ? undefined : 2 ** 30;
  return {
    parts,
    bytes: parts.length * PART_BYTES,
    bytesDone: done * PART_BYTES,
    storedBytes: parts.reduce((sum, { attempt }) => sum + (attempt?.storedBytes ?? 0), 0),
    bytesPerSecond: rate,
    etaMs: rate && ((parts.length - done) * PART_BYTES * 1000) / rate,
    isCommitted: false,
  };
}
