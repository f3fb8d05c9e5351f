// What a wipe takes and what it did, for people. Pure.
import { printable } from '../../core/paths/raw-path.js';
import type { Survey } from '../../core/scuttle/survey.js';
import type { WipeResult } from '../../core/scuttle/wipe.js';
import { formatBytes, formatCount, formatQuantity } from '../../ui/format.js';

const SHOWN = 10;

const listed = (items: readonly string[], count: number): readonly string[] => {
  const lines = items.slice(0, SHOWN).map((item) => `    ${printable(item)}`);
  return count > lines.length ? [...lines, `    and ${formatCount(count - lines.length)} more`] : lines;
};

/** What was found at `url`, line by line. */
export function surveyLines(found: Survey, url: string, versionsHidden: boolean): readonly string[] {
  const { objects, olderVersions, bytes, uploads, datasets, unfinishedMultiparts, leftAlone, nestedBases } = found;
  const older = olderVersions === 0 ? '' : `, ${formatQuantity(olderVersions, 'older version')} and delete markers`;
  return [
    `archiver wrote in ${printable(url)}`,
    `  ${formatQuantity(objects, 'object')}${older}, ${formatBytes(bytes)} together`,
    `  ${formatQuantity(uploads, 'upload')}, ${formatQuantity(datasets, 'dataset')}`,
    ...(unfinishedMultiparts === 0 ? [] : [`  ${formatQuantity(unfinishedMultiparts, 'unfinished multipart upload')}`]),
    ...(versionsHidden ? ['  older versions, if there are any, cannot be seen (needs s3:ListBucketVersions)'] : []),
    ...(objects === 0 ? [] : ['  such as', ...listed(found.samples, objects)]),
    ...(leftAlone === 0
      ? []
      : [`  left alone: ${formatQuantity(leftAlone, 'other object')}`, ...listed(found.leftAloneSamples, leftAlone)]),
    ...nestedBases.map((base) => `  left alone: what archiver wrote below ${printable(base)}; name that place itself`),
  ];
}

/** What was deleted, line by line. */
export function wipeLines(done: WipeResult, url: string): readonly string[] {
  const { deletedObjects, deletedVersions, deletedBytes, abortedMultiparts, failed, failedCount, kept } = done;
  const older = deletedVersions === 0 ? '' : ` and ${formatQuantity(deletedVersions, 'older version')}`;
  return [
    `deleted ${formatQuantity(deletedObjects, 'object')}${older} (${formatBytes(deletedBytes)}) in ${printable(url)}`,
    ...(abortedMultiparts === 0 ? [] : [`  aborted ${formatQuantity(abortedMultiparts, 'multipart upload')}`]),
    ...(failedCount === 0
      ? []
      : [
          `  ${formatCount(failedCount)} could not be deleted`,
          ...listed(
            failed.map(({ key, versionId, reason }) => {
              const version = versionId === undefined || versionId === 'null' ? '' : ` (version ${versionId})`;
              return key === '' ? reason : `${key}${version}: ${reason}`;
            }),
            failedCount,
          ),
        ]),
    ...(kept === 0
      ? []
      : [`  ${formatCount(kept)} were kept, because a record or manifest that may need them could not be deleted`]),
  ];
}
