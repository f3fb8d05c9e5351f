import { defineCommand } from '../../cli/command.js';
import type { Messages, Results } from '../../cli/context.js';
import type { DatasetSummary } from '../../core/dataset/records/describe-datasets.js';
import { printable } from '../../core/paths/raw-path.js';
import { formatBytes, formatCount } from '../../ui/format.js';
import { placeArg, storeFlags, writerFlag } from '../kit/flags.js';
import { minuteText, ofKnown } from '../kit/lines.js';
import { type StoreContext, withStore } from '../kit/store.js';
import { type Column, column, numbers, tableText, type TableContext } from '../kit/table.js';

const COLUMNS: readonly Column<DatasetSummary>[] = [
  column('DATASET', ({ datasetId }) => printable(datasetId)),
  numbers('VERSIONS', ({ versionCount }) => formatCount(versionCount)),
  numbers('HEAD', ({ headVersion }) => `v${headVersion}`, { dropOrder: 2 }),
  numbers('FILES', ({ files }) => ofKnown(files, formatCount)),
  numbers('SIZE', ({ bytes }) => ofKnown(bytes, formatBytes)),
  column('UPDATED', ({ updatedAt }) => ofKnown(updatedAt, minuteText), { dropOrder: 1 }),
  column('SOURCE', ({ source, host }) => ofKnown(source, (path) => printable(`${path} on ${host ?? '?'}`)), {
    isCuttable: true,
    dropOrder: 3,
  }),
];

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
  async run(values, [url], context: Results & Messages & StoreContext & TableContext) {
    const { datasetBase } = await import('../kit/dataset-target.js');
    const baseUrl = datasetBase(url, values.writerId);
    const { describeDatasets } = await import('../../core/dataset/records/describe-datasets.js');
    return await withStore({ baseUrl, values, context }, async ({ store, requests }) => {
      const datasets = await describeDatasets(store, context.signal);
      for (const { problem } of datasets) if (problem !== undefined) context.warn(problem);
      const none = `no datasets under ${printable(baseUrl)}\n`;
      const text = datasets.length === 0 ? none : await tableText(datasets, COLUMNS, context);
      context.result({ datasets, location: baseUrl, requests }, () => text);
      return datasets.some(({ problem }) => problem !== undefined) ? 3 : 0;
    });
  },
});
