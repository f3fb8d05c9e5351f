// `archiver config --show`: every setting that has a value, and the layer that gave it.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { loadConfig, problemText, type ConfigFile } from '../core/config/load-config.js';
import { keyAt } from '../core/config/config-schema.js';
import { SCHEMA_VERSION } from '../core/platform/json/document.js';
import { printable } from '../core/platform/paths/raw-path.js';
import type { Declaration } from './declaration.js';
import { lookupIn } from './config-layer.js';
import { allProblems, problemDocument } from './config-problems.js';
import { withoutSecretsOf } from './redact.js';
import { configSchema, sectionOf, type TreeSchema } from './config-tree.js';
import type { Context } from './context.js';
import type { Origin } from './origin.js';
import type { Flag, Flags } from './flag.js';
import { findLayer, type ConfigLookup } from './layers.js';
import { STORES } from './named-stores.js';
import { commandsUnder } from './tree.js';

export interface ShownSetting {
  readonly key: string;
  readonly value: unknown;
  readonly origin: Origin;
  /** Name of the variable, or line of the file. */
  readonly source?: string;
}

function scalarOf(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true';
  return String(Number(text)) === text ? Number(text) : text;
}

function shownValue(key: string, flag: Flag, texts: readonly string[]): unknown {
  const shown = withoutSecretsOf(key, flag, texts);
  const isList = flag.kind === 'repeat' || flag.kind === 'pairs' || texts.length > 1;
  return isList ? shown : scalarOf(shown[0] ?? '');
}

interface Place {
  readonly section: string;
  readonly path: string;
  readonly config: ConfigLookup;
}

function shownSettings(
  flags: Flags,
  place: Place,
  env: Context['env'],
  withDefaults: boolean,
): readonly ShownSetting[] {
  return Object.entries(flags).flatMap(([key, flag]): readonly ShownSetting[] => {
    const name = `${place.section}.${key}`;
    const found = findLayer(key, flag, { path: place.path, texts: {}, env, config: place.config });
    if (found !== undefined) {
      const { origin, source, texts } = found;
      return [{ key: name, value: shownValue(key, flag, texts), origin, source }];
    }
    if (!withDefaults || flag.defaultText === undefined) return [];
    return [{ key: name, value: shownValue(key, flag, [flag.defaultText]), origin: 'default' }];
  });
}

/** Lists all settings: first the shared ones, then each command's own. */
export function listSettings(
  context: Context<'config'>,
  schema: TreeSchema,
  file: ConfigFile | undefined,
): readonly ShownSetting[] {
  const { globals } = context.tree();
  const inSection =
    (section: string): ConfigLookup =>
    (key) => {
      const found = file?.settings.find((setting) => setting.key === `${section}.${key}`);
      return found && { texts: found.texts, where: `line ${found.line}`, line: found.line };
    };
  const shared = Object.entries(schema.shared).flatMap(([section, names]) => {
    const flags = Object.fromEntries(
      names.flatMap((name) => {
        const flag = schema.keys.get(`${section}.${name}`)?.flag;
        return flag === undefined ? [] : [[name, flag] as const];
      }),
    );
    return shownSettings(flags, { section, path: '', config: inSection(section) }, context.env, false);
  });
  const general = shownSettings(
    globals.flags,
    { section: 'defaults', path: '', config: inSection('defaults') },
    context.env,
    true,
  );
  const stores = (file?.settings ?? []).flatMap(({ key, texts, line }): readonly ShownSetting[] => {
    const flag = key.startsWith(`${STORES}.`) ? keyAt(schema, key)?.flag : undefined;
    if (flag === undefined) return [];
    return [{ key, value: shownValue(key, flag, texts), origin: 'config', source: `line ${line}` }];
  });
  const ofCommand = (command: Declaration): readonly ShownSetting[] => {
    const config: ConfigLookup = (key) => {
      const found = file && lookupIn(file, command)(key);
      return found && { ...found, where: `line ${found.line}` };
    };
    const place = { section: sectionOf(command), path: command.path, config };
    return shownSettings(command.flags ?? {}, place, context.env, true);
  };
  const commands = [...commandsUnder(context.tree())].filter(({ ignoresConfigFile }) => ignoresConfigFile !== true);
  return [...shared, ...stores, ...general, ...commands.flatMap(ofCommand)];
}

/** Escapes control characters as YAML and JSON do; both put the text in quotes. */
const escaped = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.replaceAll(/./gsu, (one) => (printable(one) === one ? one : codeOf(one))))
    .join('\n');
const codeOf = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

async function settingsYaml(file: string | undefined, settings: readonly ShownSetting[]): Promise<string> {
  const { Document, visit } = await import('../core/platform/text/yaml.js');
  const document = new Document({});
  document.commentBefore = ` config file: ${printable(file ?? 'none')}`;
  for (const { key, value, origin, source } of settings) {
    const node = document.createNode(value, { flow: true });
    node.comment = source === undefined ? ` ${origin}` : ` ${origin}, ${source}`;
    document.setIn(key.split('.'), node);
  }
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && printable(node.value) !== node.value) node.type = 'QUOTE_DOUBLE';
    },
  });
  return escaped(document.toString({ lineWidth: 0, flowCollectionPadding: false }));
}

/** Prints every setting with its origin. For a damaged file it warns, and still shows the rest. */
export async function showConfig(
  values: { readonly format: string; readonly file: string | undefined },
  context: Context<'config'>,
): Promise<void> {
  const schema = configSchema(context.tree());
  const named = values.file === undefined ? undefined : resolve(context.cwd, values.file);
  const file = await loadConfig(context, () => schema, readFile, named);
  const problems = file === undefined ? [] : allProblems(schema, file);
  for (const problem of problems) context.warn(problemText(file?.path ?? '', problem));
  const settings = listSettings(context, schema, file);
  const document = {
    file: file?.path ?? null,
    settings: settings.map(({ key: setting, source: setBy, ...shown }) => ({ setting, ...shown, setBy })),
    problems: problems.map(problemDocument),
  };
  const text =
    values.format === 'json'
      ? escaped(`${JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...document }, undefined, 2)}\n`)
      : await settingsYaml(file?.path, settings);
  context.result(document, () => text);
}
