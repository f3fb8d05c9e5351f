// Asks budgets before content is requested from cold storage or fetched: retrieval, requests and transfer cost, and nothing is stored.
import type { GateAnswer, SlotValues } from '../../cli/slots.js';
import { ArchiverError, isArchiverError } from '../../core/platform/failures/errors.js';
import type { PlannedRetrieval, RetrievalGate } from '../../core/restore/retrieval-gate.js';
import { answerOf, type BudgetQuery, gateBook, type GateContext, gatePlace, reservePart } from './budget-gate.js';
import { runBudgetOf } from './run-budget.js';

const ENDING = 'nothing is asked for';

/** Returns the check for the engine; the project is that of the upload. */
export function retrievalGate(values: SlotValues, uploadId: string, context: GateContext): RetrievalGate {
  const place = gatePlace(values, context);
  const part = {};
  let allowedUsd = 0;
  return async ({ costUsd, project }) => {
    if (project !== undefined) runBudgetOf(context.account)?.projects.set(uploadId, project);
    if (values['ignoreBudget'] === true || (costUsd ?? Number.POSITIVE_INFINITY) <= allowedUsd) return;
    const query = await queryOf({ place, uploadId, project }, context);
    await reservePart(query, { part, planned: { costUsd, bytes: 0 } }, context);
    allowedUsd = costUsd ?? Number.POSITIVE_INFINITY;
  };
}

/** Asks budgets for a dry run of a restore; nothing when budgets are ignored, or it costs nothing. @throws what keeps them from being asked */
export async function plannedRetrieval(
  values: SlotValues,
  { uploadId, costUsd, project }: PlannedRetrieval & { readonly uploadId: string },
  context: GateContext,
): Promise<GateAnswer> {
  if (costUsd === 0 || values['ignoreBudget'] === true) return { document: {}, lines: [] };
  const query = await queryOf({ place: gatePlace(values, context), uploadId, project }, context);
  return await answerOf(values, { query, planned: { costUsd, bytes: 0 } }, context);
}

interface Retrieval extends Pick<BudgetQuery, 'place'>, Pick<PlannedRetrieval, 'project'> {
  readonly uploadId: string;
}

/** The manifest cannot be stale; where it was not read, ledgers are asked, if there is a budget that hangs on the answer. */
async function queryOf({ place, uploadId, project }: Retrieval, context: GateContext): Promise<BudgetQuery> {
  const query = { place, ending: ENDING } as const;
  const named = project === undefined ? runBudgetOf(context.account)?.projects.get(uploadId) : project;
  if (named !== undefined) return { ...query, project: named };
  const { projects } = await gateBook(query, context);
  return { ...query, project: projects.size === 0 ? null : await projectOf(uploadId, context) };
}

/** @throws what keeps the ledgers from being asked: a budget of the project may not allow what is planned */
async function projectOf(uploadId: string, context: GateContext): Promise<string | null> {
  const { projectsOfUploads } = await import('./read-records.js');
  try {
    const found = await projectsOfUploads({ ...context, settings: context.account.values }, [uploadId]);
    return found.get(uploadId) ?? null;
  } catch (error) {
    if (!isArchiverError(error) || ['usage', 'cancelled'].includes(error.code)) throw error;
    throw new ArchiverError(
      error.code,
      `it is not known which project upload ${uploadId} is of, and so which budget holds, because the ledger cannot be read: ${error.message}; ${ENDING}`,
      {
        cause: error,
        hint: 'name the right place of the shared ledger (ARCHIVER_LEDGER_STORE), or go on without budgets (--ignore-budget)',
      },
    );
  }
}
