// Reports what a wipe found and deleted, as lines, as JSON and as an exit status.
import type { Messages } from '../../cli/context.js';
import { failureDocument } from '../../core/store/failure-document.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import type { Survey } from '../../core/mend/scuttle/survey.js';
import type { WipeResult } from '../../core/mend/scuttle/wipe.js';
import { formatBytes, formatCount, formatQuantity } from '../../ui/format.js';
import { firstLines, minuteText } from './lines.js';

/** Lines for the first items; `total` counts those that are not given, too. */
export const listed = (items: readonly string[], total = items.length): readonly string[] =>
  firstLines(
    items.map((item) => `    ${printable(item)}`),
    { total, indent: '    ' },
  );

/** Lines about what was deleted. */
export function wipeLines(done: WipeResult, url: string): readonly string[] {
  const { deletedObjects, deletedVersions, deletedBytes, abortedMultiparts, failed, failedCount, freedFrom, kept } =
    done;
  const older = deletedVersions === 0 ? '' : ` and ${formatQuantity(deletedVersions, 'older version')}`;
  return [
    `deleted ${formatQuantity(deletedObjects, 'object')}${older} (${formatBytes(deletedBytes)}) in ${printable(url)}`,
    ...(abortedMultiparts === 0 ? [] : [`  removed ${formatQuantity(abortedMultiparts, 'unfinished write')}`]),
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
    ...(freedFrom === null ? [] : [`  locked until ${minuteText(freedFrom)}: run it again after that`]),
    ...(kept === 0
      ? []
      : [`  ${formatCount(kept)} were kept, because a record or manifest that may need them could not be deleted`]),
  ];
}

/** The JSON of what was found. */
export const foundDocument = ({ leftAlone, leftAloneSamples, datasetKeys: _keys, ...counted }: Survey) => {
  const { uploads: uploadCount, datasets: datasetCount, ...found } = counted;
  return { found: { ...found, uploadCount, datasetCount }, leftAlone, leftAloneSamples };
};

/** The JSON of what was deleted. */
export const wipedDocument = ({ kept: keptCount, failed, ...wiped }: WipeResult) => ({
  ...wiped,
  failed: failed.map(failureDocument),
  keptCount,
});

/** Returns the exit status, and warns of versions that could not be seen. */
export function wipeStatus({ failedCount, kept }: WipeResult, versionsHidden: boolean, context: Messages): number {
  if (versionsHidden)
    context.warn('older versions could not be seen; where the bucket keeps them, they are still there');
  return failedCount > 0 || kept > 0 || versionsHidden ? 3 : 0;
}
