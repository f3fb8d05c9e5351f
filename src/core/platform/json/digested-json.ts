// Documents that carry their own digest (docs/format.md, "Digests"): over all other keys as they stand, without spaces.
import { hash } from 'node:crypto';
import { ArchiverError } from '../failures/errors.js';
import { printable } from '../paths/raw-path.js';

const ALGORITHM = 'sha256';

/** The document as JSON, with its digest and the digest's algorithm. */
export function digestedText(document: object): string {
  // The algorithm comes last, wherever it was: a document that is rewritten twice in the same way has the same bytes.
  const { digestAlgorithm: _before, ...others } = document as { readonly digestAlgorithm?: unknown };
  const stated = { ...others, digestAlgorithm: ALGORITHM };
  return JSON.stringify({ ...stated, digest: hash(ALGORITHM, JSON.stringify(stated)) });
}

/**
 * The document without its digest; undefined when the digest does not match. 0.1.0 named no algorithm.
 * @throws unsupported for an unknown algorithm
 */
export function checkedDigest(parsed: object, what: string): Readonly<Record<string, unknown>> | undefined {
  const { digest, ...document } = parsed as Record<string, unknown>;
  const { digestAlgorithm = ALGORITHM } = document;
  if (digestAlgorithm !== ALGORITHM)
    throw new ArchiverError(
      'unsupported',
      `${what} has a digest by '${printable(String(digestAlgorithm))}', and this archiver knows ${ALGORITHM}`,
      { hint: 'update archiver' },
    );
  return digest === hash(ALGORITHM, JSON.stringify(document)) ? document : undefined;
}
