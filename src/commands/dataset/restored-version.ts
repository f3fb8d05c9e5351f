// What is said of a version that was brought back, or can be.
import { versionDocument } from '../../core/dataset/records/version-document.js';
import { versionName, versionNumber } from '../../core/dataset/records/version-name.js';
import type { Undeleted } from '../../core/mend/undelete/undelete.js';
import { defined } from '../../core/platform/defined.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatBytes, formatQuantity } from '../../ui/format.js';
import { formatMinute } from '../../ui/format-time.js';
import { amountText, fact } from '../kit/lines.js';

/** The JSON document, without what is about the call. */
export const undeletedDocument = ({ record, needs, isPut }: Undeleted) => ({
  datasetId: record.datasetId,
  ...versionDocument(record),
  manifestSha256: record.manifestSha256,
  ...defined({ wasRetiredAt: record.wasRetiredAt }),
  isBroughtBack: isPut,
  ...(needs === undefined
    ? {}
    : { objects: needs.objects, storedBytes: needs.bytes, markedObjects: needs.markedObjects }),
});

/** The lines. */
export function undeletedLines(
  { record, needs, isPut }: Undeleted,
  { baseUrl, dryRun }: { readonly baseUrl: string; readonly dryRun: boolean },
): readonly string[] {
  const { datasetId, createdAt, wasRetiredAt, totals } = record;
  const name = `version ${versionNumber(record)} of dataset ${printable(datasetId)}`;
  const there = needs === undefined ? [] : [fact('needs', needsText(needs))];
  if (!isPut) return [`${name} is not retired: nothing was changed`, ...there];
  const content = `${formatQuantity(totals.files, 'file')}, ${formatBytes(totals.bytes)}, made ${formatMinute(new Date(createdAt))}`;
  const retired = wasRetiredAt === undefined ? '' : `, retired ${formatMinute(new Date(wasRetiredAt))}`;
  return [
    `${name} ${dryRun ? 'can be brought back' : 'is listed again'}: ${content}${retired}`,
    ...there,
    ...(needs === undefined || needs.markedObjects === 0
      ? []
      : [
          fact(
            'marked',
            `${formatQuantity(needs.markedObjects, 'object')} of these: later uploads send such content again`,
          ),
        ]),
    dryRun
      ? 'Nothing was changed (--dry-run).'
      : 'The next prune retires it again unless a --keep flag or a tag keeps it: ' +
        `archiver dataset tag ${printable(baseUrl)} kept ${versionName(record)} --dataset-id ${printable(datasetId)}`,
  ];
}

const needsText = ({ objects, bytes }: NonNullable<Undeleted['needs']>): string =>
  `${amountText(objects, 'object', bytes)}: all there`;
