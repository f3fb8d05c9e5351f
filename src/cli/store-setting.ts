// The store that a command works on: its argument, else $ARCHIVER_STORE, else `storage.url` of the config file. What it
// says excludes --bucket and --prefix, and the layers decide between them as they do between flags.
import type { Args } from './arg.js';
import type { Declaration } from './declaration.js';
import { flag, type Flag } from './flag.js';
import { lowerOf, type FlagRule } from './rule.js';
import type { Tokens } from './tokenize.js';
import { urlIn } from './value-type.js';

/** Its key in the section `storage`, and in values and origins. */
export const STORE_KEY = 'url';

/** The argument that names the store. */
export const storeArg = ({ args = [] }: Pick<Declaration, 'args'>): Args[number] | undefined =>
  args.find(({ store }) => store !== undefined);

/** The setting; `label`: what messages call one that was typed. Relative paths begin at `cwd`. */
export function storeSetting(cwd = '/', label = ''): Flag {
  const words = 'where uploads and datasets are, for every command that is not given it as an argument';
  return {
    ...flag.text({ describe: words, sample: 's3://my-bucket/archives' }),
    label,
    parse: (texts) => urlIn(cwd).parse(texts.at(-1) ?? ''),
  };
}

/** A store says which bucket and which prefix. */
export const storeRule: FlagRule = {
  kind: 'flags',
  text: 'a store is named by its URL, or by --bucket and --prefix',
  keys: [STORE_KEY, 'bucket', 'prefix'],
  check({ given }) {
    if (!given(STORE_KEY)) return undefined;
    if (given('bucket')) return 'give either a URL or --bucket, not both';
    return given('prefix') ? '--prefix goes with --bucket; a URL holds its own' : undefined;
  },
  overruled(input) {
    const { given, origins } = input;
    const lower = lowerOf([STORE_KEY, 'bucket'], input);
    const isPrefixLeft = given(STORE_KEY) && given('prefix') && origins['prefix'] !== 'flag' && !given('bucket');
    return isPrefixLeft ? [...lower, 'prefix'] : lower;
  },
};

const isUrl = (text: string | undefined): boolean => text?.includes('://') === true;

/**
 * The texts in the places of the arguments that they are for. The store, where it comes first, may be left out: a single
 * text is then that of the argument behind it, if this is needed, or if --bucket was typed.
 */
export function placedTexts(declared: Args, { args, texts }: Tokens): readonly (string | undefined)[] {
  const [first, second] = declared;
  if (first?.store === undefined || second === undefined || args.length !== 1 || isUrl(args[0])) return args;
  return !second.optional || (texts['bucket'] ?? []).length > 0 ? [undefined, ...args] : args;
}
