import type { VersionRecord } from '../../format/manifest/manifest-types.js';
import { displayPath, rawFromBase64, printable } from '../../platform/paths/raw-path.js';

/** The folder that a version was made from, printable; null when the record of an encrypted version does not name it. */
export function recordedSource({ source }: Pick<VersionRecord, 'source'>): string | null {
  if (source.pathBase64 !== undefined) return displayPath(rawFromBase64(source.pathBase64));
  return source.path === undefined ? null : printable(source.path);
}
