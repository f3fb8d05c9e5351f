// After an upload that records stages: says which outputs it lacks, and which are not as dvc.lock or their `.dvc` files have them.
import type { Context } from '../../cli/context.js';
import type { AfterUpload, BegunUpload, UploadReport } from '../../cli/slots.js';
import { cacheFolder, rememberedIn } from '../../core/archive/run/remembered.js';
import type { UploadResult } from '../../core/archive/upload-result.js';
import { openView } from '../../core/dataset/chain/view.js';
import type { EventSink } from '../../core/events/events.js';
import { isOfStage } from '../../core/format/manifest/provenance.js';
import { isArchiverError } from '../../core/platform/failures/errors.js';
import { printable, type RawPath, textFromRaw } from '../../core/platform/paths/raw-path.js';
import { compareOuts, type DifferingOut } from '../../core/projects/dvc/compare-outs.js';
import { readPipeline } from '../../core/projects/dvc/pipeline.js';
import { ignoredBelow } from '../../core/projects/dvc/stage-files.js';
import type { Stage } from '../../core/projects/dvc/stage-types.js';
import type { OpenedStore } from '../../core/store/open-store.js';

/** Reads the stages before anything is sent; returns a function that compares. @throws what `readPipeline` throws */
export async function dvcOutsAfter({
  values,
  source,
  context,
}: BegunUpload<Context>): Promise<AfterUpload | undefined> {
  const { dvcAuto, dvcStage } = values;
  const folder = textFromRaw(source);
  const pipeline = folder === undefined ? undefined : await readPipeline(folder, context.signal);
  if (pipeline === undefined) return undefined;
  const isWanted = ({ name }: Stage): boolean =>
    dvcAuto === true || (typeof dvcStage === 'string' && isOfStage(name, dvcStage));
  const stages = [...pipeline.stages, ...pipeline.dvcFiles].filter(isWanted);
  return async (result, open) => {
    try {
      return await comparedOuts(stages, { source, open, context }, result);
    } catch (error) {
      if (!isArchiverError(error) || error.code === 'cancelled') throw error;
      context.warn(`outputs are not compared with dvc.lock: ${error.message}`);
      return undefined;
    }
  };
}

interface Uploaded {
  readonly source: RawPath;
  readonly open: (onEvent: EventSink) => Promise<OpenedStore>;
  readonly context: Pick<Context, 'home' | 'signal'>;
}

async function comparedOuts(
  stages: readonly Stage[],
  { source, open, context: { home, signal } }: Uploaded,
  { uploadId, datasetId, version }: UploadResult,
): Promise<UploadReport | undefined> {
  if (version === null) return undefined;
  const opened = await open(() => undefined);
  try {
    // The manifest that this computer has just written is in the cache. It need not be fetched, and a writer may not be allowed to.
    const { cache, heads } = rememberedIn(cacheFolder(home), opened, () => undefined);
    const head = await heads.get(opened.store.url, datasetId);
    const known = head?.uploadId === uploadId ? { sha256: head.manifestSha256 } : {};
    const view = await openView(opened.store, { uploadId, signal, ...known, cache });
    const isIgnored = ignoredBelow(source);
    const dvcOuts = await compareOuts({ stages, entries: view.entries(), source, isIgnored, signal });
    return { document: { dvcOuts }, lines: linesOf(dvcOuts), isPartial: false };
  } finally {
    opened.close();
  }
}

const SHOWN = 10;

function linesOf(outs: readonly DifferingOut[]): string[] {
  const reasons = new Map(outs.map(({ change, reason }) => [`${change} (${reason})`, reason]));
  return [...reasons].map(([what, why]) => {
    const those = outs.filter(({ reason }) => reason === why);
    const named = those.slice(0, SHOWN).map(({ path, stage }) => `${printable(path)} of ${printable(stage)}`);
    const more = those.length > SHOWN ? ` and ${those.length - SHOWN} more` : '';
    return `  outputs   ${those.length} ${what}: ${named.join(', ')}${more}`;
  });
}
