import { defineCommand } from '../../cli/command.js';
import type { Messages, Results } from '../../cli/context.js';
import { printable } from '../../core/paths/raw-path.js';
import { DATASET_COLUMNS } from '../kit/dataset-table.js';
import { placeArg, storeFlags, writerFlag } from '../kit/flags.js';
import { refuseMissingFolder, type StoreContext, withStore } from '../kit/store.js';
import { tableText } from '../kit/table.js';
import { type ReadingContext, whileReading } from '../kit/while-reading.js';

export const command = defineCommand({
  path: 'dataset list',
  summary: 'list the datasets under a prefix',
  description:
    'A dataset is what uploads and syncs of one folder have in common. Shows how many versions each has, and files and ' +
    'bytes of the newest one as a restore would give them.',
  args: [placeArg],
  flags: { ...writerFlag, ...storeFlags('us-west-2') },
  examples: [
    'archiver dataset list s3://acme-archive/lab',
    'archiver dataset list s3://acme-archive/fleet --writer-id web-01',
    'archiver dataset list file:///mnt/backup --json',
  ],
  exits: { 0: 'listed', 1: 'the store cannot be read', 3: 'listed, but the newest version of a dataset is unreadable' },
  async run(values, [url], context: Results & Messages & StoreContext & ReadingContext) {
    const { datasetBase } = await import('../kit/dataset-target.js');
    const baseUrl = datasetBase(url, values.writerId);
    const { describeDatasets } = await import('../../core/dataset/records/describe-datasets.js');
    const { datasets, requests } = await whileReading(context, baseUrl, (emit) =>
      withStore({ baseUrl, values, context, onEvent: emit }, async ({ store, requests }) => {
        return { datasets: await describeDatasets(store, context.signal, emit), requests };
      }),
    );
    if (datasets.length === 0) await refuseMissingFolder(baseUrl);
    for (const { problem } of datasets) if (problem !== undefined) context.warn(problem);
    const none = `no datasets under ${printable(baseUrl)}\n`;
    const text = datasets.length === 0 ? none : await tableText(datasets, DATASET_COLUMNS, context);
    context.result({ datasets, location: baseUrl, requests }, () => text);
    return datasets.some(({ problem }) => problem !== undefined) ? 3 : 0;
  },
});
