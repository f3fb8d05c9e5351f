import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import type { Messages, Results } from '../cli/context.js';
import { datasetFlag, placeArg, storeFlags, writerFlag } from './kit/flags.js';
import { type StoreContext, withStore } from './kit/store.js';
import { type ReadingContext, whileReading } from './kit/while-reading.js';

const flags = { ...datasetFlag, ...writerFlag, ...storeFlags('us-west-2') };

export const command = defineCommand({
  path: 'history',
  summary: 'show what became of one path from version to version',
  description:
    'A row for each version of the dataset in which the path was added, modified (content, type or time) or deleted, newest first, and the ' +
    'command that restores what the newest of them has. Reads manifests only; with an index, the blocks that the path may be in.',
  args: [
    arg.text('PATH', { describe: 'path in the dataset, of a file, link or folder; \\xNN is a byte', names: 'entry' }),
    placeArg,
  ],
  flags,
  examples: ['archiver history data/run-3/a.csv s3://acme-archive/lab --dataset results'],
  exits: {
    0: 'searched, and found',
    1: 'no version has the path, there is no such dataset, or the store cannot be read',
    3: 'found, but some versions could not be searched',
  },
  async run(values, [typed, url], context: Results<'history'> & Messages & StoreContext & ReadingContext) {
    const { datasetBase } = await import('./kit/dataset-target.js');
    const { findDataset } = await import('../core/dataset/records/find-dataset.js');
    const { pathHistory } = await import('../core/dataset/history/path-history.js');
    const { pathKeys } = await import('../core/format/manifest/listed-file.js');
    const { displayPath } = await import('../core/platform/paths/raw-path.js');
    const { typedPath } = await import('../core/platform/text/typed-path.js');
    const { changeDocument, historyText, refuseUnknown } = await import('./history/history-rows.js');
    const { restoreCommand } = await import('./kit/restore-command.js');
    const { progressMeter } = await import('../core/events/progress-meter.js');
    const baseUrl = datasetBase(url, values.writerId);
    const path = typedPath(typed.replace(/^\.\//, '').replace(/\/+$/, ''));
    const { signal } = context;
    const { datasetId, history, requests } = await whileReading(context, baseUrl, (emit) =>
      withStore({ baseUrl, values, context, onEvent: emit }, async ({ store, requests }) => {
        emit({ type: 'phase', phase: 'reading' });
        const { datasetId } = await findDataset(store, values.datasetId, {
          warn: (text) => context.warn(text),
          signal,
        });
        const meter = progressMeter(emit);
        const onPlan = (items: number): void => emit({ type: 'plan', items, bytes: 0 });
        const onLines = (lines: number): void => meter.add(lines, 0);
        const history = await pathHistory(store, datasetId, path, { onPlan, onLines, signal });
        meter.finish();
        return { datasetId, history, requests };
      }),
    );
    for (const problem of history.problems) context.warn(problem);
    refuseUnknown(displayPath(path), datasetId, history);
    const newest = history.changes.findLast(({ entry }) => entry !== undefined);
    const restore =
      newest &&
      restoreCommand({ location: baseUrl, outputDir: 'OUT', files: [displayPath(path)], version: newest.last });
    const document = {
      datasetId,
      location: baseUrl,
      ...pathKeys(path),
      versionCount: history.versions,
      history: history.changes.toReversed().map(changeDocument),
      hint: restore ?? null,
      requests,
    };
    context.result(document, () => historyText(displayPath(path), datasetId, history) + `restore it: ${restore}\n`);
    return history.problems.length > 0 ? 3 : 0;
  },
});
