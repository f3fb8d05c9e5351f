import { defineCommand } from '../../cli/command.js';
import type { Clock, Messages, Results } from '../../cli/context.js';
import { datasetFlag, placeArg, storeFlags, writerFlag } from '../kit/flags.js';
import { type StoreContext, withStore } from '../kit/store.js';
import { type ReadingContext, whileReading } from '../kit/while-reading.js';

export const command = defineCommand({
  path: 'dataset versions',
  summary: 'list the versions of a dataset, newest first',
  description:
    'Files and bytes are those that a restore of the version would give, whether it was stored as a full listing or as ' +
    'what had changed since the one before. Commits are those of versions that were made with --git-metadata; `archiver ' +
    'restore --dataset-id ID --git-commit SHA` restores the newest version of one. Tags (`dataset tag`) keep a version from ' +
    'being pruned.\n' +
    'Where the date that a writer noted and the one on which the store got the version are more than a day apart (a long ' +
    'upload, a wrong clock, a copied store, a forged version), both are shown. What looks as if none of your writers had ' +
    'made it is named: numbers that were left out, an empty version after others that have content.\n' +
    'What `verify` and `drill` have recorded in the store is shown with its date: a claim about that day. A failure is shown until a later check ' +
    'has found right what was wrong.',
  args: [placeArg],
  flags: { ...datasetFlag, ...writerFlag, ...storeFlags('us-west-2') },
  examples: [
    'archiver dataset versions s3://acme-archive/lab --dataset-id results-1a2b3c4d',
    'archiver dataset versions file:///mnt/backup --dataset-id results-1a2b3c4d --json',
  ],
  exits: {
    0: 'listed',
    1: 'there is no such dataset, or the store cannot be read',
    3: 'listed, but some are unreadable',
  },
  async run(values, [url], context: Results<'dataset versions'> & Messages & Clock & StoreContext & ReadingContext) {
    const { datasetBase } = await import('../kit/dataset-target.js');
    const baseUrl = datasetBase(url, values.writerId);
    const { describeVersions } = await import('../../core/dataset/records/describe-versions.js');
    const { failureTexts, shownColumns, versionDocument } = await import('./version-rows.js');
    const { tableText } = await import('../kit/table.js');
    const { judgedChecks } = await import('../kit/judged-checks.js');
    const { datasetId: dataset } = values;
    const { datasetId, versions, warnings, judged, isComplete, requests } = await whileReading(
      context,
      baseUrl,
      (emit) =>
        withStore({ baseUrl, values, context, onEvent: emit }, async ({ store, requests }) => {
          const described = await describeVersions(store, { dataset, emit, signal: context.signal });
          return { ...described, judged: await judgedChecks(store, described.datasetId, context), requests };
        }),
    );
    for (const text of warnings) context.warn(text);
    for (const row of versions) for (const text of failureTexts(row, judged, context.now())) context.warn(text);
    const table = await tableText(versions, shownColumns(versions, judged, context.now()), context);
    context.result(
      { datasetId, location: baseUrl, versions: versions.map((row) => versionDocument(row, judged)), requests },
      () => table,
    );
    return isComplete ? 0 : 3;
  },
});
