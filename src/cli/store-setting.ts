// The store that a command works on: its argument, or else $ARCHIVER_STORE, or else `storage.url` of the config file. It excludes --bucket
// and --prefix, and the layers decide between them as between flags.
import type { Args } from './arg.js';
import type { Declaration } from './declaration.js';
import { flag, type Flag } from './flag.js';
import type { Resolved } from './layers.js';
import { overriddenKeys, type FlagRule } from './rule.js';
import type { Tokens } from './tokenize.js';
import { urlIn } from './value-type.js';
import { bucketUrl, joinStoreUrl, storeUrlOf } from '../core/store/store-url.js';

/** Key of the store in the section `storage`, and in values and origins. */
export const STORE_KEY = 'url';

/** Returns the argument that names the store. */
export const storeArg = ({ args = [] }: Pick<Declaration, 'args'>): Args[number] | undefined =>
  args.find(({ store }) => store !== undefined);

/** Declares the setting; `label` is the name in messages of a store that was typed. Relative paths begin at `cwd`. */
export function storeSetting(cwd = '/', label = ''): Flag {
  const words = 'where uploads and datasets are, for every command that is not given it as an argument';
  return {
    ...flag.text({ describe: words, sample: 's3://my-bucket/archives' }),
    label,
    parse: (texts) => urlIn(cwd).parse(texts.at(-1) ?? ''),
  };
}

/** A store already names the bucket and the prefix. */
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
    const lower = overriddenKeys([STORE_KEY, 'bucket'], input);
    const isPrefixLeft = given(STORE_KEY) && given('prefix') && origins['prefix'] !== 'flag' && !given('bucket');
    return isPrefixLeft ? [...lower, 'prefix'] : lower;
  },
};

/** The store in two flags, which every command that works on a store takes, too. */
const placeFlags = {
  bucket: flag.text({
    short: 'b',
    placeholder: 'NAME|URL',
    describe: 'bucket, URL or path of the store, where no argument names it',
  }),
  prefix: flag.text({
    short: 'p',
    placeholder: 'PREFIX',
    default: '',
    allowEmpty: true,
    describe: 'prefix in --bucket',
  }),
};

/** Adds the flags that name the store to a command; those that it declares itself stay. */
export const withPlaceFlags = <C extends Declaration>(command: C): C =>
  storeArg(command) === undefined ? command : { ...command, flags: { ...placeFlags, ...command.flags } };

/** Returns the URL of the store, however it was named; undefined if it was not. @throws usage for an invalid bucket */
export function placeIn(values: Resolved['values'], cwd: string): string | undefined {
  const { [STORE_KEY]: url, bucket, prefix } = values;
  if (typeof url === 'string') return url;
  if (typeof bucket !== 'string') return undefined;
  return joinStoreUrl(bucketUrl(bucket, cwd), typeof prefix === 'string' ? prefix : '');
}

const isUrl = (text: string | undefined): boolean => text?.includes('://') === true;

/**
 * Tells whether the store, which comes first, was left out. A single text belongs to the argument after the store if that is required (no
 * flag that was typed replaces it), or if --bucket was typed; if several are required after it, a text that names no place is the first of them.
 */
function isLeftOut(declared: Args, { args, texts }: Tokens): boolean {
  const [first, ...others] = declared;
  const [text] = args;
  if (first?.store === undefined || text === undefined || isUrl(text)) return false;
  const [second] = others;
  if (args.length === 1 && second !== undefined)
    return isNeeded(second, texts) || (texts['bucket'] ?? []).length > 0 || isNoPlace(text, others);
  return isNoPlace(text, others);
}

const isNeeded = ({ optional, orFlags }: Args[number], texts: Tokens['texts']): boolean =>
  orFlags.length === 0 ? !optional : orFlags.every((key) => (texts[key] ?? []).length === 0);

const isNoPlace = (text: string, others: Args): boolean =>
  others.filter(({ optional }) => !optional).length > 1 && storeUrlOf(text, '/') === undefined;

export interface PlacedTexts {
  /** The texts of each argument. */
  readonly of: readonly (readonly string[])[];
  /** Texts that belong to no argument. */
  readonly extra: readonly string[];
}

/** Assigns the typed texts to the arguments. */
export function placedTexts(declared: Args, tokens: Tokens): PlacedTexts {
  const given = isLeftOut(declared, tokens) ? [undefined, ...tokens.args] : tokens.args;
  const many = declared.findIndex((one) => one.many);
  // The store may come after an argument that takes all remaining texts: there only a URL is recognized as one.
  const isLast = many >= 0 && many < declared.length - 1 && isUrl(given.at(-1));
  const behind = given.length - (isLast ? 1 : 0);
  const start = (index: number): number => (many >= 0 && index > many ? behind : index);
  const end = (index: number): number => (index === many ? behind : start(index) + 1);
  const between = (from: number, to?: number): readonly string[] =>
    given.slice(from, to).filter((text) => text !== undefined);
  return {
    of: declared.map((_, index) => between(start(index), end(index))),
    extra: many >= 0 ? [] : between(declared.length),
  };
}
