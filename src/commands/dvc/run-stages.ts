// `archiver dvc stages`: the stages that the files of an upload name, counted while the manifest streams by.
import type { Context } from '../../cli/context.js';
import { countStages, type StageCounts } from '../../core/dvc/stage-counts.js';
import { printable } from '../../core/paths/raw-path.js';
import { formatBytes, formatCount, formatQuantity } from '../../ui/format.js';
import { printTable } from '../dataset/print-table.js';
import { openForReading } from '../kit/store.js';
import { uploadTarget, uploadUrl } from '../kit/upload-target.js';
import type { DvcStagesValues } from './stages.js';

/** Runs the command. */
export async function runDvcStages(values: DvcStagesValues, url: string | undefined, context: Context): Promise<void> {
  const target = uploadTarget(url, values);
  const location = uploadUrl(target);
  const opened = await openForReading(target.baseUrl, values, context);
  try {
    const counts = await countStages(opened.store, target.uploadId, context.signal);
    const text = context.json ? '' : await stagesText(counts, location, context);
    const { head, stages, others } = counts;
    const document = {
      uploadId: target.uploadId,
      location,
      stages: [...stages].map(([name, count]) => ({ name, ...count })),
      others,
      dvc: head.dvc ?? null,
      requests: opened.requests,
    };
    context.result(document, () => text);
  } finally {
    opened.close();
  }
}

async function stagesText({ stages, others }: StageCounts, location: string, context: Context): Promise<string> {
  const amount = `${formatQuantity(others.files, 'file')}, ${formatBytes(others.bytes)}`;
  if (stages.size === 0) {
    context.note('uploads name the stages of files when they are made with --dvc-auto');
    return `no file of ${printable(location)} belongs to a DVC stage (${amount})\n`;
  }
  const rows = [...stages].map(([name, count]) => ({
    stage: printable(name),
    files: formatCount(count.files),
    size: formatBytes(count.bytes),
  }));
  const columns = [
    { key: 'stage', title: 'STAGE' },
    { key: 'files', title: 'FILES', align: 'right' as const },
    { key: 'size', title: 'SIZE', align: 'right' as const },
  ];
  const table = await printTable(rows, columns, context);
  return others.files === 0 ? table : `${table}and ${amount} of no stage\n`;
}
