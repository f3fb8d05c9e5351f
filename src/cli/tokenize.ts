// Splits argv into texts, with meow. It only tokenizes: no types, no defaults, no choices, no help, no unknown-flag exit.
import { kebab, type Flags } from './flag.js';

export interface Tokens {
  /** Every occurrence of each flag, as typed. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
  readonly args: readonly string[];
}

/** Tokenizes an argv that `normalizeArgv` wrote. */
export async function tokenize(flags: Flags, argv: readonly string[]): Promise<Tokens> {
  const { default: meow } = await import('meow');
  const keys = Object.keys(flags);
  const { flags: found, input } = meow('', {
    importMeta: import.meta,
    // Given so that meow reads no package.json; it also names the process.
    pkg: { name: 'archiver' },
    argv: [...argv],
    flags: Object.fromEntries(keys.map((key) => [key, { type: 'string', isMultiple: true }] as const)),
    autoHelp: false,
    autoVersion: false,
    description: false,
    allowUnknownFlags: true,
  });
  const read = (key: string): readonly string[] => {
    const texts = found[key];
    if (!Array.isArray(texts)) throw new Error(`the tokenizer lost --${kebab(key)}`);
    return texts.map(String);
  };
  return { texts: Object.fromEntries(keys.map((key) => [key, read(key)])), args: input.map(String) };
}
