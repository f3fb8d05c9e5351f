import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import type { Messages, StreamedResults } from '../cli/context.js';
import { flag } from '../cli/flag.js';
import type { Found, Hit } from '../core/dataset/history/find-in-versions.js';
import { runsText } from '../core/dataset/records/ordinals-text.js';
import { resultPath } from '../core/failures/failure-list.js';
import { pathKeys } from '../core/manifest/listed-file.js';
import { formatTimestamp } from '../core/manifest/timestamp.js';
import type { ObjectReader } from '../core/object-store/object-store.js';
import { displayPath, printable } from '../core/paths/raw-path.js';
import { formatQuantity } from '../ui/format.js';
import { sizeAndTime, SIZE_AND_TIME } from './kit/entry-cells.js';
import { storeFlags, writerFlag } from './kit/flags.js';
import { documentParts, inPieces } from './kit/pieces.js';
import { refuseMissingFolder, type StoreContext, withStore } from './kit/store.js';
import { type ReadingContext, whileReading } from './kit/while-reading.js';

const flags = {
  datasetId: flag.text({
    alias: 'dataset',
    placeholder: 'NAME|ID',
    describe:
      'only in this dataset: its id, its name or a beginning that no other has; in all of the store when not given',
  }),
  ...writerFlag,
  ...storeFlags('us-west-2'),
};

export const command = defineCommand({
  path: 'find',
  summary: 'find paths in all versions of a dataset, or of a store',
  description:
    'A pattern such as "*.csv" is compared with names, one with a slash such as "data/**/*.csv" with paths, and a plain word is ' +
    'found anywhere in a path. Shows the versions that hold each path, a row for each content and time, newest first; folders once.\n' +
    'Reads manifests only, each of them once: full listings, of which there is one for about nine versions, and what changed in ' +
    'between. `archiver restore STORE OUT --dataset-id ID --version N --file PATH` gets what was found.',
  args: [
    arg.text('PATTERN', { describe: 'a word, or a pattern for names or paths; \\xNN is a byte' }),
    arg.url('STORE', { describe: 'bucket and prefix of the uploads' }),
  ],
  flags,
  examples: [
    'archiver find "*.csv" s3://acme-archive/lab --dataset-id results-1a2b3c4d',
    'archiver find budget file:///mnt/backup --json',
  ],
  exits: {
    0: 'searched, whether or not anything was found',
    1: 'there is no such dataset, or the store cannot be read',
    3: 'searched, but some versions could not be',
  },
  async run(values, [pattern, url], context: StreamedResults & Messages & StoreContext & ReadingContext) {
    const { datasetBase } = await import('./kit/dataset-target.js');
    const { findMatcher } = await import('../core/manifest/find-pattern.js');
    const { findInVersions } = await import('../core/dataset/history/find-in-versions.js');
    const { findDataset } = await import('../core/dataset/records/find-dataset.js');
    const { listDatasets } = await import('../core/dataset/records/versions.js');
    const { strayTexts } = await import('../core/dataset/records/strays.js');
    const { progressMeter } = await import('../core/progress-meter.js');
    const { signal } = context;
    const baseUrl = datasetBase(url, values.writerId);
    const { datasetId: named } = values;
    const isWanted = findMatcher(pattern);
    const strays: string[] = [];
    const datasetsOf = async (reader: ObjectReader): Promise<readonly string[]> => {
      const options = { warn: (text: string) => void strays.push(text), signal };
      if (named !== undefined) return [(await findDataset(reader, named, options)).datasetId];
      const listed = await listDatasets(reader, signal);
      strays.push(...strayTexts(listed.strays));
      return [...listed.versions.keys()];
    };
    const { searched, requests } = await whileReading(context, baseUrl, (emit) =>
      withStore({ baseUrl, values, context, onEvent: emit }, async ({ store, requests }) => {
        emit({ type: 'phase', phase: 'reading' });
        const searched: Searched[] = [];
        for (const datasetId of await datasetsOf(store)) {
          const meter = progressMeter(emit);
          const onPlan = (items: number): void => emit({ type: 'plan', items, bytes: 0 });
          const onLines = (lines: number): void => meter.add(lines, 0);
          const found = await findInVersions(store, datasetId, { isWanted, onPlan, onLines, signal });
          meter.finish();
          searched.push({ datasetId, found });
        }
        if (searched.length === 0) await refuseMissingFolder(baseUrl);
        return { searched, requests };
      }),
    );
    const problems = searched.flatMap(({ datasetId, found }) =>
      found.problems.map((problem) => `dataset ${printable(datasetId)}: ${problem}`),
    );
    const told = [...strays, ...problems];
    for (const text of told) context.warn(text);
    if (context.json) {
      const hitCount = searched.reduce((sum, { found }) => sum + found.hits.length, 0);
      const datasets = searched.map(({ datasetId, found }) => ({ datasetId, versionCount: found.versions }));
      const warnings = told.map((message) => ({ message }));
      const head = { pattern, location: baseUrl, hitCount, datasets, warnings, requests };
      await context.streamDocument(documentParts(head, { hits: () => documentHits(searched) }));
    } else {
      for (const one of searched)
        for await (const piece of inPieces(textRows(one, named === undefined))) await context.print(piece);
      if (!searched.some(({ found }) => found.hits.length > 0)) context.result(undefined, () => nothingText(searched));
    }
    return problems.length > 0 ? 3 : 0;
  },
});

interface Searched {
  readonly datasetId: string;
  readonly found: Found;
}

function nothingText(searched: readonly Searched[]): string {
  const versions = searched.reduce((sum, { found }) => sum + found.versions, 0);
  return `no path matches in ${formatQuantity(versions, 'version')} of ${formatQuantity(searched.length, 'dataset')}\n`;
}

const versionsText = ({ versions }: Hit): string => runsText(versions, 'v');

/** Wider ones push their row to the right. */
const MAX_WIDTH = 24;

function* textRows({ datasetId, found: { hits } }: Searched, isNamed: boolean): Generator<string> {
  if (hits.length === 0) return;
  if (isNamed) yield `dataset ${printable(datasetId)}\n`;
  const title = 'VERSIONS';
  const width = hits.reduce(
    (widest, hit) => Math.min(MAX_WIDTH, Math.max(widest, versionsText(hit).length)),
    title.length,
  );
  yield `${title.padEnd(width)}  ${SIZE_AND_TIME}  PATH\n`;
  for (const hit of hits) {
    const { path, type, target } = hit.entry;
    const end = type === 'directory' ? '/' : target === undefined ? '' : ` -> ${displayPath(target)}`;
    yield `${versionsText(hit).padEnd(width)}  ${sizeAndTime(hit.entry)}  ${displayPath(path)}${end}\n`;
  }
}

function* documentHits(searched: readonly Searched[]): Generator<string> {
  for (const { datasetId, found } of searched) {
    for (const { entry, versions } of found.hits) {
      const { path, type, size, mtime, md5, target } = entry;
      yield JSON.stringify({
        datasetId,
        ...pathKeys(path),
        type,
        size,
        mtime: formatTimestamp(mtime.seconds, mtime.nanos),
        md5: md5 ?? null,
        ...(target === undefined ? {} : { target: resultPath(target) }),
        inVersions: versions.map(({ from, to }) => ({ firstVersion: from, lastVersion: to })),
      });
    }
  }
}
