// Validates dataset IDs. They are derived (identity.ts) or given by a person, and become part of keys.
import { usageError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';

const SAFE_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** True for a valid dataset id. */
export const isDatasetId = (text: string): boolean => SAFE_ID.test(text);

/** Returns a valid ID. @throws usage when the ID could mean something else in a key */
export function checkDatasetId(datasetId: string): string {
  if (isDatasetId(datasetId)) return datasetId;
  throw usageError(
    `--dataset-id '${printable(datasetId)}' cannot be used: up to 128 of A-Z a-z 0-9 . _ - are allowed, beginning with a letter or digit`,
  );
}

/** The name of the folder in a derived ID: `photos` for `photos-1a2b3c4d`; other IDs are returned unchanged. */
export const nameOfDataset = (datasetId: string): string => datasetId.replace(/-[0-9a-f]{8}$/, '');
