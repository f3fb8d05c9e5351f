// `archiver list STORE`: shows what a store has, by name. It lists folders, and reads the newest record of each dataset.
import type { Messages, Results, Verbosity } from '../../cli/context.js';
import { describeDatasets } from '../../core/dataset/records/describe-datasets.js';
import { findPlaces, listUploads, findMissingManifests } from '../../core/dataset/records/find-places.js';
import { oddTexts } from '../../core/store/ids/key-form.js';
import { joinStoreUrl } from '../../core/store/store-url.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatQuantity } from '../../ui/format.js';
import { DATASET_COLUMNS } from '../kit/dataset-table.js';
import { fact, firstLines, textOf } from '../kit/lines.js';
import { refuseMissingFolder, type StoreContext, type StoreValues, withStore } from '../kit/store.js';
import { tableText } from '../kit/table.js';
import { type ReadingContext, whileReading } from '../kit/while-reading.js';

/** Prints datasets, uploads, and the places below that have some of their own; returns the exit status. */
export async function showStore(
  baseUrl: string,
  values: StoreValues,
  context: Results<'list'> & Messages & Verbosity & StoreContext & ReadingContext,
): Promise<number> {
  const { signal, verbose } = context;
  const strays: string[] = [];
  const warn = (text: string): void => void strays.push(text);
  const { datasets, uploads, without, found, requests } = await whileReading(context, baseUrl, (emit) =>
    withStore({ baseUrl, values, context, onEvent: emit }, async ({ store, requests }) => {
      const datasets = await describeDatasets(store, { warn, signal, emit });
      const odd: string[] = [];
      const all = (await listUploads(store, signal, odd)).toReversed();
      const newest = new Set(datasets.map(({ headUploadId }) => headUploadId));
      const asked = all.filter((id) => !newest.has(id));
      const { without, fenced } = await findMissingManifests(store, asked, signal);
      const uploads = all.filter((id) => !fenced.has(id));
      const found = await findPlaces(store, signal);
      strays.push(...oddTexts([...odd, ...found.odd]));
      return { datasets, uploads, without, found, requests };
    }),
  );
  const whole = uploads.filter((id) => !without.has(id));
  if (uploads.length + found.places.length === 0) await refuseMissingFolder(baseUrl);
  const places = found.places.map((place) => joinStoreUrl(baseUrl, place));
  for (const text of strays) context.warn(text);
  for (const { problem } of datasets) if (problem !== undefined) context.warn(problem);
  const first = datasets.find(({ problem }) => problem === undefined) ?? datasets[0];
  const call = `archiver list ${printable(baseUrl)}`;
  if (first !== undefined)
    context.note(`${call} --dataset ${printable(first.datasetId)} lists the files of its newest version`);
  if (!found.isComplete) context.note('not every folder below was looked into');
  const table = datasets.length === 0 ? '' : await tableText(datasets, DATASET_COLUMNS, context);
  const lines = [
    `${formatQuantity(datasets.length, 'dataset')}, ${formatQuantity(whole.length, 'upload')} in ${printable(baseUrl)}`,
    ...firstLines(
      whole.map((id) => fact('upload', id)),
      { isVerbose: verbose },
    ),
    ...firstLines(
      Array.from(without, (id) =>
        fact('rest', `${id}, without a manifest: pruned, an attempt at a part, or not finished`),
      ),
      { isVerbose: verbose },
    ),
    ...firstLines(
      places.map((url) => fact('below', printable(url))),
      { isVerbose: verbose },
    ),
  ];
  const document = {
    location: baseUrl,
    datasets,
    uploads: uploads.map((uploadId) => ({ uploadId, hasManifest: !without.has(uploadId) })),
    places,
    isComplete: found.isComplete,
    requests,
  };
  context.result(document, () => table + textOf(lines));
  return datasets.some(({ problem }) => problem !== undefined) ? 3 : 0;
}
