// Splits argv into texts, with meow. It only tokenizes: no types, no defaults, no choices, no help, no unknown-flag exit.
import { kebab, type Flags } from './flag.js';

export interface Tokens {
  /** Every occurrence of each flag, as typed. */
  readonly texts: Readonly<Record<string, readonly string[]>>;
  readonly args: readonly string[];
}

/** Tokenizes an argv that `normalizeArgv` wrote. */
export async function tokenize(flags: Flags, argv: readonly string[]): Promise<Tokens> {
  const end = argv.indexOf('--');
  const given = new Set(argv.slice(0, end).map((token) => token.slice('--'.length, token.indexOf('='))));
  const none = Object.fromEntries(Object.keys(flags).map((key) => [key, []]));
  // Without flags nothing is left to be taken apart: meow takes as long as all else before the command.
  if (given.size === 0) return { texts: none, args: argv.slice(end + 1) };
  const { default: meow } = await import('meow');
  // meow's time grows with the number of flags.
  const keys = Object.keys(flags).filter((key) => given.has(kebab(key)));
  const { flags: found, input } = meow('', {
    importMeta: { url: import.meta.url } as ImportMeta,
    // Given so that meow reads no package.json; it also names the process, as src/main.ts does.
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
  return { texts: { ...none, ...Object.fromEntries(keys.map((key) => [key, read(key)])) }, args: input.map(String) };
}
