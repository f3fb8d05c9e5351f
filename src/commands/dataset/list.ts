import { defineCommand } from '../../cli/command.js';
import type { Cancellation, Messages, Pricing, Results } from '../../cli/context.js';
import { flag } from '../../cli/flag.js';
import { conflicts } from '../../cli/rule.js';
import type { DatasetSummary } from '../../core/dataset/records/describe-datasets.js';
import { isArchiverError } from '../../core/platform/failures/errors.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { shortUsd } from '../../ui/format-usd.js';
import { readerBelow } from '../../core/store/reader-below.js';
import { joinStoreUrl } from '../../core/store/store-url.js';
import { allWritersFlag, noteWriters, placesOf, writerOf } from '../kit/all-writers.js';
import { DATASET_COLUMNS } from '../kit/dataset-table.js';
import { placeArg, storeFlags, writerFlag } from '../kit/flags.js';
import { ofKnown } from '../kit/lines.js';
import { refuseMissingFolder, type StoreContext, withStore } from '../kit/store.js';
import type { StoredCost } from '../kit/stored-cost.js';
import { column, numbers, tableText } from '../kit/table.js';
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
    ...allWritersFlag,
    ...writerFlag,
    ...storeFlags('us-west-2'),
  },
  rules: [conflicts('allWriters', ['writerId'])],
  examples: [
    'archiver dataset list s3://acme-archive/lab',
    'archiver dataset list s3://acme-archive/fleet --all-writers',
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
        const datasets: PlacedDataset[] = [];
        for (const place of await placesOf(store, values, context)) {
          const found = await describeDatasets(readerBelow(store, place), { warn, signal: context.signal, emit });
          datasets.push(...found.map((dataset) => ({ ...dataset, place })));
        }
        await noteWriters(store, values, context);
        const costs = values.cost ? await costsOf(datasets, opened, context) : undefined;
        return { datasets, costs, requests };
      }),
    );
    for (const text of strays) context.warn(text);
    if (datasets.length === 0) await refuseMissingFolder(baseUrl);
    for (const { problem } of datasets) if (problem !== undefined) context.warn(problem);
    const none = `no datasets under ${printable(baseUrl)}\n`;
    const monthly = numbers<PlacedDataset>('MONTH', (dataset) => ofKnown(costs?.get(dataset), monthText));
    const columns = [
      ...(values.allWriters ? [WRITER_COLUMN] : []),
      ...DATASET_COLUMNS,
      ...(costs === undefined ? [] : [monthly]),
    ];
    const text = datasets.length === 0 ? none : await tableText(datasets, columns, context);
    const { storedCostDocument } = await import('../kit/stored-cost.js');
    const documents = datasets.map((dataset) => {
      const cost = costs?.get(dataset);
      const { place, ...summary } = dataset;
      const placed = values.allWriters ? { ...summary, location: joinStoreUrl(baseUrl, place) } : summary;
      return cost === undefined ? placed : { ...placed, cost: cost === null ? null : storedCostDocument(cost) };
    });
    context.result({ datasets: documents, location: baseUrl, requests }, () => text);
    const isPartial = datasets.some((dataset) => dataset.problem !== undefined || costs?.get(dataset) === null);
    return isPartial ? 3 : 0;
  },
});

/** A dataset and where it lies, relative to the base. */
interface PlacedDataset extends DatasetSummary {
  readonly place: string;
}

const WRITER_COLUMN = column<PlacedDataset>('WRITER', ({ place }) => (place === '' ? '-' : writerOf(place)));

const monthText = ({ monthlyUsd }: StoredCost): string => shortUsd(monthlyUsd);

/** Returns the cost of the newest version of each dataset; null, with a warning, where its manifest cannot be read. */
async function costsOf(
  datasets: readonly PlacedDataset[],
  opened: OpenedStore,
  context: Pricing & Cancellation & Pick<Messages, 'warn'>,
): Promise<ReadonlyMap<PlacedDataset, StoredCost | null>> {
  const { readView } = await import('../../core/dataset/chain/read-view.js');
  const { storedCost } = await import('../kit/stored-cost.js');
  const costs = new Map<PlacedDataset, StoredCost | null>();
  for (const dataset of datasets) {
    const { datasetId, headUploadId: uploadId, place } = dataset;
    if (uploadId === null) continue;
    try {
      const { head } = await readView(readerBelow(opened.store, place), {
        uploadId,
        headOnly: true,
        signal: context.signal,
      });
      costs.set(dataset, storedCost(head.chunks, opened, context));
    } catch (error) {
      if (!isArchiverError(error) || context.signal.aborted) throw error;
      context.warn(`what ${printable(datasetId)} costs is not known: ${error.message}`);
      costs.set(dataset, null);
    }
  }
  return costs;
}
