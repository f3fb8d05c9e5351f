// Converts the words after a command to typed values: shape, tokens, layers, arguments, rules, in this order.
import { usageError } from '../core/platform/failures/errors.js';
import { refuseUndecoded } from '../core/platform/text/typed-path.js';
import type { Arg, Args } from './arg.js';
import type { Command } from './command.js';
import type { Declaration } from './declaration.js';
import { envNames } from './env-names.js';
import { allFlags } from './global-flags.js';
import type { Flags } from './flag.js';
import { refuseIdle } from './idle-flags.js';
import { resolveLayers, type Layers, type Resolved } from './layers.js';
import {
  type Around,
  type ConfigLayer,
  isUnknownName,
  knownNames,
  type NamedStores,
  placeUrlOf,
  type SettingsAt,
  storeAt,
} from './named-stores.js';
import { normalizeArgv } from './normalize-argv.js';
import { dashed, joinWords } from './rule.js';
import { settingsIn } from './globals.js';
import { globalsOf } from './settings.js';
import {
  type PlacedTexts,
  STORE_FLAG,
  STORE_KEY,
  placeIn,
  placedTexts,
  storeArg,
  storeRule,
  storeSetting,
  takingNames,
  typedStores,
} from './store-setting.js';
import { isStoreLast, type LowerStore } from './store-behind.js';
import { suggest } from '../core/platform/text/suggest.js';
import { refuseSwapped } from './swapped-args.js';
import { tokenize } from './tokenize.js';

export interface ParsedCommand extends Resolved {
  readonly args: readonly unknown[];
  /** The stores that the config file names. */
  readonly stores: NamedStores;
  /** The texts of each argument, as they were typed. */
  readonly typed: readonly (readonly string[])[];
  readonly settingsAt: SettingsAt;
}

export interface ParseInput {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Base of relative paths of folders; `/` when not given. */
  readonly cwd?: string;
  /** Called only when the shape of argv is right: reading the file must not hide a mistyped flag. */
  readonly config: () => Promise<ConfigLayer>;
}

function parseArg(arg: Arg, text: string): unknown {
  refuseUndecoded(text, arg.name);
  const parsed = text === '' ? ({ ok: false, reason: 'must not be empty' } as const) : arg.type.parse(text);
  if (parsed.ok) return parsed.value;
  const near = arg.type.choices && suggest(text, arg.type.choices);
  throw usageError(
    `${arg.name} ${parsed.reason}, got "${text}"`,
    near === undefined ? undefined : `did you mean ${near}?`,
  );
}

const NAME_IT = 'ARCHIVER_STORE, or storage.url in the config file, names the store of commands that are not given one';

/** Checks the number of arguments and parses each; `store` is the value for the argument that names the store. */
function parseArgs(declared: Args, { of, extra }: PlacedTexts, store: string | undefined): readonly unknown[] {
  if (extra.length > 0) {
    const takes = declared.length === 0 ? 'no arguments' : declared.map(({ name }) => name).join(' ');
    const shown = extra.map((text) => `"${text}"`).join(' ');
    throw usageError(`too many arguments: ${shown}; this command takes ${takes}`);
  }
  return declared.map((arg, index) => {
    if (arg.store !== undefined) return store;
    const read = (of[index] ?? []).map((text) => parseArg(arg, text));
    return arg.many ? read : read[0];
  });
}

/** True for keys that are given; a switch counts only if it differs from its default. */
const isGiven =
  ({ flags = {} }: Pick<Declaration, 'flags'>, { values, origins }: Pick<Resolved, 'values' | 'origins'>) =>
  (key: string): boolean =>
    (origins[key] ?? 'default') !== 'default' &&
    (typeof values[key] !== 'boolean' || String(values[key]) !== flags[key]?.defaultText);

/** Settings, flags, and the store that the command works on. */
function settingsOf(command: Declaration, around: Around): Flags {
  const store = storeArg(command);
  const globals = globalsOf(command);
  const all = { ...settingsIn(globals), ...(command.isRecorded === true && globals.recorded), ...allFlags(command) };
  const flags = Object.fromEntries(Object.entries(all).map(([key, flag]) => [key, takingNames(flag, around)]));
  if (store === undefined) return flags;
  // What --store says is a text of the argument.
  const others = Object.fromEntries(Object.entries(flags).filter(([key]) => key !== STORE_FLAG));
  return { ...others, [STORE_KEY]: storeSetting(around, store.name) };
}

const rulesOf = (command: Declaration): NonNullable<Declaration['rules']> => [
  ...(storeArg(command) === undefined ? [] : [storeRule]),
  ...(command.rules ?? []),
];

/** Resolves the values again until no layer excludes values of the layers below it any more. */
function resolveWithRules(command: Declaration, layers: Layers, around: Around): Resolved {
  const settings = settingsOf(command, around);
  const overruled = new Set(storeArg(command)?.store === 'typed' ? [STORE_KEY, 'bucket'] : []);
  for (;;) {
    const resolved = resolveLayers(settings, { ...layers, overruled });
    const input = { ...resolved, given: isGiven(command, resolved), overruled };
    const more = rulesOf(command).flatMap((rule) => (rule.kind === 'flags' ? (rule.overruled?.(input) ?? []) : []));
    if (more.length === 0) return resolved;
    for (const key of more) overruled.add(key);
  }
}

/** Resolves the values; what the config file says of the store that they name goes before its other sections. */
export function resolveCall(command: Declaration, layers: Layers, around: Around): Resolved {
  const resolved = resolveWithRules(command, layers, around);
  if (storeArg(command) === undefined || around.stores.size === 0) return resolved;
  const place = placeIn(resolved.values, around);
  const [typed] = resolved.texts[resolved.values[STORE_KEY] === undefined ? 'bucket' : STORE_KEY] ?? [];
  const store = place === undefined ? undefined : storeAt(typed, place, around);
  if (store === undefined || store.settings.size === 0) return resolved;
  const config: Layers['config'] = (name) => store.settings.get(name) ?? layers.config(name);
  return resolveWithRules(command, { ...layers, config }, around);
}

const settingsAt =
  (command: Declaration, layers: Layers, around: Around): SettingsAt =>
  (text) => {
    const { settings = new Map<string, never>() } = storeAt(text, placeUrlOf(text, around) ?? text, around) ?? {};
    const keys = Object.entries(settingsOf(command, around)).filter(([key]) => settings.has(key));
    const config: Layers['config'] = (key) => settings.get(key);
    const own = resolveLayers(Object.fromEntries(keys), { path: command.path, texts: {}, env: {}, config });
    return { own, shared: resolveWithRules(command, layers, around) };
  };

/** Returns the store that the call works on if its arguments name none. */
function lowerStore(command: Command, layers: Layers, around: Around): LowerStore | undefined {
  const { values, sources } = resolveCall(command, layers, around);
  const url = placeIn(values, around);
  return url === undefined ? undefined : { url, source: sources[STORE_KEY] ?? sources['bucket'] ?? '' };
}

interface Typed {
  readonly placed: PlacedTexts;
  readonly place: string | undefined;
  readonly stores: NamedStores;
}

/** Refuses a call without required arguments or flags. @throws usage that names all of them */
function refuseMissing(command: Command, resolved: Resolved, { placed: { of }, place, stores }: Typed): void {
  const { values, missing } = resolved;
  const input = { values, given: isGiven(command, resolved) };
  const isThere = ({ optional, orFlags, store }: Arg, index: number): boolean =>
    (store === undefined ? of[index]?.[0] : place) !== undefined ||
    (orFlags.length === 0 ? optional : orFlags.some((key) => values[key] !== undefined));
  const args = (command.args ?? []).filter((arg, index) => !isThere(arg, index));
  const names = [
    ...args.map(({ name, orFlags }) =>
      orFlags.length === 0 ? name : `${name} (or ${joinWords(orFlags.map(dashed), 'or')})`,
    ),
    ...missing.map(dashed),
    ...rulesOf(command).flatMap((rule) => (rule.kind === 'flags' ? (rule.lacks?.(input) ?? []) : [])),
  ];
  if (names.length === 0) return;
  const isStoreMissing = args.some(({ store }) => store !== undefined);
  const unknown = isStoreMissing ? of.flat().find((text) => isUnknownName(text, stores)) : undefined;
  const hints = [
    ...(unknown === undefined ? [] : [`"${unknown}" is no store: ${knownNames(stores)}`]),
    ...(args.some((arg) => arg.store === 'default') ? [NAME_IT] : []),
    ...missing.map((key) => `${envNames(command.path, key).at(-1) ?? ''} sets ${dashed(key)}`),
  ];
  throw usageError(
    `${joinWords(names, 'and')} ${names.length === 1 ? 'is' : 'are'} missing`,
    hints.length === 0 ? undefined : hints.join('; '),
  );
}

/** Throws for the first rule that the values break, naming the layer of a flag that was not typed. */
export function checkRules(command: Command, parsed: ParsedCommand): void {
  const { values, args, origins, sources } = parsed;
  const given = isGiven(command, parsed);
  for (const rule of rulesOf(command)) {
    const failure =
      rule.kind === 'flags' ? rule.check({ given, values }) : rule.ok(values, args) ? undefined : rule.text;
    if (failure === undefined) continue;
    const elsewhere = (rule.kind === 'flags' ? rule.keys : []).filter((key) => given(key) && origins[key] !== 'flag');
    const nameOf = (key: string): string =>
      key === STORE_KEY ? 'the URL' : dashed(values[key] === false ? `no-${key}` : key);
    const notes = elsewhere.map((key) => `${nameOf(key)} comes from ${sources[key] ?? ''}`);
    throw usageError(notes.length === 0 ? failure : `${failure} (${notes.join('; ')})`);
  }
}

/** Returns the rules that a command breaks when nothing but the config file is given. @throws usage for a bad value */
export function brokenRules(
  command: Declaration,
  config: Layers['config'],
  around: Around,
): readonly { readonly failure: string; readonly keys: readonly string[] }[] {
  const resolved = resolveCall(command, { path: command.path, texts: {}, env: {}, config }, around);
  const given = isGiven(command, resolved);
  return rulesOf(command).flatMap((rule) => {
    const failure = rule.kind === 'flags' ? rule.check({ given, values: resolved.values }) : undefined;
    return rule.kind === 'check' || failure === undefined ? [] : [{ failure, keys: rule.keys }];
  });
}

/** Returns the values, arguments and origins of one call; undefined when help was asked for. */
export async function parseCommand(command: Command, input: ParseInput): Promise<ParsedCommand | undefined> {
  const flags = allFlags(command);
  const { argv, wantsHelp } = normalizeArgv(flags, input.argv);
  if (wantsHelp) return undefined;
  const tokens = await tokenize(flags, argv);
  refuseSwapped(command, tokens.args);
  const config = await input.config();
  const declared = command.args ?? [];
  const { stores = new Map() } = config;
  const around = { stores, cwd: input.cwd ?? '/' };
  const layers = { path: command.path, env: input.env, config };
  const lower = () => lowerStore(command, { ...layers, texts: tokens.texts }, around);
  const placed = placedTexts(declared, tokens, { stores, isLast: isStoreLast(command, tokens, { stores, lower }) });
  const texts = { ...tokens.texts, [STORE_KEY]: typedStores(declared, placed, tokens) };
  const resolved = resolveCall(command, { ...layers, texts }, around);
  const place = storeArg(command) === undefined ? undefined : placeIn(resolved.values, around);
  refuseIdle(command, resolved, { place, texts: tokens.args, cwd: around.cwd });
  refuseMissing(command, resolved, { placed, place, stores });
  const parsed = {
    ...resolved,
    args: parseArgs(declared, placed, place),
    stores,
    typed: placed.of,
    settingsAt: settingsAt(command, { ...layers, texts }, around),
  };
  checkRules(command, parsed);
  return parsed;
}
