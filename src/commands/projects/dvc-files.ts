// `--generate-dvc-files`: once a version is committed, writes a `.dvc` file for each of its files that DVC does not know yet.
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.js';
import type { AfterUpload, BegunUpload, UploadReport, SlotValues } from '../../cli/slots.js';
import type { UploadResult } from '../../core/archive/upload-result.js';
import { openView } from '../../core/dataset/chain/view.js';
import { cacheFolder, rememberedIn } from '../../core/archive/run/remembered.js';
import { ownFiles } from '../../core/projects/dvc/own-files.js';
import { outsOf, type Pipeline, readPipeline } from '../../core/projects/dvc/pipeline.js';
import { writeSidecars } from '../../core/projects/dvc/sidecar.js';
import { sidecarDocument } from './dvc/sidecar-document.js';
import type { SidecarResult } from '../../core/projects/dvc/sidecar-types.js';
import type { EventSink } from '../../core/events/events.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { ArchiverError, isArchiverError, usageError } from '../../core/platform/failures/errors.js';
import { displayPath, printable, type RawPath, textFromRaw } from '../../core/platform/paths/raw-path.js';
import { problemLines } from '../../screens/progress/problem-lines.js';
import { formatCount } from '../../ui/format.js';
import { lookOf } from '../../ui/look.js';

/** Folder to write to, and the outputs of stages. */
interface DvcFilesPlan {
  readonly outputDir: string;
  readonly outs: Pipeline['outs'];
}

/** Plans the files before anything is sent; returns a function that writes them. @throws usage, io, integrity for a damaged dvc.yaml */
export async function dvcFilesAfter({ values, source, context }: BegunUpload<Context>): Promise<AfterUpload> {
  const plan = await planDvcFiles(values, source, context);
  return async (result, open) => {
    const written = await writeDvcFiles(plan, { source, open, context }, result);
    return written && reportOf(written, context);
  };
}

async function planDvcFiles(
  { dvcOutputDir }: SlotValues,
  source: RawPath,
  { cwd, signal }: Pick<Context, 'cwd' | 'signal'>,
): Promise<DvcFilesPlan> {
  const folder = textFromRaw(source);
  if (folder === undefined)
    throw usageError(`--generate-dvc-files: the name of ${displayPath(source)} is not UTF-8, which DVC needs`);
  const pipeline = await readPipeline(folder, signal);
  return {
    outputDir: typeof dvcOutputDir === 'string' ? resolve(cwd, dvcOutputDir) : folder,
    outs: outsOf(pipeline?.stages ?? []),
  };
}

interface Uploaded {
  readonly source: RawPath;
  readonly open: (onEvent: EventSink) => Promise<OpenedStore>;
  readonly context: Pick<Context, 'home' | 'signal'>;
}

/** Writes the files; undefined if nothing was committed. @throws with exit status 3: the upload itself is done */
async function writeDvcFiles(
  plan: DvcFilesPlan,
  { source, open, context }: Uploaded,
  { uploadId, datasetId, location, version }: UploadResult,
): Promise<SidecarResult | undefined> {
  if (version === null) return undefined;
  const { home, signal } = context;
  const opened = await open(() => undefined);
  const { store } = opened;
  const { cache, heads } = rememberedIn(cacheFolder(home), opened, () => undefined); // the upload has warned already
  try {
    // The manifest that this computer has just written is in the cache. It need not be fetched, and a writer may not be allowed to.
    const head = await heads.get(store.url, datasetId);
    const known = head?.uploadId === uploadId ? { sha256: head.manifestSha256 } : {};
    const view = await openView(store, { uploadId, signal, ...known, cache });
    const files = ownFiles({ entries: view.entries(), source, outs: plan.outs });
    return await writeSidecars({ files, outputDir: plan.outputDir, signal });
  } catch (error) {
    if (!isArchiverError(error) || error.code === 'cancelled') throw error;
    throw new ArchiverError(
      error.code,
      `${printable(location)} is committed, but not all .dvc files are written: ${error.message}`,
      {
        cause: error,
        hint: `archiver dvc export ${printable(location)} ${printable(plan.outputDir)}`,
        exitCode: 3,
      },
    );
  } finally {
    opened.close();
  }
}

/** The report about the written files. */
function reportOf(result: SidecarResult, context: Context): UploadReport {
  const { written, replaced, unchanged, failed, firstReplaced } = result;
  const more = replaced > firstReplaced.length ? `, and ${formatCount(replaced - firstReplaced.length)} more` : '';
  return {
    document: { dvcFiles: sidecarDocument(result) },
    lines: [
      `  .dvc      ${formatCount(written)} written, ${formatCount(replaced)} replaced, ${formatCount(unchanged)} unchanged`,
      ...(replaced === 0 ? [] : [`  replaced  ${printable(firstReplaced.join(', '))}${more}`]),
      ...problemLines('no .dvc ', failed, lookOf(context.colors.stdout, context.env)),
    ],
    isPartial: failed.length > 0,
  };
}
