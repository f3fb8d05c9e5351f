import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';
import type { Clock, Messages, Results, Terminal } from '../cli/context.js';
import type { ProgressContext } from '../cli/progress.js';
import { flag, type Values } from '../cli/flag.js';
import { usageError } from '../core/platform/failures/errors.js';
import { joinStoreUrl, parseStoreUrl, splitUploadUrl } from '../core/store/store-url.js';
import { printable } from '../core/platform/paths/raw-path.js';
import type { Survey } from '../core/mend/scuttle/survey.js';
import { formatBytes, formatQuantity } from '../ui/format.js';
import { recordRunFacts } from './kit/account.js';
import { confirmTyped, hasTerminal } from './kit/ask.js';
import { storeFlags } from './kit/flags.js';
import { textOf } from './kit/lines.js';
import { withResult } from './kit/run.js';
import { type StoreContext, withStore } from './kit/store.js';
import { unfinishedHiddenText } from '../core/store/unfinished-hidden.js';
import { foundDocument, listed, wipedDocument, wipeLines, wipeStatus } from './kit/wipe-lines.js';

const flags = {
  prefix: flag.text({
    short: 'p',
    placeholder: 'PREFIX',
    allowEmpty: true, // checked below: the shared setting storage.prefix may be empty for other commands
    describe: 'prefix in --bucket; the whole bucket when not given',
  }),
  ...storeFlags('us-west-2'),
  dryRun: flag.on({ describe: 'show what would be deleted, and delete nothing' }),
  force: flag.on({ describe: 'ask nothing' }),
};

export const command = defineCommand({
  path: 'scuttle',
  summary: 'delete everything that archiver wrote under a bucket or prefix',
  description:
    'Takes what lies below uploads/ (of upload ids), datasets/, writers/ and fleet/ of this place and has the names that ' +
    'archiver gives; everything else is left alone, counted and named. Older versions and delete markers of these ' +
    'objects go too, and their unfinished multipart uploads are aborted; in a folder, temp files that nobody wrote to for a day are removed. Version records go first, then manifests, then ' +
    'the rest; run it again after an interruption. Stop uploads and agents before.\n' +
    'On a terminal it shows what it found and asks three times: type the name of the bucket (or the path of the folder), ' +
    'SCUTTLE, and yes. Nothing can be brought back.',
  args: [arg.typedUrl('S3_URL', { describe: 's3://bucket[/prefix] or file:///folder, instead of --bucket' })],
  flags,
  rules: [
    {
      kind: 'check',
      // A shell variable that is not set must not widen the deletion to the whole bucket.
      text: '--prefix must not be empty: leave it out for the whole bucket',
      ok: (v) => v.prefix !== '',
    },
  ],
  examples: [
    'archiver scuttle --bucket acme-archive --prefix lab --dry-run',
    'archiver scuttle s3://acme-archive/lab',
    'archiver scuttle file:///mnt/backup --force',
  ],
  isRecorded: true,
  exits: {
    0: 'deleted, or there was nothing of archiver',
    1: 'failed, or cancelled by an answer that does not match (nothing was deleted)',
    3: 'some of it could not be deleted, or older versions could not be seen; the result names what is left',
  },
  async run(values, [url], context: Results<'scuttle'> & Messages & Terminal & Clock & StoreContext & ProgressContext) {
    const baseUrl = placeOf(url);
    refuseUnattended(values, baseUrl, context);
    const { openHoldings } = await import('../core/mend/scuttle/holdings.js');
    const { survey } = await import('../core/mend/scuttle/survey.js');
    const { wipe } = await import('../core/mend/scuttle/wipe.js');
    const { forgetDatasets } = await import('./kit/forget-datasets.js');
    const { dryRun, force } = values;
    const { signal } = context;
    const end = await withResult(
      context,
      {},
      {
        work: (emit, aside) => {
          emit({ type: 'start', operation: 'scuttle', source: baseUrl, target: '' });
          return withStore({ baseUrl, values, context, onEvent: emit }, async (opened) => {
            const { store, deleter, requests } = opened;
            const holdings = await openHoldings(store, signal);
            const found = await survey(store, holdings, signal, emit);
            const { versionsHidden } = holdings;
            const isEmpty = found.objects + found.olderVersions + (found.unfinishedMultiparts ?? 0) === 0;
            if (dryRun || isEmpty) return { found, versionsHidden, requests, done: undefined };
            await aside(async () => {
              for (const line of surveyLines(found, baseUrl, versionsHidden)) context.note(line);
              if (!force) await confirmTyped(context, questionsFor(baseUrl));
            });
            recordRunFacts(context, { operation: 'scuttle' });
            const done = await wipe(store, holdings, { found, deleter, emit, signal });
            await forgetDatasets(opened, found.datasetKeys, context);
            return { found, versionsHidden, requests, done };
          });
        },
        show: ({ found, versionsHidden, requests, done }) => {
          const about = { location: baseUrl, ...foundDocument(found), versionsHidden, requests };
          const last = dryRun ? 'Nothing was deleted (--dry-run).' : 'There is nothing to delete.';
          return {
            document: { ...about, dryRun, ...wipedDocument(done ?? NOTHING) },
            text: () =>
              textOf(
                done === undefined ? [...surveyLines(found, baseUrl, versionsHidden), last] : wipeLines(done, baseUrl),
              ),
          };
        },
      },
    );
    const { done, versionsHidden } = end;
    return done === undefined ? 0 : wipeStatus(done, versionsHidden, context);
  },
});

const NOTHING = {
  deletedObjects: 0,
  deletedVersions: 0,
  deletedBytes: 0,
  abortedMultiparts: 0,
  failed: [],
  failedCount: 0,
  freedFrom: null,
  kept: 0,
};

function placeOf(given: string): string {
  if (splitUploadUrl(given) !== undefined) {
    throw usageError(
      `${printable(given)} is a single upload, and scuttle deletes everything of a place`,
      'name the place above uploads/',
    );
  }
  return joinStoreUrl(given);
}

function refuseUnattended({ force, dryRun }: Values<typeof flags>, base: string, terminal: Terminal): void {
  if (force || dryRun || hasTerminal(terminal)) return;
  throw usageError(
    `scuttle asks before it deletes what archiver wrote in ${printable(base)}, and there is no terminal to ask on`,
    `look first: archiver scuttle ${base} --dry-run; then delete without questions: archiver scuttle ${base} --force`,
  );
}

function questionsFor(base: string): readonly { readonly about: string; readonly word: string }[] {
  const place = parseStoreUrl(base);
  const [what, name] =
    place.kind === 's3' ? ['name of the bucket', place.bucket] : ['path of the folder', place.folder];
  return [
    { about: `To delete all of this for good, type the ${what} (${name}):`, word: name },
    { about: 'Type SCUTTLE:', word: 'SCUTTLE' },
    { about: 'Nothing can be brought back. Type yes:', word: 'yes' },
  ];
}

/** Lines about what was found at `url`. */
function surveyLines(found: Survey, url: string, versionsHidden: boolean): readonly string[] {
  const { objects, olderVersions, bytes, uploads, datasets, leftAlone, nestedBases } = found;
  const older = olderVersions === 0 ? '' : `, ${formatQuantity(olderVersions, 'older version')} and delete markers`;
  return [
    `archiver wrote in ${printable(url)}`,
    `  ${formatQuantity(objects, 'object')}${older}, ${formatBytes(bytes)} together`,
    `  ${formatQuantity(uploads, 'upload')}, ${formatQuantity(datasets, 'dataset')}`,
    ...unfinishedLines(found),
    ...(versionsHidden ? ['  older versions, if there are any, cannot be seen (needs s3:ListBucketVersions)'] : []),
    ...(objects === 0 ? [] : ['  such as', ...listed(found.samples, objects)]),
    ...(leftAlone === 0
      ? []
      : [`  left alone: ${formatQuantity(leftAlone, 'other object')}`, ...listed(found.leftAloneSamples, leftAlone)]),
    ...(nestedBases.length === 0
      ? []
      : ['  left alone, what archiver wrote below these; name such a place itself', ...listed(nestedBases)]),
  ];
}

/** Describes unfinished uploads; their size is known in folders, but not in buckets. */
function unfinishedLines({ unfinishedMultiparts: count, unfinishedBytes: bytes, unfinishedHidden }: Survey) {
  if (unfinishedHidden !== null) return [`  ${unfinishedHiddenText(unfinishedHidden)}`];
  if (count === null || count === 0) return [];
  return bytes === null || bytes === 0
    ? [`  ${formatQuantity(count, 'unfinished multipart upload')}`]
    : [`  ${formatQuantity(count, 'temp file')} of writers that have not finished, ${formatBytes(bytes)}`];
}
