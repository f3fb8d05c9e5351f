import { defineCommand } from '../../../cli/command.js';
import type { Results } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import { nearestUsd, roundedUsd } from '../../../core/cost/money.js';
import type { StoredObject } from '../../../core/cost/stored-object.js';
import type { UploadSavings } from '../../../core/cost/upload-savings.js';
import type { ManifestHead } from '../../../core/format/manifest/manifest-types.js';
import { printable } from '../../../core/platform/paths/raw-path.js';
import { formatBytes, formatCount, formatQuantity } from '../../../ui/format.js';
import { fineUsd, formatUsd } from '../../../ui/format-usd.js';
import { uploadArg, uploadTargetFlags, uploadTargetRules } from '../../kit/flags.js';
import { fact } from '../../kit/lines.js';
import { priceSourceText } from '../../kit/price-lines.js';
import { type StoreContext, withStore } from '../../kit/store.js';
import { column, fitLines, numbers, tableText, type TableContext } from '../../kit/table.js';
import { findUpload, uploadUrl } from '../../kit/upload-target.js';

interface ClassSum {
  readonly storageClass: string;
  readonly objects: number;
  readonly storedBytes: number;
  readonly monthlyUsd: number | null;
}

const COLUMNS = [
  column<ClassSum>('CLASS', ({ storageClass }) => printable(storageClass), { isCuttable: false }),
  numbers<ClassSum>('OBJECTS', ({ objects }) => formatCount(objects), { dropOrder: 1 }),
  numbers<ClassSum>('STORED', ({ storedBytes }) => formatBytes(storedBytes)),
  numbers<ClassSum>('A MONTH', ({ monthlyUsd }) => fineUsd(monthlyUsd)),
];

export const command = defineCommand({
  path: 'cost upload',
  summary: 'show what one upload costs, from its manifest',
  description:
    'Reads the beginning of the manifest and prices what the upload itself has stored, chunk by chunk: a month of storage ' +
    'and the requests that made it. Chunks of earlier versions that it refers to are theirs. --show-savings compares with ' +
    'a plain copy, one object a file and not compressed.',
  args: [uploadArg],
  flags: {
    ...uploadTargetFlags('us-west-2'),
    prefix: flag.text({
      short: 'p',
      placeholder: 'PREFIX',
      default: 'archiver',
      allowEmpty: true,
      describe: 'prefix in --bucket',
    }),
    showSavings: flag.on({
      default: true,
      describe: 'compare with a copy of the files as they are',
      off: 'leave out the comparison with a copy of the files as they are',
    }),
  },
  rules: [...uploadTargetRules],
  examples: [
    'archiver cost upload s3://acme-archive/lab/uploads/20251114-093012-1a2b3c4d',
    'archiver cost upload --bucket acme-archive --prefix lab --upload-id 20251114-093012-1a2b3c4d',
    'archiver cost upload --bucket file:///mnt --prefix backup --upload-id 20251114-093012-1a2b3c4d --no-show-savings',
  ],
  exits: { 0: 'shown', 1: 'the manifest is missing, damaged or cannot be read' },
  async run(values, [url], context: Results<'cost upload'> & StoreContext & TableContext) {
    const { parseStoreUrl } = await import('../../../core/store/store-url.js');
    const { readManifest } = await import('../../../core/format/manifest/manifest-reader.js');
    const { originOf } = await import('../../../core/cost/price-table.js');
    const { oneTimeUsd, uploadCost } = await import('../../../core/cost/upload-cost.js');
    const { costOfItem, uploadSavings } = await import('../../../core/cost/upload-savings.js');
    const { pricedBy } = await import('../../kit/prices.js');
    const { baseUrl, uploadId, session } = await findUpload(url, values, context);
    const { head, own, place, book, requests } = await withStore(
      { baseUrl, values, context, session },
      async (opened) => {
        const { head } = await readManifest(opened.store, { uploadId, headOnly: true, signal: context.signal });
        const { provider, book } = pricedBy(context, opened);
        const place = {
          provider,
          region: opened.region,
          isAws: opened.isAws,
          isFolder: parseStoreUrl(baseUrl).kind === 'file',
          usesKms: head.storage['kmsKeyId'] !== undefined,
        };
        return { head, own: ownObjects(head), place, book, requests: opened.requests };
      },
    );
    const estimate = uploadCost(own, place, book);
    const classes = [...new Set(own.map(({ storageClass }) => storageClass))].map((storageClass) => {
      const objects = own.filter((object) => object.storageClass === storageClass);
      const storedBytes = objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
      const monthlyUsd = roundedUsd(costOfItem(uploadCost(objects, place, book), 'storage'));
      return { storageClass, objects: objects.length, storedBytes, monthlyUsd };
    });
    const [largest] = [...classes].sort((one, other) => other.storedBytes - one.storedBytes);
    const { files, bytes } = head.totals;
    const copy = { files, bytes, storageClass: largest?.storageClass ?? 'STANDARD' };
    // The manifest of a version that refers to earlier ones does not tell which files are its own.
    const isWhole = head.listing === 'full' && own.length === head.chunks.length;
    const savings = values.showSavings && isWhole ? uploadSavings(estimate, copy, place, book) : undefined;
    const amounts = {
      monthlyUsd: roundedUsd(costOfItem(estimate, 'storage')),
      requestsUsd: roundedUsd(oneTimeUsd(estimate)),
      isAws: estimate.isAws,
    };
    const location = uploadUrl({ baseUrl, uploadId });
    const table = await tableText(classes, COLUMNS, context);
    const lines = [
      `${printable(location)}: ${formatUsd(amounts.monthlyUsd)} a month, and ${formatUsd(amounts.requestsUsd)} once for its requests`,
      fact('dataset', printable(head.datasetId)),
      fact('files', `${formatQuantity(files, 'file')}, ${formatBytes(bytes)}`),
      ...(savings === undefined ? [] : [fact('savings', savingsText(savings))]),
      fact('prices', place.isFolder ? 'a folder costs nothing' : priceSourceText(estimate)),
    ];
    const text = await fitLines(lines, context);
    context.result(
      {
        uploadId,
        location,
        datasetId: head.datasetId,
        project: head.project ?? null,
        files,
        bytes,
        ...amounts,
        ...originOf(estimate),
        costByStoredClass: classes,
        ...(savings === undefined ? {} : { savings: savingsDocument(savings) }),
        requests,
      },
      () => `${text}\n${table}`,
    );
  },
});

/** The chunks in the upload's own folder. */
const ownObjects = ({ chunks }: ManifestHead): readonly StoredObject[] =>
  chunks
    .filter(({ key }) => !key.startsWith('../'))
    .map(({ size: sizeBytes, storageClass }) => ({ sizeBytes, storageClass }));

const savingsDocument = ({ storageClass, plain, monthlySavingUsd, requestsSavingUsd }: UploadSavings) => ({
  storageClass,
  plainUsd: roundedUsd(plain.costUsd),
  monthlySavingUsd: nearestUsd(monthlySavingUsd),
  requestsSavingUsd: nearestUsd(requestsSavingUsd),
});

const savingsText = ({ storageClass, monthlySavingUsd, requestsSavingUsd }: UploadSavings): string =>
  `${formatUsd(monthlySavingUsd)} a month and ${formatUsd(requestsSavingUsd)} of requests, against one object a file in ${printable(storageClass)}`;
