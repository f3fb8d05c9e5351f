import { defineCommand } from '../../../cli/command.js';
import type { Messages, Results } from '../../../cli/context.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { formatBytes, formatCount } from '../../../ui/format.js';
import { uploadArg, uploadTargetFlags, uploadTargetRules } from '../../kit/flags.js';
import { amountText } from '../../kit/lines.js';
import { type StoreContext, withStore } from '../../kit/store.js';
import { type Column, column, numbers, tableText, type TableContext } from '../../kit/table.js';
import { findUpload, uploadUrl } from '../../kit/upload-target.js';
import { type ReadingContext, whileReading } from '../../kit/while-reading.js';

interface StageRow {
  readonly name: string;
  readonly files: number;
  readonly bytes: number;
}

const COLUMNS: readonly Column<StageRow>[] = [
  column('STAGE', ({ name }) => printable(name)),
  numbers('FILES', ({ files }) => formatCount(files)),
  numbers('SIZE', ({ bytes }) => formatBytes(bytes)),
];

export const command = defineCommand({
  path: 'dvc stages',
  summary: 'list the DVC stages of an upload',
  description:
    'Shows how many files of the upload each stage makes or each .dvc file tracks, and their size. Reads manifests alone. ' +
    'Uploads name the stages of files when they are made with --dvc-auto.',
  args: [uploadArg],
  flags: uploadTargetFlags('us-east-1'),
  rules: [...uploadTargetRules],
  examples: [
    'archiver dvc stages s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver dvc stages --bucket acme-archive --prefix lab --upload-id 20251114-093012-1a2b3c4d --json',
  ],
  exits: { 0: 'listed, also when there are none', 1: 'the manifest is missing, damaged or cannot be read' },
  async run(values, [url], context: Results<'dvc stages'> & Messages & StoreContext & TableContext & ReadingContext) {
    const { baseUrl, uploadId, manifestSha256: sha256, session } = await findUpload(url, values, context);
    const { countStages } = await import('../../../core/projects/dvc/stage-counts.js');
    const location = uploadUrl({ baseUrl, uploadId });
    const {
      head,
      stages: counts,
      others,
      requests,
    } = await whileReading(context, location, (emit) =>
      withStore({ baseUrl, values, context, session, onEvent: emit }, async ({ store, requests }) => {
        const { signal } = context;
        return { ...(await countStages(store, { uploadId, sha256, emit, signal })), requests };
      }),
    );
    const stages = [...counts].map(([name, count]) => ({ name, ...count }));
    const rest = amountText(others.files, 'file', others.bytes);
    if (stages.length === 0) context.note('uploads name the stages of files when they are made with --dvc-auto');
    const text =
      stages.length === 0
        ? `no file of ${printable(location)} belongs to a DVC stage (${rest})\n`
        : (await tableText(stages, COLUMNS, context)) + (others.files === 0 ? '' : `and ${rest} of no stage\n`);
    context.result({ uploadId, location, stages, others, dvc: head.dvc ?? null, requests }, () => text);
  },
});
