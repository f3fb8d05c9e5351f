// After an upload that records stages: says which outputs it lacks, and which are not as dvc.lock or their `.dvc` files have them.
import type { Context } from '../../cli/context.js';
import type { AfterUpload, BegunUpload, UploadReport } from '../../cli/slots.js';
import type { UploadResult } from '../../core/archive/upload-result.js';
import { isOfStage } from '../../core/format/manifest/provenance.js';
import { isArchiverError } from '../../core/platform/failures/errors.js';
import { printable, type RawPath, textFromRaw } from '../../core/platform/paths/raw-path.js';
import { compareOuts, type DifferingOut } from '../../core/projects/dvc/compare-outs.js';
import { readPipeline } from '../../core/projects/dvc/pipeline.js';
import { ignoredBelow } from '../../core/projects/dvc/stage-files.js';
import type { Stage } from '../../core/projects/dvc/stage-types.js';
import { type OpenStore, withCommittedView } from './committed-view.js';

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
  readonly open: OpenStore;
  readonly context: Pick<Context, 'home' | 'signal'>;
}

async function comparedOuts(
  stages: readonly Stage[],
  { source, open, context }: Uploaded,
  result: UploadResult,
): Promise<UploadReport | undefined> {
  if (result.version === null) return undefined;
  return await withCommittedView(open, result, context, async (view) => {
    const { signal } = context;
    const isIgnored = ignoredBelow(source);
    const dvcOuts = await compareOuts({ stages, entries: view.entries(), source, isIgnored, signal });
    return { document: { dvcOuts }, lines: linesOf(dvcOuts), isPartial: false };
  });
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
