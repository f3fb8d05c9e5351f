// `--generate-dvc-files`: once a version is committed, writes a `.dvc` file for each of its files that DVC does not know yet.
import { resolve } from 'node:path';
import type { Context } from '../../cli/context.js';
import type { AfterUpload, BegunUpload, UploadReport } from '../../cli/slots.js';
import type { UploadResult } from '../../core/archive/upload-result.js';
import { ownFiles } from '../../core/projects/dvc/own-files.js';
import { SidecarGuard } from '../../core/projects/dvc/guard.js';
import { writeSidecars } from '../../core/projects/dvc/sidecar.js';
import { leftOutFiles, sidecarDocument } from './dvc/sidecar-document.js';
import type { SidecarResult, WriteSidecarsOptions } from '../../core/projects/dvc/sidecar-types.js';
import { type OpenStore, withCommittedView } from './committed-view.js';
import { ArchiverError, isArchiverError, usageError } from '../../core/platform/failures/errors.js';
import { displayPath, printable, type RawPath, rawFromText, textFromRaw } from '../../core/platform/paths/raw-path.js';
import { problemLines } from '../../screens/progress/problem-lines.js';
import { formatCount, formatQuantity } from '../../ui/format.js';
import { lookOf } from '../../ui/look.js';

/** Checks before anything is sent that the files can be written; returns a function that does. @throws usage, io, integrity for a damaged dvc.yaml */
export async function dvcFilesAfter({ values, source, context }: BegunUpload<Context>): Promise<AfterUpload> {
  if (textFromRaw(source) === undefined)
    throw usageError(`--generate-dvc-files: the name of ${displayPath(source)} is not UTF-8, which DVC needs`);
  const { dvcOutputDir } = values;
  const outputDir = typeof dvcOutputDir === 'string' ? rawFromText(resolve(context.cwd, dvcOutputDir)) : source;
  await openGuards(source, outputDir, context);
  return async (result, open) => {
    const written = await writeDvcFiles(outputDir, { source, open, context }, result);
    return written && reportOf(written, context);
  };
}

/** Reads what DVC and git track at this moment. */
async function openGuards(
  source: RawPath,
  outputDir: RawPath,
  { env, signal }: Pick<Context, 'env' | 'signal'>,
): Promise<WriteSidecarsOptions['guards']> {
  const guard = await SidecarGuard.open({ folder: outputDir, env, signal });
  return outputDir === source ? [guard] : [guard, await SidecarGuard.open({ folder: source, env, signal })];
}

interface Uploaded {
  readonly source: RawPath;
  readonly open: OpenStore;
  readonly context: Pick<Context, 'home' | 'signal' | 'env'>;
}

/** Writes the files; undefined if nothing was committed. @throws with exit status 3: the upload itself is done */
async function writeDvcFiles(
  outputDir: RawPath,
  { source, open, context }: Uploaded,
  result: UploadResult,
): Promise<SidecarResult | undefined> {
  const { location, version } = result;
  if (version === null) return undefined;
  try {
    return await withCommittedView(open, result, context, async (view) => {
      const guards = await openGuards(source, outputDir, context);
      const files = ownFiles(view.entries(), source);
      const { signal } = context;
      return await writeSidecars({ files, outputDir: textFromRaw(outputDir) ?? '', guards, signal });
    });
  } catch (error) {
    if (!isArchiverError(error) || error.code === 'cancelled') throw error;
    throw new ArchiverError(
      error.code,
      `${printable(location)} is committed, but not all .dvc files are written: ${error.message}`,
      {
        cause: error,
        hint: `archiver dvc export ${printable(location)} ${displayPath(outputDir)}`,
        exitCode: 3,
      },
    );
  }
}

/** The report about the written files. */
function reportOf(result: SidecarResult, context: Context): UploadReport {
  const { written, replaced, unchanged, failed, firstReplaced, gitignoreLines } = result;
  const ignored = gitignoreLines === 0 ? '' : `; ${formatQuantity(gitignoreLines, 'line')} added to .gitignore`;
  const more = replaced > firstReplaced.length ? `, and ${formatCount(replaced - firstReplaced.length)} more` : '';
  return {
    document: { dvcFiles: sidecarDocument(result) },
    lines: [
      `  .dvc      ${formatCount(written)} written, ${formatCount(replaced)} replaced, ${formatCount(unchanged)} unchanged${ignored}`,
      ...leftOutFiles(result).map((text) => `  no .dvc    ${text}`),
      ...(replaced === 0 ? [] : [`  replaced  ${printable(firstReplaced.join(', '))}${more}`]),
      ...problemLines('no .dvc ', failed, lookOf(context.colors.stdout, context.env)),
    ],
    isPartial: failed.length > 0,
  };
}
