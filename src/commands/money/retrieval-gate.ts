// Asks budgets before content is requested from cold storage or fetched: retrieval, requests and transfer cost, and nothing is stored.
import type { GateAnswer, SlotValues } from '../../cli/slots.js';
import type { RetrievalGate } from '../../core/restore/retrieval-gate.js';
import { answerOf, type BudgetQuery, type GateContext, gatePlace, reservePart } from './budget-gate.js';

/** Returns the check for the engine; the project is that of the upload. */
export function retrievalGate(values: SlotValues, uploadId: string, context: GateContext): RetrievalGate {
  const place = gatePlace(values, context);
  const part = {};
  let allowedUsd = 0;
  return async ({ costUsd }) => {
    if (values['ignoreBudget'] === true || (costUsd ?? Number.POSITIVE_INFINITY) <= allowedUsd) return;
    const query = await queryOf({ place, uploadId }, context);
    await reservePart(query, { part, planned: { costUsd, bytes: 0 } }, context);
    allowedUsd = costUsd ?? Number.POSITIVE_INFINITY;
  };
}

/** Asks budgets for a dry run of a restore; nothing when budgets are ignored, or it costs nothing. @throws what keeps them from being asked */
export async function plannedRetrieval(
  values: SlotValues,
  { uploadId, costUsd }: { readonly uploadId: string; readonly costUsd: number | null },
  context: GateContext,
): Promise<GateAnswer> {
  if (costUsd === 0) return { document: {}, lines: [] };
  const query = await queryOf({ place: gatePlace(values, context), uploadId }, context);
  return await answerOf(values, { query, planned: { costUsd, bytes: 0 } }, context);
}

async function queryOf(
  { place, uploadId }: Pick<BudgetQuery, 'place'> & { readonly uploadId: string },
  { home }: GateContext,
): Promise<BudgetQuery> {
  const { ledgerFolder, projectsOf } = await import('../../core/money/ledger/ledger.js');
  const projects = await projectsOf(ledgerFolder(home), [uploadId]);
  return { place, project: projects.get(uploadId) ?? null, ending: 'nothing is asked for' };
}
