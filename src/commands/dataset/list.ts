import { defineCommand } from '../../cli/command.js';
import type { Cancellation, Messages, Pricing, Results } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import type { DatasetSummary } from '../../core/dataset/records/describe-datasets.js';
import { isArchiverError } from '../../core/platform/failures/errors.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { shortUsd } from '../../ui/format-usd.js';
import { DATASET_COLUMNS } from '../kit/dataset-table.js';
import { placeArg, storeFlags, writerFlag } from '../kit/flags.js';
import { ofKnown } from '../kit/lines.js';
import { refuseMissingFolder, type StoreContext, withStore } from '../kit/store.js';
import type { StoredCost } from '../kit/stored-cost.js';
import { numbers, tableText } from '../kit/table.js';
import { type ReadingContext, whileReading } from '../kit/while-reading.js';

export const command = defineCommand({
  path: 'dataset list',
  summary: 'list the datasets under a prefix',
  description:
    'A dataset is what uploads and syncs of one folder have in common. Shows how many versions each has, and files and ' +
    'bytes of the newest one as a restore would give them.',
  args: [placeArg],
  flags: {
    cost: flag.on({
      describe: 'say what storing the newest version of each costs a month; reads its manifest, a request each',
    }),
    ...writerFlag,
    ...storeFlags('us-west-2'),
  },
  examples: [
    'archiver dataset list s3://acme-archive/lab',
    'archiver dataset list s3://acme-archive/fleet --writer-id web-01',
    'archiver dataset list file:///mnt/backup --json',
  ],
  exits: { 0: 'listed', 1: 'the store cannot be read', 3: 'listed, but the newest version of a dataset is unreadable' },
  async run(values, [url], context: Results<'dataset list'> & Messages & StoreContext & ReadingContext & Pricing) {
    const { datasetBase } = await import('../kit/dataset-target.js');
    const baseUrl = datasetBase(url, values.writerId);
    const { describeDatasets } = await import('../../core/dataset/records/describe-datasets.js');
    const strays: string[] = [];
    const warn = (text: string): void => void strays.push(text);
    const { datasets, costs, requests } = await whileReading(context, baseUrl, (emit) =>
      withStore({ baseUrl, values, context, onEvent: emit }, async (opened) => {
        const { store, requests } = opened;
        const datasets = await describeDatasets(store, { warn, signal: context.signal, emit });
        const costs = values.cost ? await costsOf(datasets, opened, context) : undefined;
        return { datasets, costs, requests };
      }),
    );
    for (const text of strays) context.warn(text);
    if (datasets.length === 0) await refuseMissingFolder(baseUrl);
    for (const { problem } of datasets) if (problem !== undefined) context.warn(problem);
    const none = `no datasets under ${printable(baseUrl)}\n`;
    const monthly = numbers<DatasetSummary>('MONTH', ({ datasetId }) => ofKnown(costs?.get(datasetId), monthText));
    const columns = costs === undefined ? DATASET_COLUMNS : [...DATASET_COLUMNS, monthly];
    const text = datasets.length === 0 ? none : await tableText(datasets, columns, context);
    const { storedCostDocument } = await import('../kit/stored-cost.js');
    const documents = datasets.map((dataset) => {
      const cost = costs?.get(dataset.datasetId);
      return cost === undefined ? dataset : { ...dataset, cost: cost === null ? null : storedCostDocument(cost) };
    });
    context.result({ datasets: documents, location: baseUrl, requests }, () => text);
    const isPartial = datasets.some(
      ({ datasetId, problem }) => problem !== undefined || costs?.get(datasetId) === null,
    );
    return isPartial ? 3 : 0;
  },
});

const monthText = ({ monthlyUsd }: StoredCost): string => shortUsd(monthlyUsd);

/** Returns the cost of the newest version of each dataset; null, with a warning, where its manifest cannot be read. */
async function costsOf(
  datasets: readonly DatasetSummary[],
  opened: OpenedStore,
  context: Pricing & Cancellation & Pick<Messages, 'warn'>,
): Promise<ReadonlyMap<string, StoredCost | null>> {
  const { readView } = await import('../../core/dataset/chain/read-view.js');
  const { storedCost } = await import('../kit/stored-cost.js');
  const costs = new Map<string, StoredCost | null>();
  for (const { datasetId, headUploadId: uploadId } of datasets) {
    if (uploadId === null) continue;
    try {
      const { head } = await readView(opened.store, { uploadId, headOnly: true, signal: context.signal });
      costs.set(datasetId, storedCost(head.chunks, opened, context));
    } catch (error) {
      if (!isArchiverError(error) || context.signal.aborted) throw error;
      context.warn(`what ${printable(datasetId)} costs is not known: ${error.message}`);
      costs.set(datasetId, null);
    }
  }
  return costs;
}
