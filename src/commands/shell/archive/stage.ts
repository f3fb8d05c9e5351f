import { ArchiverError } from '../../../core/platform/failures/errors.js';
import type { Listing } from '../../../core/restore/listing/listing.js';
import { displayPath, printable } from '../../../core/platform/paths/raw-path.js';
import { formatBytes, formatQuantity } from '../../../ui/format.js';
import { pad, widthOf } from '../../../ui/text.js';
import type { ArchiveCall, ArchiveCommand } from '../archive-command.js';
import { FACTS, fileRow, RowPrinter } from './rows.js';
import { isOfStage } from '../../../core/format/manifest/provenance.js';

export const stage: ArchiveCommand = {
  name: 'stage',
  usage: 'stage list | stage NAME',
  summary: 'the DVC stages, or the files of one',
  args: ['stage', 'nothing'],
  minArgs: 1,
  maxArgs: 1,
  async run(call) {
    const listing = await call.session.reading(call.streams, (lazy, how) => lazy.readAll(how));
    const name = call.args[0]?.text ?? '';
    if (listing.stages.length === 0)
      throw new ArchiverError('not-found', 'no file of this archive has a DVC stage', {
        hint: 'archiver upload --dvc-auto notes the stages of dvc.yaml',
      });
    if (name === 'list') await listStages(call);
    else if (listing.stages.some((one) => isOfStage(one, name))) await filesOf(call, name);
    else throw new ArchiverError('not-found', `there is no stage ${printable(name)}`, { hint: 'stage list' });
  },
};

interface StageSum {
  files: number;
  bytes: number;
}

async function listStages({ session, out }: ArchiveCall): Promise<void> {
  const rows = [...sumsOf(session.listing)].map(([name, { files, bytes }]) => [
    printable(name),
    formatQuantity(files, 'file'),
    formatBytes(bytes),
  ]);
  const width = (column: number): number =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[column] ?? '')), 0);
  const [nameWidth, filesWidth, bytesWidth] = [width(0), width(1), width(2)];
  for (const [name = '', files = '', bytes = ''] of rows)
    await out.write(
      `  ${pad(name, nameWidth)}  ${pad(files, filesWidth, 'right')}  ${pad(bytes, bytesWidth, 'right')}\n`,
    );
}

function sumsOf(listing: Listing): ReadonlyMap<string, StageSum> {
  const sums = new Map<string, StageSum>(listing.stages.map((name) => [name, { files: 0, bytes: 0 }]));
  for (let index = 0; index < listing.count; index++) {
    const sum = sums.get(listing.stage(index) ?? '');
    if (sum === undefined || listing.type(index) === 'directory') continue;
    sum.files++;
    sum.bytes += listing.sizeBytes(index);
  }
  return sums;
}

async function filesOf({ session, out }: ArchiveCall, name: string): Promise<void> {
  const { listing } = session;
  const rows = new RowPrinter(out, FACTS);
  for (let index = 0; index < listing.count; index++)
    if (isOfStage(listing.stage(index), name) && listing.type(index) !== 'directory')
      await rows.add(fileRow(listing, index, `/${displayPath(listing.path(index))}`));
  await rows.flush();
}
