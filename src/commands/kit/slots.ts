// Asking all features of the program what they have to do with a run (cli/slots.ts), in the order of their list.
import type { Context } from '../../cli/context.js';
import type { AfterUpload, BegunUpload, UploadReport, GateAnswer, SlotValues, UploadParts } from '../../cli/slots.js';
import type { MayBegin } from '../../core/archive/run/may-begin.js';
import type { UploadProvenance } from '../../core/archive/run/upload-provenance.js';
import type { EventSink } from '../../core/events/events.js';

/** The question for the engine whether an upload may begin. `values` are those of the flags, as typed or as an interrupted run has saved them. */
export function mayBegin(values: SlotValues, context: Context): (emit: EventSink) => MayBegin {
  const gates = context.features.flatMap((feature) => feature.mayBegin?.(values, context) ?? []);
  return (emit) => {
    const questions = gates.map((gate) => gate(emit));
    return async (planned) => {
      for (const question of questions) await question(planned);
    };
  };
}

/** What an upload that is planned would be told. @throws what asking throws */
export async function wouldBegin(
  values: SlotValues,
  planned: { readonly bytes: number; readonly costUsd: number | null },
  context: Context,
): Promise<GateAnswer> {
  let [document, lines]: [GateAnswer['document'], readonly string[]] = [{}, []];
  for (const feature of context.features) {
    const more = await feature.wouldBegin?.(values, planned, context);
    if (more !== undefined) [document, lines] = [{ ...document, ...more.document }, [...lines, ...more.lines]];
  }
  return { document, lines };
}

/** What is found of a store before anything is sent there, as keys of the upload's document. @throws what keeps it from beginning */
export async function lookAtStore(url: string, values: SlotValues, context: Context): Promise<UploadParts> {
  let found: UploadParts = {};
  for (const feature of context.features) found = { ...found, ...(await feature.lookAtStore?.(url, values, context)) };
  return found;
}

/** What is recorded about a folder beside its files. @throws what keeps the upload from beginning */
export async function provenanceOf(upload: BegunUpload<Context>): Promise<UploadProvenance | undefined> {
  for (const feature of upload.context.features) {
    const found = await feature.provenance?.(upload);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What is done once an upload is committed. @throws what keeps it from beginning */
export async function afterUpload(upload: BegunUpload<Context>): Promise<AfterUpload> {
  const all: AfterUpload[] = [];
  for (const feature of upload.context.features) all.push(...[await feature.afterUpload?.(upload)].filter(isThere));
  return async (...made) => {
    const found: UploadReport[] = [];
    for (const after of all) found.push(...[await after(...made)].filter(isThere));
    return found.length === 0 ? undefined : joined(found);
  };
}

const isThere = <T>(one: T | undefined): one is T => one !== undefined;

const joined = (all: readonly UploadReport[]): UploadReport => ({
  document: Object.assign({}, ...all.map(({ document }) => document)) as UploadParts,
  lines: all.flatMap(({ lines }) => lines),
  isPartial: all.some(({ isPartial }) => isPartial),
});
