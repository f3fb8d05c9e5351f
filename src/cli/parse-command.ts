// From what was typed after a command's words to typed values: shape, tokens, layers, arguments, rules, in this order.
import { usageError } from '../core/failures/errors.js';
import { refuseUndecoded } from '../core/paths/typed-path.js';
import type { Arg, Args } from './arg.js';
import type { Command } from './command.js';
import { allFlags } from './global-flags.js';
import { kebab } from './flag.js';
import { resolveLayers, type ConfigLookup, type Layers, type Resolved } from './layers.js';
import { normalizeArgv } from './normalize-argv.js';
import { suggest } from './suggest.js';
import { tokenize } from './tokenize.js';

export interface ParsedCommand extends Resolved {
  readonly args: readonly unknown[];
}

export interface ParseInput {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asked for only when the shape of argv is right: reading the file must not hide a mistyped flag. */
  readonly config: () => Promise<ConfigLookup>;
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

/** Checks the number of arguments and reads each. */
export function parseArgs(declared: Args, texts: readonly string[]): readonly unknown[] {
  const missing = declared.filter(({ optional }, index) => !optional && index >= texts.length);
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(' and ');
    throw usageError(`${names} ${missing.length === 1 ? 'is' : 'are'} missing`);
  }
  const takesAll = declared.at(-1)?.many === true;
  if (!takesAll && texts.length > declared.length) {
    const extra = texts.slice(declared.length).map((text) => `"${text}"`);
    const takes = declared.length === 0 ? 'no arguments' : declared.map(({ name }) => name).join(' ');
    throw usageError(`too many arguments: ${extra.join(' ')}; this command takes ${takes}`);
  }
  return declared.map((arg, index) => {
    if (arg.many) return texts.slice(index).map((text) => parseArg(arg, text));
    const text = texts[index];
    return text === undefined ? undefined : parseArg(arg, text);
  });
}

const isGiven =
  ({ values, origins }: Pick<Resolved, 'values' | 'origins'>) =>
  (key: string): boolean =>
    (origins[key] ?? 'default') !== 'default' && values[key] !== false;

/** The values once what is typed, and then each layer, has ruled out what excludes it in the layers below. */
function resolveWithRules(
  { args = [], rules = [], flags = {} }: Command,
  layers: Layers,
  typed: readonly string[],
): Resolved {
  const overruled = new Set(args.flatMap(({ instead }, index) => (isPlace(typed[index]) ? instead : [])));
  for (;;) {
    const resolved = resolveLayers(allFlags({ flags }), { ...layers, overruled });
    const input = { ...resolved, given: isGiven(resolved), overruled };
    const more = rules.flatMap((rule) => (rule.kind === 'flags' ? (rule.overruled?.(input) ?? []) : []));
    if (more.length === 0) return resolved;
    for (const key of more) overruled.add(key);
  }
}

/** An argument that may be left out may be the one behind it. */
const isPlace = (text: string | undefined): boolean => text?.includes('://') === true;

/** Throws the first rule that the values break, naming the layer of a flag that was not typed. */
export function checkRules(command: Command, parsed: ParsedCommand): void {
  const { values, args, origins, sources } = parsed;
  const given = isGiven(parsed);
  for (const rule of command.rules ?? []) {
    const failure =
      rule.kind === 'flags' ? rule.check({ given, values }) : rule.ok(values, args) ? undefined : rule.text;
    if (failure === undefined) continue;
    const elsewhere = (rule.kind === 'flags' ? rule.keys : []).filter((key) => given(key) && origins[key] !== 'flag');
    const notes = elsewhere.map((key) => `--${kebab(key)} comes from ${sources[key] ?? ''}`);
    throw usageError(notes.length === 0 ? failure : `${failure} (${notes.join('; ')})`);
  }
}

/** Values, arguments and origins of one call; undefined when help was asked for. */
export async function parseCommand(command: Command, input: ParseInput): Promise<ParsedCommand | undefined> {
  const flags = allFlags(command);
  const { argv, wantsHelp } = normalizeArgv(flags, input.argv);
  if (wantsHelp) return undefined;
  const tokens = await tokenize(flags, argv);
  const config = await input.config();
  const layers = { path: command.path, texts: tokens.texts, env: input.env, config };
  const resolved = resolveWithRules(command, layers, tokens.args);
  const parsed = { ...resolved, args: parseArgs(command.args ?? [], tokens.args) };
  checkRules(command, parsed);
  return parsed;
}
