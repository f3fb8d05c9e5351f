// The store that a command works on: its argument, or --store, or else $ARCHIVER_STORE, or else `storage.url` of the config file. It
// excludes --bucket and --prefix, and the layers decide between them as between flags. Each takes the names of `stores`, too.
import type { Args } from './arg.js';
import type { Declaration } from './declaration.js';
import { flag, type Flag } from './flag.js';
import type { Resolved } from './layers.js';
import { type Around, isUnknownName, knownNames, type NamedStores, placeUrlOf, storeWord } from './named-stores.js';
import { overriddenKeys, type FlagRule } from './rule.js';
import type { Tokens } from './tokenize.js';
import { type Parsed, urlIn } from './value-type.js';
import { bucketUrl, isBareWord, joinStoreUrl } from '../core/store/store-url.js';

/** Key of the store in the section `storage`, and in values and origins. */
export const STORE_KEY = 'url';

/** Key of the flag that names the store; its variable is that of the setting. */
export const STORE_FLAG = 'store';

const NOWHERE: Around = { stores: new Map(), cwd: '/' };

/** Returns the argument that names the store. */
export const storeArg = ({ args = [] }: Pick<Declaration, 'args'>): Args[number] | undefined =>
  args.find(({ store }) => store !== undefined);

/** Declares the setting; `label` is the name in messages of a store that was typed. */
export function storeSetting({ stores, cwd } = NOWHERE, label = ''): Flag {
  const words = 'where uploads and datasets are, for every command that is not given it as an argument';
  return {
    ...flag.text({ describe: words, sample: 's3://my-bucket/archives' }),
    label,
    parse([text = '']) {
      if (isUnknownName(text, stores)) return { ok: false, reason: `is no store: ${knownNames(stores)}` };
      return urlIn(cwd).parse(placeUrlOf(text, { stores, cwd }) ?? text);
    },
  };
}

/** Lets a flag whose value is a place take the names of stores; what it takes to get at them is that of the run's own store. */
export function takingNames(flag: Flag, around: Around): Flag {
  if (flag.namesStores === true) return { ...flag, parse: (texts) => storesIn(texts, around) };
  if (flag.mayBeStore !== true) return flag;
  return {
    ...flag,
    parse(texts) {
      const [text = ''] = texts;
      const word = storeWord(text, around.stores);
      if (word === undefined) return flag.parse(texts);
      const [own] = word.store.settings.keys();
      if (own === undefined) return { ok: true, value: placeUrlOf(text, around) };
      return {
        ok: false,
        reason: `is reached like the store of the run, without the ${own} that ${word.store.name} has`,
      };
    },
  };
}

/** Reads further stores: what is no name becomes a URL, and `nas` is `nas:`. */
function storesIn(texts: readonly string[], { stores, cwd }: Around): Parsed<readonly string[]> {
  const found: string[] = [];
  for (const text of texts) {
    const word = stores.has(text) ? `${text}:` : text;
    const read = storeWord(word, stores) === undefined ? urlIn(cwd).parse(word) : ({ ok: true, value: word } as const);
    if (!read.ok)
      return { ok: false, reason: `is no store: write a URL, a path such as ./nas, or a name; ${knownNames(stores)}` };
    found.push(read.value);
  }
  return { ok: true, value: found };
}

/** A store already names the bucket and the prefix. */
export const storeRule: FlagRule = {
  kind: 'flags',
  text: 'a store is named by its URL (or NAME: of the config file), or by --bucket and --prefix',
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
    describe: 'bucket, URL or path, where no argument names it',
    names: 'store',
  }),
  [STORE_FLAG]: flag.text({
    placeholder: 'NAME|URL',
    describe: 'store, by its name in the config file; or a URL or path',
    names: 'store',
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
export function placeIn(values: Resolved['values'], { stores, cwd }: Around): string | undefined {
  const { [STORE_KEY]: url, bucket, prefix } = values;
  if (typeof url === 'string') return url;
  if (typeof bucket !== 'string') return undefined;
  const place = placeUrlOf(bucket, { stores, cwd }) ?? bucketUrl(bucket, cwd);
  return joinStoreUrl(place, typeof prefix === 'string' ? prefix : '');
}

const BARE_NAME = /^[A-Za-z0-9][\w-]*$/;

/** The texts of --store, as the argument would have them: `nas` is the store `nas:`. */
const storeFlagTexts = ({ texts }: Tokens): readonly string[] =>
  (texts[STORE_FLAG] ?? []).map((text) => (BARE_NAME.test(text) ? `${text}:` : text));

/** All that was typed for the store, as the argument or the flag. */
export function typedStores(declared: Args, placed: PlacedTexts, tokens: Tokens): readonly string[] {
  const at = declared.findIndex(({ store }) => store !== undefined);
  const texts = placed.of[at] ?? [];
  const own =
    declared[at]?.takesFolders === true ? texts.map((text) => (isBareWord(text) ? `./${text}` : text)) : texts;
  return at < 0 ? [] : [...own, ...storeFlagTexts(tokens)];
}

/** True for a word that is a store wherever it stands: a URL, or `NAME:` of the config file. A path may be something else. */
export const isStoreWord = (text: string | undefined, stores: NamedStores): boolean =>
  text !== undefined && (text.includes('://') || storeWord(text, stores) !== undefined);

/**
 * Tells whether the store, which comes first, was left out. A single text belongs to the argument after the store if that is required (no
 * flag that was typed replaces it), or if a flag names the store; if several are required after it, a text that names no place is the first
 * of them.
 */
function isLeftOut(declared: Args, { args, texts }: Tokens, stores: NamedStores): boolean {
  const [first, ...others] = declared;
  const [text] = args;
  if (first?.store === undefined || text === undefined || isStoreWord(text, stores)) return false;
  const [second] = others;
  const isTyped = [STORE_FLAG, 'bucket'].some((key) => (texts[key] ?? []).length > 0);
  if (args.length === 1 && second !== undefined)
    return isNeeded(second, texts) || isTyped || isNoPlace(text, others, stores);
  return isNoPlace(text, others, stores);
}

const isNeeded = ({ optional, orFlags }: Args[number], texts: Tokens['texts']): boolean =>
  orFlags.length === 0 ? !optional : orFlags.every((key) => (texts[key] ?? []).length === 0);

const isNoPlace = (text: string, others: Args, stores: NamedStores): boolean =>
  others.filter(({ optional }) => !optional).length > 1 && placeUrlOf(text, { stores, cwd: '/' }) === undefined;

export interface PlacedTexts {
  /** The texts of each argument. */
  readonly of: readonly (readonly string[])[];
  /** Texts that belong to no argument. */
  readonly extra: readonly string[];
}

interface Placing {
  readonly stores: NamedStores;
  /** The last text is the store (store-behind.ts). */
  readonly isLast: boolean;
}

/** Assigns the typed texts to the arguments. */
export function placedTexts(declared: Args, tokens: Tokens, { stores, isLast }: Placing): PlacedTexts {
  const given = isLeftOut(declared, tokens, stores) ? [undefined, ...tokens.args] : tokens.args;
  const many = declared.findIndex((one) => one.many);
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
