// Calls all features of the program for a run (cli/slots.ts), in the order of their list.
import type { Context } from '../../cli/context.js';
import type { AfterUpload, BegunUpload, UploadReport, GateAnswer, SlotValues, UploadParts } from '../../cli/slots.js';
import type { UploadGate } from '../../core/archive/run/upload-gate.js';
import type { UploadProvenance } from '../../core/archive/run/upload-provenance.js';
import type { PlannedRetrieval, RetrievalGate } from '../../core/restore/retrieval-gate.js';
import type { EventSink } from '../../core/events/events.js';

/**
 * Returns the check whether an upload may begin, for the engine. `values` are the flags as typed, or as an interrupted run has saved them.
 */
export function uploadGate(values: SlotValues, context: Context): (emit: EventSink) => UploadGate {
  const gates = context.features.flatMap((feature) => feature.uploadGate?.(values, context) ?? []);
  return (emit) => {
    const questions = gates.map((gate) => gate(emit));
    return async (planned) => {
      for (const question of questions) await question(planned);
    };
  };
}

/** Returns the answers of the checks to a planned upload. @throws what the checks throw */
export const dryRunGate = async (
  values: SlotValues,
  planned: { readonly bytes: number; readonly costUsd: number | null },
  context: Context,
): Promise<GateAnswer> =>
  await joinedAnswers(context, async (feature) => await feature.dryRunGate?.(values, planned, context));

/** Returns the check whether content of an upload may be requested and fetched, for the engine. */
export function retrievalGate(values: SlotValues, uploadId: string, context: Context): RetrievalGate {
  const checks = context.features.flatMap((feature) => feature.retrievalGate?.(values, uploadId, context) ?? []);
  return async (planned) => {
    for (const check of checks) await check(planned);
  };
}

/** Returns the answers of the checks to a planned restore. @throws what the checks throw */
export const dryRunRetrievalGate = async (
  values: SlotValues,
  planned: PlannedRetrieval & { readonly uploadId: string },
  context: Context,
): Promise<GateAnswer> =>
  await joinedAnswers(context, async (feature) => await feature.dryRunRetrievalGate?.(values, planned, context));

async function joinedAnswers(
  { features }: Context,
  ask: (feature: Context['features'][number]) => Promise<GateAnswer | undefined>,
): Promise<GateAnswer> {
  let [document, lines]: [GateAnswer['document'], readonly string[]] = [{}, []];
  for (const feature of features) {
    const more = await ask(feature);
    if (more !== undefined) [document, lines] = [{ ...document, ...more.document }, [...lines, ...more.lines]];
  }
  return { document, lines };
}

/**
 * Returns what features find out about a store before anything is sent there, as keys of the upload's document. @throws what keeps it from
 * beginning
 */
export async function inspectStore(url: string, values: SlotValues, context: Context): Promise<UploadParts> {
  let found: UploadParts = {};
  for (const feature of context.features) found = { ...found, ...(await feature.inspectStore?.(url, values, context)) };
  return found;
}

/**
 * Returns what is recorded about a folder besides its files; undefined if no feature has anything. @throws what keeps the upload from
 * beginning
 */
export async function provenanceOf(upload: BegunUpload<Context>): Promise<UploadProvenance | undefined> {
  for (const feature of upload.context.features) {
    const found = await feature.provenance?.(upload);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the work of features to be done once an upload is committed. @throws what keeps it from beginning */
export async function afterUpload(upload: BegunUpload<Context>): Promise<AfterUpload> {
  const all: AfterUpload[] = [];
  for (const feature of upload.context.features)
    all.push(...((await feature.afterUpload?.(upload)) ?? []).filter(isThere));
  return async (...made) => {
    const found: UploadReport[] = [];
    for (const after of all) found.push(...[await after(...made)].filter(isThere));
    return found.length === 0 ? undefined : joinedReports(found);
  };
}

const isThere = <T>(one: T | undefined): one is T => one !== undefined;

/** One report of all that followed an upload. */
export const joinedReports = (all: readonly UploadReport[]): UploadReport => ({
  document: Object.assign({}, ...all.map(({ document }) => document)) as UploadParts,
  lines: all.flatMap(({ lines }) => lines),
  isPartial: all.some(({ isPartial }) => isPartial),
});
