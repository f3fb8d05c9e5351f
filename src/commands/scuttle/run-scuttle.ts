// `archiver scuttle`: survey, questions, wipe.
import type { Context } from '../../cli/context.js';
import { usageError } from '../../core/failures/errors.js';
import { openStore, type OpenedStore } from '../../core/object-store/open-store.js';
import { joinStoreUrl, parseStoreUrl, splitUploadUrl } from '../../core/object-store/store-url.js';
import { printable } from '../../core/paths/raw-path.js';
import { openHoldings, type Holdings } from '../../core/scuttle/holdings.js';
import { survey, type Survey } from '../../core/scuttle/survey.js';
import { wipe, type WipeResult } from '../../core/scuttle/wipe.js';
import { formatCount } from '../../ui/format.js';
import type { ScuttleValues } from '../scuttle.js';
import { askTyped } from './ask-typed.js';
import { surveyLines, wipeLines } from './scuttle-text.js';

const NOTE_EVERY_MS = 5000;

/** Runs the command; returns its exit status. */
export async function runScuttle(values: ScuttleValues, url: string | undefined, context: Context): Promise<number> {
  const base = baseUrl(values, url);
  refuseUnattended(values, base, context);
  const opened = await openStore(base, {
    env: context.env,
    region: values.region,
    regionGiven: context.origins['region'] !== 'default',
    defaultRegion: values.region,
    profile: values.profile,
    endpointUrl: values.endpointUrl,
    signal: context.signal,
  });
  try {
    const holdings = await openHoldings(opened.store, context.signal);
    const found = await survey(opened.store, holdings, context.signal);
    const isEmpty = found.objects + found.olderVersions + found.unfinishedMultiparts === 0;
    if (values.dryRun || isEmpty) return foundOnly({ values, base, found, holdings, opened, context });
    for (const line of surveyLines(found, base, holdings.versionsHidden)) context.note(line);
    if (!values.force) await askTyped(context, questionsFor(base));
    const done = await wipe(opened.store, holdings, context.signal, progressNotes(context));
    return report({ base, found, holdings, opened, context, done });
  } finally {
    opened.close();
  }
}

function baseUrl({ bucket, prefix }: ScuttleValues, url: string | undefined): string {
  const given = url ?? joinStoreUrl(bucket?.includes('://') === true ? bucket : `s3://${bucket ?? ''}`, prefix ?? '');
  if (splitUploadUrl(given) !== undefined) {
    throw usageError(
      `${printable(given)} is a single upload, and scuttle deletes everything of a place`,
      'name the place above uploads/',
    );
  }
  return joinStoreUrl(given);
}

function refuseUnattended(values: ScuttleValues, base: string, { stdin, stderr }: Context): void {
  if (values.force || values.dryRun || (stdin.isTTY === true && stderr.isTTY === true)) return;
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

function progressNotes(context: Context): (deleted: number) => void {
  let last = context.now().getTime();
  return (deleted) => {
    const now = context.now().getTime();
    if (now - last < NOTE_EVERY_MS) return;
    last = now;
    context.note(`deleted ${formatCount(deleted)} so far`);
  };
}

interface Found {
  readonly base: string;
  readonly found: Survey;
  readonly holdings: Holdings;
  readonly opened: OpenedStore;
  readonly context: Context;
}

const foundDocument = ({ base, found, holdings, opened }: Found) => {
  const { leftAlone, leftAloneSamples, ...wouldDelete } = found;
  return {
    location: base,
    found: wouldDelete,
    leftAlone,
    leftAloneSamples,
    versionsHidden: holdings.versionsHidden,
    requests: opened.requests,
  };
};

const NOTHING = {
  deletedObjects: 0,
  deletedVersions: 0,
  deletedBytes: 0,
  abortedMultiparts: 0,
  failed: [],
  failedCount: 0,
  kept: 0,
};

function foundOnly({ values, ...parts }: Found & { readonly values: ScuttleValues }): number {
  const { base, found, holdings, context } = parts;
  const end = values.dryRun ? 'Nothing was deleted (--dry-run).' : 'There is nothing to delete.';
  const lines = [...surveyLines(found, base, holdings.versionsHidden), end];
  context.result({ ...foundDocument(parts), dryRun: values.dryRun, ...NOTHING }, () => `${lines.join('\n')}\n`);
  return 0;
}

function report({ done, ...parts }: Found & { readonly done: WipeResult }): number {
  const { base, holdings, context } = parts;
  const { versionsHidden } = holdings;
  context.result({ ...foundDocument(parts), dryRun: false, ...done }, () => `${wipeLines(done, base).join('\n')}\n`);
  if (versionsHidden)
    context.warn('older versions could not be seen; where the bucket keeps them, they are still there');
  return done.failedCount > 0 || done.kept > 0 || versionsHidden ? 3 : 0;
}
