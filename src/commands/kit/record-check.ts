// Records in the store that versions were checked, by whom and how, and what came of it (docs/format.md, Checks). Who may only read has
// checked all the same: what keeps the record from being put is said and changes no exit status.
import { randomBytes } from 'node:crypto';
import { mkdirSync, statSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock, Places } from '../../cli/context.js';
import {
  type Check,
  type CheckedVersion,
  MAX_PROBLEM_LENGTH,
  MAX_PROBLEMS,
} from '../../core/dataset/checks/check-document.js';
import type { VersionRecord } from '../../core/format/manifest/manifest-types.js';
import { type Problem, problemText } from '../../core/mend/verify/problem.js';
import { accountName } from '../../core/platform/account-name.js';
import { defined } from '../../core/platform/defined.js';
import { ArchiverError } from '../../core/platform/failures/errors.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { ignoreModeless } from '../../core/store/file/file-modes.js';
import type { OpenedStore } from '../../core/store/open-store.js';
import { parseStoreUrl } from '../../core/store/store-url.js';
import pkg from '../../../package.json' with { type: 'json' };
import type { StoreContext } from './store.js';
import { NO_VERSION, TOLD } from './unrecorded-lines.js';

export interface RecordValues {
  readonly record: boolean;
}

/** A check of one dataset, without what is the same in every check of this run. */
export type Found = Omit<Check, 'startedAt' | 'endedAt' | 'user' | 'host' | 'tool'> & {
  /** Where its store lies below the one that is open; '' for that itself. */
  readonly place: string;
};

/** Puts a record for each of the checks; returns why there is none, or null. @throws cancelled */
export async function recordChecks(
  opened: OpenedStore,
  { find, startedAt }: { readonly find: () => Promise<readonly Found[]>; readonly startedAt: Date },
  values: RecordValues,
  context: StoreContext & Clock & Pick<Places, 'home'>,
): Promise<string | null> {
  if (!values.record) return TOLD;
  const { writableStore } = await import('../../core/store/create-once/create-once.js');
  const { putCheck, whyNotPut } = await import('../../core/dataset/checks/put-check.js');
  const { signal, now } = context;
  const by = { ...defined({ user: accountName() }), host: hostname(), tool: `archiver ${pkg.version}` };
  const times = { startedAt: startedAt.toISOString(), endedAt: now().toISOString() };
  let put = 0;
  const reason = await whyNotPut(async () => {
    const found = (await find()).filter(({ versions }) => versions.length > 0);
    if (found.length === 0) return;
    // Nothing is asked of the store: no other check has the same key.
    const { store } = await writableStore(opened, context, { dryRun: true });
    for (const { place, ...check } of found) {
      const above = place === '' ? '' : `${place}/`;
      const share = await sharedAs(store.url, `${above}datasets/${check.datasetId}`);
      const keys = await putCheck(store, { ...check, ...times, ...by }, { above, randomBytes, signal });
      for (const key of keys) await share(key);
      put++;
    }
  });
  return reason ?? (put === 0 ? NO_VERSION : null);
}

/**
 * In a folder store, makes the folder of checks as accessible as that of the dataset: one that only this user may enter would keep others
 * from listing versions. Returns what does the same for a file. @throws access-denied where the folder belongs to another user
 */
async function sharedAs(storeUrl: string, folder: string): Promise<(key: string) => Promise<void>> {
  const place = parseStoreUrl(storeUrl);
  const nothing = () => Promise.resolve();
  const user = process.getuid?.();
  if (place.kind !== 'file' || user === undefined) return nothing;
  const path = join(place.folder, folder);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return nothing;
  if (found.uid !== user)
    throw new ArchiverError(
      'access-denied',
      'the dataset lies in a folder of another user, who could not read it then',
    );
  const checks = join(path, 'checks');
  const mode = found.mode & 0o7777; // with the bit that gives files the group of the folder
  if (mkdirSync(checks, { recursive: true, mode }) !== undefined) await chmod(checks, mode).catch(ignoreModeless);
  return async (key) => chmod(join(place.folder, key), mode & 0o666).catch(ignoreModeless);
}

/** What a check found of a version, for its record: the first problems, and none where the names of files are encrypted. */
export function checkedVersion(
  {
    version,
    uploadId,
    encryption,
  }: Pick<VersionRecord, 'version' | 'uploadId'> & {
    readonly encryption?: VersionRecord['encryption'] | undefined;
  },
  errorCount: number,
  errors: readonly Problem[],
): CheckedVersion {
  const isSecret = encryption?.manifest === true;
  const problems = errors
    .slice(0, MAX_PROBLEMS)
    .map((error) => printable(problemText(error)).slice(0, MAX_PROBLEM_LENGTH));
  return { version, uploadId, errorCount, ...(isSecret || errorCount === 0 ? {} : { problems }) };
}
