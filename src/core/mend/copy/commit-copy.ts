// Makes a copied version true, as an upload is made true (rules.md#order): once all that it needs is there, a look by the function that readers
// use; the record, byte for byte, if the one it was read from is still there; and a look once more.
import { loadChain, loadExpected } from '../../dataset/chain/load-chain.js';
import { isCheckExpired } from '../../dataset/check-references.js';
import { digestsOf } from '../../dataset/chain/version-view.js';
import { referredChunks, referredSegments } from '../../dataset/prune/references.js';
import { recordKey } from '../../dataset/records/version-record.js';
import { versionName } from '../../dataset/records/version-name.js';
import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { ArchiverError, integrityError, isArchiverError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { uploadUrlOf } from '../../store/ids/upload-id.js';
import { throwIfCancelled } from '../../store/store-error.js';
import { putOnce } from '../../archive/transfer/put-once.js';
import { readRecord } from './choose-versions.js';
import type { CopyRun } from './copy-run.js';
import type { PlannedVersion } from './plan-copy.js';
import { readTargetVersions, retiredError, stateThere } from './target-versions.js';

/** Checks that a version can be read there: its chain, and that all that its manifests list is there. @throws integrity, conflict */
export async function assertWholeThere(run: CopyRun, record: VersionRecord, isCommitted: boolean): Promise<void> {
  const { target, looks, signal } = run;
  const loading = { cache: target.cache, segments: 'beginnings', signal } as const;
  const newest = await loadExpected(target.reader, record.uploadId, digestsOf(record), loading);
  const chain = await loadChain(target.reader, newest, loading);
  looks.refresh();
  for (const link of chain) {
    const objects = [...referredChunks(link.uploadId, link.head.chunks), ...referredSegments(link)];
    const needs = [...objects, { key: link.key, sizeBytes: undefined }];
    const [first] = await looks.missing(needs, { isCommitted, isOwned: (id) => run.owned.has(id), signal });
    if (first !== undefined) throw missingError(run, record, first.key);
  }
}

const missingError = ({ to }: CopyRun, record: VersionRecord, key: string): ArchiverError =>
  integrityError(`${nameOf(record)} is not whole in ${printable(to.url)}: ${printable(key)} is not there`, {
    hint: `archiver verify ${printable(uploadUrlOf(to.url, record.uploadId))}`,
  });

const nameOf = (record: VersionRecord): string => `${versionName(record)} of ${printable(record.datasetId)}`;

/** Puts the record of a version that is all there. @throws conflict for a rival, or a record that changed; integrity */
export async function commitCopy(run: CopyRun, version: PlannedVersion): Promise<void> {
  const { to, retention, signal } = run;
  const { record, bytes, place } = version;
  const key = recordKey(place);
  await lookUntilFresh(run, version);
  throwIfCancelled(signal);
  try {
    await putOnce(to, key, bytes, { contentType: 'application/json', exclusive: false, retention, signal });
  } catch (error) {
    if (!isArchiverError(error, 'conflict')) throw error;
    throw rivalError(run, record, key);
  }
  const shown = await to.head(key, signal);
  if (shown?.sizeBytes !== bytes.length)
    throw integrityError(
      `${printable(to.url)} acknowledged ${key} and does not show it: ${nameOf(record)} was not made`,
      {
        hint: 'run the same command again',
      },
    );
  run.there.add(record.uploadId);
  await assertWholeAfter(run, version);
}

/** Looks at all of it, here and there, again while the look is an hour old: a computer may sleep between any two lines. */
async function lookUntilFresh(run: CopyRun, version: PlannedVersion): Promise<void> {
  const { to, signal } = run;
  for (;;) {
    const lookedAtMs = Date.now();
    await assertWholeThere(run, version.record, false);
    await refuseChanged(run, version);
    const now = await readTargetVersions(to, version.place, signal);
    if (stateThere(now, version, { beside: version.beside, url: to.url }) === 'retired')
      throw retiredError(version, to.url);
    if (!isCheckExpired(lookedAtMs)) return;
  }
}

/** Refuses a version that was retired, or whose manifest was replaced, where it comes from while it was copied. @throws conflict */
async function refuseChanged({ from, signal }: CopyRun, { listed, record, bytes }: PlannedVersion): Promise<void> {
  const now = await readRecord(from, listed, signal);
  if (now?.bytes.equals(bytes) === true) return;
  const what = now === undefined ? 'was retired' : 'was changed';
  throw new ArchiverError(
    'conflict',
    `${nameOf(record)} ${what} in ${printable(from.url)} while it was copied: it was not made`,
    {
      hint: 'run the same command again',
    },
  );
}

/** Looks at a version that was just made. @throws integrity that says that it is listed */
async function assertWholeAfter(run: CopyRun, { record }: PlannedVersion): Promise<void> {
  try {
    await assertWholeThere(run, record, false);
  } catch (error) {
    if (!isArchiverError(error, 'integrity', 'conflict', 'not-found', 'unsupported')) throw error;
    throw integrityError(
      `${nameOf(record)} was made in ${printable(run.to.url)}, and may not be whole: ${error.message}`,
      {
        cause: error,
        hint: 'run the same command again: it sends what is missing',
      },
    );
  }
}

const rivalError = ({ to }: CopyRun, record: VersionRecord, key: string): ArchiverError =>
  new ArchiverError(
    'conflict',
    `${printable(to.url)} has another ${printable(key)} by now: ${nameOf(record)} was not made`,
    {
      hint: `somebody else writes this dataset there: archiver dataset versions ${printable(to.url)} --dataset-id ${printable(record.datasetId)}`,
    },
  );
