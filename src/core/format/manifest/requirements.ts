// What a reader must know to read a document right (docs/format.md, "What a reader must know"). Nothing has a name yet: each
// word that a document names is one of a newer archiver.
import { ArchiverError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import type { Fields } from '../../platform/json/json-fields.js';

/** The `requires` of a document that this version reads. */
export const NO_REQUIREMENTS: readonly string[] = [];

/** Reads the `requires` of a document, where it has one. @throws unsupported, with every word that is not known; integrity */
export function readRequirements(fields: Fields): { readonly requires?: readonly string[] } {
  if (fields.get('requires') === undefined) return {};
  const words = fields
    .list('requires')
    .map((word) => (typeof word === 'string' ? word : fields.fail('requires', 'a list of words')));
  if (words.length === 0) return { requires: NO_REQUIREMENTS };
  const named = words.map((word) => `'${printable(word)}'`).join(', ');
  throw new ArchiverError('unsupported', `${fields.what} needs a newer archiver: it uses ${named}`, {
    hint: 'update archiver',
  });
}
