// Parts of a version record as people read them.
import type { VersionRecord } from '../../core/manifest/manifest-types.js';
import { displayPath, rawFromText } from '../../core/paths/raw-path.js';

/** The folder that a version was made from, printable; null where the record of an encrypted one does not tell. */
export function sourceText({ source }: Pick<VersionRecord, 'source'>): string | null {
  if (source.pathBase64 !== undefined) return displayPath(Buffer.from(source.pathBase64, 'base64').toString('latin1'));
  return source.path === undefined ? null : displayPath(rawFromText(source.path));
}

/** A moment to the minute: `2026-03-04 05:06`. */
export const minuteText = (createdAt: string): string =>
  createdAt.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ');
