import type { VersionRecord } from '../../manifest/manifest-types.js';
import { displayPath, rawFromText } from '../../paths/raw-path.js';

/** The folder that a version was made from, printable; null where the record of an encrypted version does not tell. */
export function recordedSource({ source }: Pick<VersionRecord, 'source'>): string | null {
  if (source.pathBase64 !== undefined) return displayPath(Buffer.from(source.pathBase64, 'base64').toString('latin1'));
  return source.path === undefined ? null : displayPath(rawFromText(source.path));
}
