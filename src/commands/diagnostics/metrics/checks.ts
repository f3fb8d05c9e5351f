import { resolve } from 'node:path';
import { defineCommand } from '../../../cli/command.js';
import type { Clock, Messages, Results } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import type { CheckedDataset } from '../../../core/diagnostics/checked-datasets.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { formatQuantity } from '../../../ui/format.js';
import { placeArg, storeFlags, writerFlag } from '../../kit/flags.js';
import { refuseMissingFolder, type StoreContext, withStore } from '../../kit/store.js';
import { type ReadingContext, whileReading } from '../../kit/while-reading.js';

export const command = defineCommand({
  path: 'metrics checks',
  summary: 'say what checks and drills have found of each dataset, for Prometheus',
  description:
    'Reads what `verify` and `drill` have recorded in the store, and prints for each dataset when a drill last succeeded, which part of its ' +
    'bytes is proven, and whether something was found wrong that nothing has found right since: a failed drill outranks a good backup.\n' +
    'That takes a LIST for each 1000 objects below datasets/ and a GET for each dataset; where checks have failed, also up to 20 of ' +
    'each kind, and 20 drills after each that failed. What cannot be read counts as not proven, and as wrong.',
  args: [placeArg],
  flags: {
    textfile: flag.file({
      describe: "write them there instead: for the textfile collector of Prometheus' node_exporter, a file of its own",
    }),
    ...writerFlag,
    ...storeFlags('us-west-2'),
  },
  examples: [
    'archiver metrics checks s3://acme-archive/lab --textfile /var/lib/node_exporter/drills.prom',
    'archiver metrics checks file:///mnt/backup',
  ],
  exits: {
    0: 'read',
    1: 'the store cannot be read; a file stays as it was',
    3: 'read, but some checks are unreadable',
  },
  async run(values, [url], context: Results<'metrics checks'> & Messages & Clock & StoreContext & ReadingContext) {
    const { datasetBase } = await import('../../kit/dataset-target.js');
    const { readCheckedDatasets } = await import('../../../core/diagnostics/checked-datasets.js');
    const { checksMetrics } = await import('../../../core/diagnostics/checks-metrics.js');
    const location = datasetBase(url, values.writerId);
    const now = context.now();
    const { datasets, warnings, requests } = await whileReading(context, location, (emit) =>
      withStore({ baseUrl: location, values, context, onEvent: emit }, async ({ store, requests }) => ({
        ...(await readCheckedDatasets(store, { now, signal: context.signal })),
        requests,
      })),
    );
    if (datasets.length === 0) await refuseMissingFolder(location);
    for (const text of warnings) context.warn(text);
    const text = checksMetrics(datasets, location, now);
    if (values.textfile !== undefined) await write(resolve(context.cwd, values.textfile), text);
    const written = `${formatQuantity(datasets.length, 'dataset')} in ${printable(values.textfile ?? '')}\n`;
    context.result({ location, checkedDatasets: datasets.map(documentOf), requests }, () =>
      values.textfile === undefined ? text : written,
    );
    return warnings.length === 0 ? 0 : 3;
  },
});

/** Replaces the file, so that a reader never finds half of it. @throws access-denied, no-space, io */
async function write(path: string, text: string): Promise<void> {
  const { replaceFile } = await import('../../../core/platform/state/replace-file.js');
  const { fileFailure } = await import('../../../core/platform/failures/file-failure.js');
  const { READABLE } = await import('../../../core/notify/metrics-text.js');
  await replaceFile(path, text, READABLE).catch((error: unknown) => {
    throw fileFailure('write', path, error);
  });
}

const documentOf = ({ datasetId, provenAt, drill, hasFailedCheck }: CheckedDataset) => ({
  datasetId,
  provenAt: provenAt?.toISOString() ?? null,
  hasFailedCheck,
  ...(drill && {
    provenDays: drill.coverage.days,
    provenBytes: drill.coverage.bytes,
    contentBytes: drill.coverage.ofBytes,
  }),
});
