// What a reader must know to read a document right (docs/format.md, "What a reader must know"). Nothing has a name yet: each
// word that a document names is one of a newer archiver.
import { readValue } from '../../platform/documents/read-document.js';
import * as s from '../../platform/documents/schema.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';

/** The `requires` of a document that this version reads. */
export const NO_REQUIREMENTS: readonly string[] = [];

/** `requires`; documents of 0.1.0 may lack it. */
export const requires = s.schema(() => s.listOf(s.text));
const DOCUMENT = s.schema(() => s.object({ requires: s.exactOptional(requires()) }));

/** Before the rest of a document is read, which may differ. @throws unsupported, with every word that is not known; integrity */
export function checkRequirements(document: object, what: string): void {
  const words = readValue(DOCUMENT, document, what).requires ?? NO_REQUIREMENTS;
  if (words.length === 0) return;
  const named = words.map((word) => `'${printable(word)}'`).join(', ');
  throw new ArchiverError('unsupported', `${what} needs a newer archiver: it uses ${named}`, {
    hint: 'update archiver',
  });
}
