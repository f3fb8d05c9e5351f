// A tag that keeps a version from being pruned is an object of its own, `datasets/<id>/tags/v00000012.<tag>.json`: its name is that of the
// record, whose key may have an upload ID. Records are not rewritten for it, because a writer without permission to read recognises the
// newest one by its ETag. Its key holds all the information.
import { usageError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { UPLOAD_ID } from '../../store/ids/upload-id.js';
import { isDatasetId } from './dataset-id.js';
import { placeIn, recordName, type RecordPlace } from './version-record.js';

const TAG = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const KEY = new RegExp(String.raw`^datasets/([^/]+)/tags/(v\d{8,15}(?:\.${UPLOAD_ID})?)\.([^/]+)\.json$`);

/** A tag, with its version as the key of its record names it. */
export interface VersionTag extends RecordPlace {
  readonly tag: string;
}

/** True for a text that may be a tag. */
export const isTag = (text: string): boolean => TAG.test(text);

/** Returns a valid tag. @throws usage when the tag could mean something else in a key or a shell */
export function checkTag(tag: string): string {
  if (TAG.test(tag)) return tag;
  throw usageError(
    `'${printable(tag)}' cannot be a tag: up to 64 of A-Z a-z 0-9 . _ - are allowed, beginning with a letter or digit`,
  );
}

/** Key of a tag, relative to the base. */
export const tagKey = ({ tag, ...place }: VersionTag): string =>
  `datasets/${place.datasetId}/tags/${recordName(place)}.${tag}.json`;

/** Parses the key of a tag; undefined for every other key. */
export function versionTag(key: string): VersionTag | undefined {
  const [, datasetId, name, tag] = KEY.exec(key) ?? [];
  if (datasetId === undefined || tag === undefined || !isDatasetId(datasetId) || !TAG.test(tag)) return undefined;
  const place = placeIn(datasetId, `${name}.json`);
  return place && { ...place, tag };
}
