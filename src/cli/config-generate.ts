// Generates an example config file from the command tree, with every setting explained and commented out. Removing one # gives a valid
// line, because the sections themselves are not commented.
import type { Context } from './context.js';
import { configSchema, sectionOf, type TreeKey, type TreeSchema } from './config-tree.js';
import { kebab, type Flag } from './flag.js';
import { flagFacts } from './help.js';
import { STORES } from './named-stores.js';
import { joinWords } from './rule.js';
import { storeArg, STORE_FLAG, STORE_KEY } from './store-setting.js';
import { commandsUnder, type Node } from './tree.js';
import { wrap } from './wrap.js';

const WIDTH = 96;

const HEAD = `# Configuration of archiver. Take away the # at the start of a line to set a value; keep the spaces after it.
#
# A key is the name of a flag: upload.shardCount is archiver upload --shard-count. defaults.<flag> sets a flag for
# every command that has it, <command>.<flag> for one command, and wins. What is in aws and storage can be given for
# one command as well. Flags and ARCHIVER_* variables win over this file.
# Sizes: 16MiB or 16m (1024), 16MB (1000). Durations: 5s, 1m, 24h, 7d.
# Credentials do not belong here: name a profile, or set the AWS_* variables.
`;

/** A value for the example: the default, or else something valid. */
export function sampleText(flag: Flag): string {
  return flag.defaultText === undefined || flag.defaultText === '' ? flag.type.sample : flag.defaultText;
}

// JSON strings are YAML strings; plain words need no quotes.
const scalar = (text: string): string =>
  /^[A-Za-z][\w./-]*$|^-?\d+(?:\.\d+)?$/.test(text) ? text : JSON.stringify(text);

function sampleYaml(flag: Flag): string {
  const text = sampleText(flag);
  if (flag.kind === 'pairs') return `{ ${flag.type.sample.replace('=', ': ')} }`;
  return flag.kind === 'repeat' ? `[${scalar(text)}]` : scalar(text);
}

function keyLines(key: TreeKey, indent: string, readers: string): readonly string[] {
  const { flagKey, flag, command } = key;
  const facts = [...flagFacts(command?.path ?? '', flagKey, flag), ...(readers === '' ? [] : [readers])].join('; ');
  const words = wrap(facts === '' ? flag.describe : `${flag.describe} (${facts})`, WIDTH - indent.length - 2);
  return [...words.map((line) => `# ${indent}${line}`), `#${indent}${flagKey}: ${sampleYaml(flag)}`];
}

const MOST_NAMED = 5;

/** Says which commands read a key of a shared section. */
function readersOf({ flagKey, command, path }: TreeKey, root: Node): string {
  if (command !== undefined || path[0] === 'defaults') return '';
  const all = [...commandsUnder(root)].filter(({ ignoresConfigFile }) => ignoresConfigFile !== true);
  const taking = flagKey === STORE_KEY ? all.filter((one) => storeArg(one)?.store === 'default') : all;
  const reading = flagKey === STORE_KEY ? taking : taking.filter(({ flags = {} }) => flagKey in flags);
  const names = reading.map((one) => one.path);
  if (names.length === 0) return 'read by every command that it concerns';
  if (names.length <= MOST_NAMED) return `read by ${joinWords(names, 'and')}`;
  return `read by ${names.length} commands: ${names.slice(0, MOST_NAMED - 1).join(', ')} and others that have --${kebab(flagKey === STORE_KEY ? STORE_FLAG : flagKey)}`;
}

/** The section of stores with names, as one line of all that a store may have. */
function storesLines({ named }: TreeSchema): readonly string[] {
  const keys = [...(named.get(STORES)?.values() ?? [])];
  const words = joinWords(
    keys.map(({ flagKey }) => flagKey),
    'and',
  );
  const about =
    'stores by name; wherever a command takes a store, NAME: and NAME:folder (or --store NAME) mean one of them; it may have ' +
    `${words}, which hold for it and for URLs in it instead of what other sections say`;
  const [url] = keys;
  const sample = url === undefined ? '' : `${url.flagKey}: ${sampleYaml(url.flag)}`;
  return ['', `${STORES}:`, ...wrap(about, WIDTH - 4).map((line) => `#   ${line}`), `#  nas: { ${sample} }`];
}

function sectionKeys(schema: TreeSchema, section: string): readonly TreeKey[] {
  const depth = section.split('.').length + 1;
  return [...schema.keys].flatMap(([path, key]) =>
    path.startsWith(`${section}.`) && key.path.length === depth ? [key] : [],
  );
}

/** Keys that the example shows in a section. Those of the shared sections are not repeated for each command. */
function shownKeys(schema: TreeSchema, section: string, { globals }: Node): readonly TreeKey[] {
  const keys = sectionKeys(schema, section);
  if (section === 'defaults') return keys.filter(({ flagKey }) => flagKey in globals.flags);
  const isShared = (key: string): boolean => key in globals.flags || Object.values(schema.shared).flat().includes(key);
  return section in schema.shared ? keys : keys.filter(({ flagKey }) => !isShared(flagKey));
}

function sections(schema: TreeSchema, root: Node): readonly string[] {
  const ofCommands = [...commandsUnder(root)]
    .filter(({ ignoresConfigFile }) => ignoresConfigFile !== true)
    .flatMap((command) => {
      const parts = sectionOf(command).split('.');
      return parts.map((_, index) => parts.slice(0, index + 1).join('.'));
    });
  return [...new Set([...Object.keys(schema.shared), 'defaults', ...ofCommands])].filter((section) =>
    [...schema.sections].some(
      (known) => (known === section || known.startsWith(`${section}.`)) && hasKeys(schema, known, root),
    ),
  );
}

const hasKeys = (schema: TreeSchema, section: string, root: Node): boolean =>
  shownKeys(schema, section, root).length > 0;

/** Returns the example as YAML. */
export function exampleYaml(root: Node): string {
  const schema = configSchema(root);
  const lines = sections(schema, root).flatMap((section) => {
    const parts = section.split('.');
    const indent = '  '.repeat(parts.length - 1);
    const keys = shownKeys(schema, section, root).flatMap((key) => keyLines(key, `${indent}  `, readersOf(key, root)));
    return [...(parts.length === 1 ? [''] : []), `${indent}${parts.at(-1) ?? ''}:`, ...keys];
  });
  return `${HEAD}${[...storesLines(schema), ...lines].join('\n')}\n`;
}

/** Returns the sections as JSON, without settings: JSON cannot hold comments, and a setting in it would take effect. */
export function exampleJson(root: Node): Record<string, unknown> {
  const places = new Map<string, Record<string, unknown>>([['', {}]]);
  for (const section of sections(configSchema(root), root)) {
    const at = section.lastIndexOf('.');
    const place = {};
    const parent = places.get(section.slice(0, Math.max(at, 0)));
    if (parent !== undefined) parent[section.slice(at + 1)] = place;
    places.set(section, place);
  }
  return places.get('') ?? {};
}

/** Runs `archiver config --generate`. */
export async function generateConfig(
  { format }: { readonly format: string },
  context: Context<'config'>,
): Promise<void> {
  if (format === 'json') {
    const example = exampleJson(context.tree());
    context.note('JSON has no comments: archiver config --generate explains every setting, as YAML');
    context.result({ config: example }, () => `${JSON.stringify(example, undefined, 2)}\n`);
    return;
  }
  const yaml = exampleYaml(context.tree());
  context.result({ yaml }, () => yaml);
}
