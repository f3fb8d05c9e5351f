// A tag that keeps a version from being pruned is an object of its own, `datasets/<id>/tags/v00000012.<tag>.json`: records are
// not rewritten for it, because a writer without permission to read recognises the newest one by its ETag. Its key says all.
import { usageError } from '../../failures/errors.js';
import { printable } from '../../paths/raw-path.js';
import { isDatasetId } from './dataset-id.js';

const TAG = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const KEY = /^datasets\/([^/]+)\/tags\/v(\d{8,15})\.([^/]+)\.json$/;

export interface VersionTag {
  readonly datasetId: string;
  readonly version: number;
  readonly tag: string;
}

/** @throws usage when the tag could mean something else in a key or a shell */
export function checkTag(tag: string): string {
  if (TAG.test(tag)) return tag;
  throw usageError(
    `'${printable(tag)}' cannot be a tag: up to 64 of A-Z a-z 0-9 . _ - are allowed, beginning with a letter or digit`,
  );
}

/** Below the base. */
export const tagKey = ({ datasetId, version, tag }: VersionTag): string =>
  `datasets/${datasetId}/tags/v${String(version).padStart(8, '0')}.${tag}.json`;

/** What the key of a tag says; undefined for every other key. */
export function versionTag(key: string): VersionTag | undefined {
  const [, datasetId, digits, tag] = KEY.exec(key) ?? [];
  if (datasetId === undefined || tag === undefined || !isDatasetId(datasetId) || !TAG.test(tag)) return undefined;
  const found = { datasetId, version: Number(digits), tag };
  return tagKey(found) === key ? found : undefined;
}
