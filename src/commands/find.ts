import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import type { Messages, StreamedResults } from '../cli/context.js';
import { flag } from '../cli/flag.js';
import { conflicts } from '../cli/rule.js';
import type { Hit } from '../core/dataset/history/find-in-versions.js';
import type { PlacedSearch } from '../core/dataset/history/search-store.js';
import { type Json, jsonOf } from '../core/platform/json/document.js';
import { joinStoreUrl } from '../core/store/store-url.js';
import { allWritersFlag, noteWriters, placesOf } from './kit/all-writers.js';
import { allFlag, storeFlags, writerFlag } from './kit/flags.js';
import { documentParts, inPieces } from './kit/pieces.js';
import { refuseMissingFolder, type StoreContext, withStore } from './kit/store.js';
import { type ReadingContext, whileReading } from './kit/while-reading.js';

const flags = {
  datasetId: flag.text({
    alias: 'dataset',
    names: 'dataset',
    placeholder: 'NAME|ID',
    describe:
      'only in this dataset: its id, its name or a beginning that no other has; in all of the store when not given',
  }),
  ...allFlag,
  ...allWritersFlag,
  ...writerFlag,
  ...storeFlags('us-west-2'),
};

export const command = defineCommand({
  path: 'find',
  summary: 'find paths in all versions of a dataset, or of a store',
  description:
    'A pattern such as "*.csv" is compared with names, one with a slash such as "data/**/*.csv" with paths, and a plain word is ' +
    'found anywhere in a path. Shows the versions that hold each path, a row for each content and time, newest first; folders once. ' +
    'Of more than a screenful, files of a folder that the same versions hold are one row; --all lists them.\n' +
    'Reads manifests only, each of them once: full listings, of which there is one for about nine versions, and what changed in ' +
    'between. `archiver restore STORE OUT --dataset-id ID --version N --file PATH` gets what was found.',
  args: [
    arg.text('PATTERN', { describe: 'a word, or a pattern for names or paths; \\xNN is a byte' }),
    arg.url('STORE', { describe: 'bucket and prefix of the uploads' }),
  ],
  flags,
  rules: [conflicts('allWriters', ['writerId'])],
  examples: [
    'archiver find "*.csv" s3://acme-archive/lab --dataset-id results-1a2b3c4d',
    'archiver find "*.csv" s3://acme-archive/fleet --all-writers',
    'archiver find budget file:///mnt/backup --json',
  ],
  exits: {
    0: 'searched, whether or not anything was found',
    1: 'there is no such dataset, or the store cannot be read',
    3: 'searched, but some versions could not be',
  },
  async run(values, [pattern, url], context: StreamedResults<'find'> & Messages & StoreContext & ReadingContext) {
    const { datasetBase } = await import('./kit/dataset-target.js');
    const { findMatcher, findNeedles, findRanges } = await import('../core/format/manifest/find-pattern.js');
    const { foundPath, searchPlaces } = await import('../core/dataset/history/search-store.js');
    const baseUrl = datasetBase(url, values.writerId);
    const { datasetId: dataset } = values;
    const isWanted = findMatcher(pattern);
    const {
      datasets: searched,
      strays,
      problems,
      requests,
    } = await whileReading(context, baseUrl, (emit) =>
      withStore({ baseUrl, values, context, onEvent: emit }, async ({ store, requests }) => {
        const found = await searchPlaces(store, await placesOf(store, values, context), {
          isWanted,
          needles: findNeedles(pattern),
          ranges: findRanges(pattern),
          dataset,
          emit,
          signal: context.signal,
        });
        if (found.datasets.length === 0) await refuseMissingFolder(baseUrl);
        await noteWriters(store, values, context);
        return { ...found, requests };
      }),
    );
    const placed = (place: string) => (values.allWriters ? { location: joinStoreUrl(baseUrl, place) } : {});
    const told = [...strays, ...problems];
    for (const text of told) context.warn(text);
    if (context.json) {
      const hitCount = searched.reduce((sum, { found }) => sum + found.hits.length, 0);
      const datasets = searched.map(({ datasetId, place, found }) => ({
        datasetId,
        ...placed(place),
        versionCount: found.versions,
      }));
      const warnings = told.map((message) => ({ message }));
      const head = { pattern, location: baseUrl, hitCount, datasets, warnings, requests };
      await context.streamDocument(
        documentParts(head, {
          hits: () =>
            documentHits(searched, (one, hit) => ({ ...placed(one.place), ...foundPath(one.datasetId, hit) })),
        }),
      );
    } else {
      const { nothingText, textRows } = await import('./find/hit-rows.js');
      for (const one of searched)
        for await (const piece of inPieces(
          textRows(one, { isNamed: dataset === undefined || values.allWriters, isFolded: !values.all }),
        ))
          await context.print(piece);
      if (!searched.some(({ found }) => found.hits.length > 0)) context.result(undefined, () => nothingText(searched));
    }
    return problems.length > 0 ? 3 : 0;
  },
});

function* documentHits<T>(
  searched: readonly PlacedSearch[],
  documentOf: (one: PlacedSearch, hit: Hit) => T,
): Generator<Json<T>> {
  for (const one of searched) for (const hit of one.found.hits) yield jsonOf(documentOf(one, hit));
}
