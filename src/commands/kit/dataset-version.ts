// `--dataset-id`: from a dataset and a version or day to the upload that holds it.
import { usageError } from '../../core/failures/errors.js';
import { checkDatasetId } from '../../core/dataset/records/dataset-id.js';
import {
  parseVersionSelector,
  resolveVersion,
  type VersionSelector,
} from '../../core/dataset/records/version-selector.js';
import { digestsOf } from '../../core/dataset/chain/version-view.js';
import type { UploadLocation } from '../../core/object-store/store-url.js';
import { type StoreContext, type StoreValues, withStore } from './store.js';

export interface DatasetVersion {
  readonly datasetId: string;
  readonly version: number;
  /** Digests that its manifest may have. */
  readonly manifestSha256: readonly string[];
  readonly target: UploadLocation;
}

interface SelectorValues {
  readonly datasetId: string | undefined;
  readonly version: string | undefined;
  readonly asOf: string | undefined;
}

/** The version that --version or --as-of name, else the newest. @throws usage for a text that names none */
export function versionSelector({ version, asOf }: Omit<SelectorValues, 'datasetId'>): VersionSelector {
  if (version !== undefined) return parseVersionSelector(version);
  if (asOf === undefined) return { kind: 'head' };
  const selector = parseVersionSelector(asOf);
  if (selector.kind !== 'by') throw usageError('--as-of wants a day such as 2026-03-31', 'a version goes to --version');
  return selector;
}

/** Asks the store which upload the version is. @throws what `resolveVersion` throws */
export async function findVersion(
  values: SelectorValues & StoreValues,
  baseUrl: string,
  selector: VersionSelector,
  context: StoreContext,
): Promise<DatasetVersion> {
  const datasetId = checkDatasetId(values.datasetId ?? '');
  return await withStore({ baseUrl, values, context }, async ({ store }) => {
    const record = await resolveVersion(store, datasetId, selector, context.signal);
    const { uploadId, version } = record;
    return { datasetId, version, manifestSha256: digestsOf(record), target: { baseUrl, uploadId } };
  });
}
