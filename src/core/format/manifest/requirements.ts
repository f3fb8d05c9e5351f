// Features that a reader must know to read a document correctly (docs/format.md, "What a reader must know").
import { readValue } from '../../platform/documents/read-document.js';
import * as s from '../../platform/documents/schema.js';
import { ArchiverError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';

/** The `requires` of documents that every version reads. */
export const NO_REQUIREMENTS: readonly string[] = [];

/** The `requires` of a manifest whose entries lie in segments. */
export const SEGMENTS_REQUIRED: readonly string[] = ['segments'];

/** The `requires` of a plan whose version has more than its parts. */
export const BASE_REQUIRED: readonly string[] = ['base'];

/** The `requires` of a plan that cuts files over several parts, and of the results of such parts. */
export const SHARES_REQUIRED: readonly string[] = ['shares'];

/** `requires`; documents of 0.1.0 may lack it. */
export const requires = s.schema(() => s.listOf(s.text));
const DOCUMENT = s.schema(() => s.object({ requires: s.exactOptional(requires()) }));

/**
 * Checks a document before the rest of it is read, which may differ. `known` are the words that such a document may have. @throws
 * unsupported, with every other word; integrity
 */
export function checkRequirements(document: object, what: string, known = SEGMENTS_REQUIRED): void {
  const words = (readValue(DOCUMENT, document, what).requires ?? NO_REQUIREMENTS).filter(
    (word) => !known.includes(word),
  );
  if (words.length === 0) return;
  const named = words.map((word) => `'${printable(word)}'`).join(', ');
  throw new ArchiverError('unsupported', `${what} needs a newer archiver: it uses ${named}`, {
    hint: 'update archiver',
  });
}
