// The uploads of the store, newest first, and details of the one under the cursor.
import { type ReactElement, useMemo } from 'react';
import type { Inventory } from '../../../core/dataset/inventory/inventory.js';
import type { StoredUpload } from '../../../core/dataset/inventory/stored-upload.js';
import { uploadUrlOf } from '../../../core/store/ids/upload-id.js';
import type { VersionCheck } from '../../../core/dataset/checks/judge-checks.js';
import { inventoryList, newestSums } from '../../../stores/dashboard/inventory-list.js';
import type { Column } from '../../../ui/columns.js';
import { Empty } from '../../../ui/empty.js';
import { formatBytes, formatCount, formatQuantity, formatRatio } from '../../../ui/format.js';
import type { Message } from '../../../ui/status.js';
import { Table } from '../../../ui/table.js';
import { useNames } from '../../use-names.js';
import { checkCell, checkText, tellingChecks } from '../../check-texts.js';
import { cellsOf } from '../cells.js';
import {
  type Dashboard,
  rowAtCursor,
  useDashboard,
  useReadMs,
  useRows,
  useSource,
  useStoreSources,
} from '../dashboard-context.js';
import { BelowReason, outageText } from '../outage.js';
import { missingStoreHint, uploadDocument, WHY } from '../store-words.js';
import { UploadDetails } from '../upload-details.js';
import type { DashboardView } from '../view.js';
import { versionName } from '../../../core/dataset/records/version-name.js';

const ID_WIDTH = 24;
const LONGEST_CLASS = 19;

function InventoryView(): ReactElement {
  return (
    <BelowReason source={useStoreSources().inventory}>
      <Uploads />
    </BelowReason>
  );
}

function Uploads(): ReactElement {
  const { target } = useDashboard();
  const { inventory } = useStoreSources();
  const read = useSource(inventory);
  const readMs = useReadMs(inventory);
  const { rows, cursor, place } = useRows(inventoryList);
  const columns = useColumns(rows);
  const upload = rows[cursor];
  if (place.isOpen && upload !== undefined) return <UploadDetails upload={upload} />;
  if (rows.length > 0) return <Table count={rows.length} cursor={cursor} columns={columns} />;
  if (place.filter.text !== '') return <Empty sentence="No upload has that in its row." next="esc clears the filter" />;
  // A part of a reading that failed does not tell that there is nothing.
  if (readMs === 0)
    return read.problem === undefined ? (
      <Empty sentence={`Reading the uploads of ${target.url ?? ''}`} next="they appear as they are read" />
    ) : (
      <Empty
        sentence={`The uploads of ${target.url ?? ''} cannot be read.`}
        next="it is tried again at each refresh, and with R"
      />
    );
  return (
    <Empty
      sentence={`There is no finished upload right below ${target.url ?? ''}.`}
      next={`archiver list ${target.url ?? ''} shows whether there are some below it; archiver upload FOLDER ${target.url ?? ''} makes one`}
    />
  );
}

/** When each was checked last, where any was. */
const checkedColumn = (rows: readonly StoredUpload[]): Column => ({
  title: 'CHECKED',
  width: 26,
  priority: 6,
  cell: cellsOf(rows)(({ checks }) => (checks === null ? '-' : (checkCell(checks, new Date()) ?? 'never'))),
});

/** An amount, or what is unknown; `…` where it is hidden. */
const cell = (value: number | undefined, text: (value: number) => string): string =>
  value === undefined ? '-' : text(value);

function useColumns(rows: readonly StoredUpload[]): readonly Column[] {
  const names = useNames();
  const classWidth = useMemo(
    () => Math.min(LONGEST_CLASS, Math.max(5, ...rows.slice(0, 100).map((row) => classText(row).length))),
    [rows],
  );
  return useMemo((): readonly Column[] => {
    const of = cellsOf(rows);
    const isChecked = rows.some(({ checks }) => checks !== null && tellingChecks(checks).length > 0);
    const right = { align: 'right' } as const;
    return [
      {
        title: 'UPLOAD',
        width: ID_WIDTH,
        priority: 0,
        cell: of(
          ({ record, datasetId, ...version }) => record?.uploadId ?? names(`${datasetId} ${versionName(version)}`),
        ),
      },
      { title: 'CREATED', width: 10, priority: 3, cell: of(({ createdAt }) => createdAt.slice(0, 10)) },
      { title: 'FILES', width: 9, ...right, priority: 2, cell: of(({ record }) => cell(record?.files, formatCount)) },
      { title: 'SIZE', width: 8, ...right, priority: 0, cell: of(({ record }) => cell(record?.bytes, formatBytes)) },
      {
        title: 'STORED',
        width: 8,
        ...right,
        priority: 1,
        cell: of(({ record }) => cell(record?.storedBytes, formatBytes)),
      },
      { title: 'RATIO', width: 6, ...right, priority: 5, cell: of(ratioText) },
      { title: 'CLASS', width: classWidth, priority: 4, cell: of(classText) },
      {
        title: 'SHARDS',
        width: 6,
        ...right,
        priority: 6,
        cell: of(({ front }) => cell(front?.shardCount, formatCount)),
      },
      {
        title: 'DATASET',
        weight: 2,
        min: 26,
        max: 50,
        cut: 'middle',
        priority: 7,
        cell: of(({ datasetId }) => names(datasetId)),
      },
      { title: 'VERSION', width: 7, ...right, priority: 7, cell: of(versionName) },
      ...(isChecked ? [checkedColumn(rows)] : []),
      { title: 'COMMIT', width: 8, priority: 8, cell: of(({ record }) => record?.commit?.slice(0, 8) ?? '-') },
      { title: 'STAGE', width: 10, priority: 9, cell: of(({ front }) => names(front?.stage ?? '-')) },
      { title: 'SOURCE', weight: 3, min: 14, cut: 'middle', priority: 0, cell: of((row) => names(sourceText(row))) },
    ];
  }, [rows, names, classWidth]);
}

const ratioText = ({ record }: StoredUpload): string =>
  record === null || record.storedBytes === 0 ? '-' : formatRatio(record.bytes / record.storedBytes);

const classText = ({ front }: StoredUpload): string => front?.storageClass ?? '-';

const failureOf = ({ checks }: Pick<StoredUpload, 'checks'>): VersionCheck | undefined => checks?.failure;

function sourceText({ record, checks, problem }: StoredUpload): string {
  if (problem !== null) return WHY[problem.code] ?? 'unreadable';
  const failure = failureOf({ checks });
  if (failure !== undefined) return `✗ ${checkText(failure, new Date())}`;
  return record?.isEncrypted === true ? 'encrypted' : (record?.source ?? '-');
}

/** A text about uploads of which a check has failed, or none. */
function failedTexts(uploads: readonly StoredUpload[]): readonly string[] {
  const failed = uploads.filter((upload) => failureOf(upload) !== undefined).length;
  return failed === 0 ? [] : [`✗ a check of ${formatQuantity(failed, 'upload')} FAILED`];
}

/** How many cannot be read, and why. */
function unreadableText({ uploads, unreadable }: Inventory): string {
  const why = uploads.flatMap((one) => (one.problem === null ? [] : [WHY[one.problem.code] ?? 'unreadable']));
  return `${formatCount(unreadable)} unreadable (${[...new Set(why)].join(', ')})`;
}

/** Number of uploads, their size, and what cannot be read. */
function summary({ sources: { store } }: Dashboard): Message {
  const inventory = store?.inventory.getState();
  const outage = inventory && outageText(inventory);
  const { value, isReading } = inventory ?? {};
  if (value === undefined)
    return outage === undefined ? { text: isReading === true ? 'listing' : '' } : { text: outage, tone: 'bad' };
  const { uploads, unread, unreadable, note } = value;
  const { datasets, bytes, storedBytes } = newestSums(value);
  const count = formatCount(uploads.length);
  const bad = [...(outage === undefined ? [] : [outage]), ...failedTexts(uploads)];
  const text = [
    ...bad,
    ...(unreadable === 0 ? [] : [unreadableText(value)]),
    unread > 0
      ? `${count} of ${formatQuantity(uploads.length + unread, 'upload')} read`
      : formatQuantity(uploads.length, 'upload'),
    ...(uploads.length === 0
      ? []
      : [`newest of ${formatQuantity(datasets, 'dataset')} ${formatBytes(bytes)} as ${formatBytes(storedBytes)}`]),
    ...(note === null ? [] : [note]),
  ].join(' · ');
  if (bad.length > 0) return { text, tone: 'bad' };
  return unreadable > 0 || note !== null ? { text, tone: 'warn' } : { text };
}

export const inventoryView: DashboardView = {
  id: 'inventory',
  title: 'Inventory',
  reads: ({ store }) => (store === undefined ? [] : [store.inventory]),
  onAsk: ({ store }) => store?.retryInventory(),
  list: inventoryList,
  lacks: missingStoreHint,
  View: InventoryView,
  summary,
  browsable(dashboard) {
    const upload = rowAtCursor(inventoryList, dashboard);
    const { url = '' } = dashboard.target;
    if (upload?.record) return { url: uploadUrlOf(url, upload.record.uploadId) };
    return { refusal: upload === undefined ? 'no upload is under the cursor' : 'its record cannot be read' };
  },
  toJson({ sources: { store } }) {
    const value = store?.inventory.getState().value;
    return value === undefined
      ? {}
      : { storedUploads: value.uploads.map(uploadDocument), unreadableCount: value.unreadable };
  },
};
