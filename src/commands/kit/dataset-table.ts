// The columns of dataset tables, for `list` of a store and `dataset list`.
import type { DatasetSummary } from '../../core/dataset/records/describe-datasets.js';
import { printable } from '../../core/platform/paths/raw-path.js';
import { formatBytes, formatCount } from '../../ui/format.js';
import { ofKnown } from './lines.js';
import { type Column, column, moments, numbers } from './table.js';

export const DATASET_COLUMNS: readonly Column<DatasetSummary>[] = [
  column('DATASET', ({ datasetId }) => printable(datasetId)),
  numbers('VERSIONS', ({ versionCount }) => formatCount(versionCount)),
  numbers('HEAD', ({ headVersion }) => `v${headVersion}`, { dropOrder: 2 }),
  numbers('FILES', ({ files }) => ofKnown(files, formatCount)),
  numbers('SIZE', ({ bytes }) => ofKnown(bytes, formatBytes)),
  moments('UPDATED', ({ updatedAt }) => updatedAt, { dropOrder: 1 }),
  column('SOURCE', ({ source, host }) => ofKnown(source, (path) => printable(`${path} on ${host ?? '?'}`)), {
    isCuttable: true,
    dropOrder: 3,
  }),
];
