// What a store keeps beside the bytes of an object, as extended attributes of the file that it becomes: every reader of manifests knows
// those, and a restore sets them.
import type { ObjectContent } from '../../store/object-store.js';

const PREFIX = 'user.s3.';

/** Returns the attributes: `user.s3.etag`, `content-type`, `storage-class` if it is not STANDARD, `version-id`, and `meta.NAME`. */
export function objectAttributes({ etag, storageClass, about = {} }: ObjectContent): Readonly<Record<string, string>> {
  const { contentType, metadata = {}, versionId } = about;
  const found: Record<string, string> = { [`${PREFIX}etag`]: etag };
  if (contentType !== undefined) found[`${PREFIX}content-type`] = contentType;
  if (storageClass !== undefined && storageClass !== 'STANDARD') found[`${PREFIX}storage-class`] = storageClass;
  if (versionId !== undefined) found[`${PREFIX}version-id`] = versionId;
  for (const [name, value] of Object.entries(metadata)) found[`${PREFIX}meta.${name}`] = value;
  return found;
}
