import { resolve } from 'node:path';
import { arg } from '../../../cli/arg.js';
import { defineCommand } from '../../../cli/command.js';
import type { Environment, Messages, Places, Results } from '../../../cli/context.js';
import type { ProgressContext } from '../../../cli/progress.js';
import { flag } from '../../../cli/flag.js';
import type { SidecarResult } from '../../../core/projects/dvc/sidecar-types.js';
import { usageError } from '../../../core/platform/failures/errors.js';
import { displayPath, printable, rawFromText } from '../../../core/platform/paths/raw-path.js';
import { leftOutFiles, sidecarDocument } from './sidecar-document.js';
import { formatCount, formatQuantity } from '../../../ui/format.js';
import { uploadArg, uploadTargetFlags, uploadTargetRules } from '../../kit/flags.js';
import { fact, firstLines, textOf } from '../../kit/lines.js';
import { type StoreContext, withStore } from '../../kit/store.js';
import { withResult } from '../../kit/run.js';
import { findUpload, uploadUrl } from '../../kit/upload-target.js';

const flags = {
  outputDir: flag.folder({ default: 'dvc-files', describe: 'where the .dvc files go, when OUTPUT_DIR is not given' }),
  cacheDir: flag.folder({
    default: '.dvc/cache',
    describe:
      "DVC's cache, relative to the output folder: gets the lists of folders; when not given, that of the DVC repository which holds it, if one does",
  }),
  ...uploadTargetFlags('us-east-1'),
};

export const command = defineCommand({
  path: 'dvc export',
  summary: 'write .dvc files for the files of an upload',
  description:
    'Writes PATH.dvc below the output folder for every file of the upload, as DVC 3 does, with the MD5 and size from the ' +
    'manifest, and a line in .gitignore where the output folder is in a DVC repository with git. A folder that had a .dvc file, or is an ' +
    'output of the recorded stage (upload --dvc-stage), gets one .dvc file, and its list goes into the cache, where DVC looks ' +
    'for it. Reads manifests only, not the content of the files.\n' +
    'A .dvc file that is there is brought up to date, and keeps descriptions and comments; imports, and what cannot be read, ' +
    'stay as they are. Left out and counted are outputs of the dvc.yaml files there, what git tracks or ignores, what DVC ' +
    'ignores, symbolic links and the files of DVC and git themselves; files without an MD5 and names that are not UTF-8 fail.',
  args: [
    uploadArg,
    arg.folder('OUTPUT_DIR', { describe: 'where the .dvc files go; made when it is missing', optional: true }),
  ],
  flags,
  rules: [...uploadTargetRules],
  examples: [
    'archiver dvc export s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d ./lab',
    'archiver dvc export s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d --output-dir lab --cache-dir /mnt/dvc-cache',
  ],
  exits: {
    0: 'written, or in place already',
    1: 'failed, or no .dvc file could be written',
    3: 'written, but not for some files',
  },
  async run(
    values,
    [url, named],
    context: Results<'dvc export'> & Environment & Messages & Places & StoreContext & ProgressContext,
  ) {
    if (named !== undefined && context.origins['outputDir'] === 'flag')
      throw usageError('give either OUTPUT_DIR or --output-dir, not both');
    const outputDir = resolve(context.cwd, named ?? values.outputDir);
    if (named === undefined && context.origins['outputDir'] === 'default') await refuseRepository(outputDir);
    const { baseUrl, uploadId, manifestSha256: sha256, session } = await findUpload(url, values, context);
    const { exportSidecars } = await import('../../../core/projects/dvc/export-sidecars.js');
    const cacheDir = context.origins['cacheDir'] === 'default' ? undefined : resolve(outputDir, values.cacheDir);
    const location = uploadUrl({ baseUrl, uploadId });
    const { result, warnings } = await withResult(
      context,
      {},
      {
        work: (emit) => {
          emit({ type: 'start', operation: 'dvc export', source: location, target: outputDir });
          return withStore({ baseUrl, values, context, session, onEvent: emit }, async ({ store, requests }) => {
            const { env, signal } = context;
            const options = { uploadId, sha256, outputDir, cacheDir, env, emit, signal };
            return { ...(await exportSidecars(store, options)), requests };
          });
        },
        show: ({ result, cacheDir: cache = null, requests }) => {
          const about = { uploadId, location, outputDir, cacheDir: cache };
          return {
            document: { ...about, ...sidecarDocument(result), requests },
            text: () => exportText(result, outputDir, cache),
          };
        },
      },
    );
    for (const warning of warnings) context.warn(warning);
    if (result.failed.length === 0) return 0;
    return result.files + result.folders.length === 0 ? 1 : 3;
  },
});

/** @throws usage when the folder that nobody named is in a DVC repository, which would take its `.dvc` files for its own */
async function refuseRepository(outputDir: string): Promise<void> {
  const { dvcRootOf } = await import('../../../core/projects/dvc/dvc-ignore.js');
  const root = dvcRootOf(rawFromText(outputDir));
  if (root === undefined) return;
  throw usageError(
    `${printable(outputDir)} would be in the DVC repository ${displayPath(root)}, which then tracks its .dvc files, too`,
    'name the folder that the upload was made of: archiver dvc export S3_URL .',
  );
}

function exportText(result: SidecarResult, outputDir: string, cacheDir: string | null): string {
  const { files, folders, unchanged, replaced, firstReplaced, failed, links, gitignoreLines } = result;
  const ignored = gitignoreLines === 0 ? '' : `; ${formatQuantity(gitignoreLines, 'line')} added to .gitignore`;
  const same = unchanged === 0 ? '' : `, ${formatCount(unchanged)} of them unchanged`;
  const left = links === 0 ? '' : `; left out ${formatQuantity(links, 'symbolic link')}`;
  const what = `${formatQuantity(files, 'file')} and ${formatQuantity(folders.length, 'folder')}`;
  const indent = '  ';
  const replacedLines = firstReplaced.map((path) => fact('replaced', printable(path)));
  const failedLines = failed.map(({ path, reason }) => fact('failed', `${printable(path)}: ${reason}`));
  return textOf([
    `wrote .dvc files for ${what} to ${printable(outputDir)}${same}${left}${ignored}`,
    ...leftOutFiles(result).map((text) => fact('no .dvc', text)),
    ...(folders.length > 0 && cacheDir === null
      ? [fact('lists', 'not written: the folder is in no DVC repository, and --cache-dir is not given')]
      : []),
    ...firstLines(replacedLines, { total: replaced, indent }),
    ...firstLines(failedLines, { indent }),
  ]);
}
