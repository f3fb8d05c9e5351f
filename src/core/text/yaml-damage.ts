// How YAML that people wrote is read: one document, nothing guessed, nothing printed by the parser, and the first error
// reported with its place.
import type { Document } from 'yaml';

/** Options of `parseDocument`. At the log level `silent` it takes the first of several documents and drops the rest. */
export const ONE_DOCUMENT = { prettyErrors: false, logLevel: 'error' } as const;

export interface YamlDamage {
  readonly offset: number;
  /** Follows `it` or `the file`. */
  readonly reason: string;
}

/** The first error of a document that was read with `ONE_DOCUMENT`; undefined when there is none. */
export function damageOf({ errors, warnings }: Pick<Document, 'errors' | 'warnings'>): YamlDamage | undefined {
  // A warning (an unknown tag) means that a value is not what it looks like.
  const damage = errors[0] ?? warnings[0];
  if (damage === undefined) return undefined;
  const [offset] = damage.pos;
  if (damage.code === 'MULTIPLE_DOCS')
    return { offset, reason: 'holds a second document, which begins here: keep one' };
  // A stack overflow in the parser has the engine's message.
  if (damage.message.includes('call stack')) return { offset, reason: 'nests too deep' };
  return { offset, reason: `is not valid YAML: ${damage.message.split('\n')[0] ?? ''}` };
}
