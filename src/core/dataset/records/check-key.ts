// A check says that somebody has verified versions of a dataset, or restored from them, and what came of it. It is an object of its own
// below the dataset, `datasets/<id>/checks/<time>-<8 hex>.<kind>.<ok|failed>.json`: put once, never replaced, and no reader of a version
// needs it. Its key is enough to count checks and to see those that failed.
import { isUploadId, UPLOAD_ID } from '../../store/ids/upload-id.js';
import { isDatasetId } from './dataset-id.js';

/** How a check looked: at what is listed, at the bytes of chunks, or at files that it restored to a disk. */
export const CHECK_KINDS = ['listing', 'deep', 'drill'] as const;
export type CheckKind = (typeof CHECK_KINDS)[number];

export interface CheckPlace {
  readonly datasetId: string;
  /** Made as an upload id is, of the time at which it ended by the clock of the computer that made it. */
  readonly id: string;
  readonly kind: CheckKind;
  readonly ok: boolean;
}

const KEY = new RegExp(
  String.raw`^datasets/([^/]+)/checks/(${UPLOAD_ID})\.(${CHECK_KINDS.join('|')})\.(ok|failed)\.json$`,
);

/** The folder of the checks of a dataset. */
export const checkFolder = (datasetId: string): string => `datasets/${datasetId}/checks/`;

/** The key of a check, relative to the base. */
export const checkKey = ({ datasetId, id, kind, ok }: CheckPlace): string =>
  `${checkFolder(datasetId)}${id}.${kind}.${ok ? 'ok' : 'failed'}.json`;

/** Parses the key of a check; undefined for every other key. */
export function checkPlace(key: string): CheckPlace | undefined {
  const [, datasetId = '', id = '', kind, verdict] = KEY.exec(key) ?? [];
  if (!isDatasetId(datasetId) || !isUploadId(id)) return undefined;
  return { datasetId, id, kind: kind as CheckKind, ok: verdict === 'ok' };
}
