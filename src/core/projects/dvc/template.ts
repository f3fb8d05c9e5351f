// Works out the templates of dvc.yaml: `${name.key[0]}`, with values of params.yaml, of `vars`, and of the round of a loop.
import { posix } from 'node:path';
import { readYamlFile } from './yaml-file.js';
import { isList, isMap, textOf, type Value, type ValueMap } from './yaml-value.js';

/** What a template stands for is not known here. */
export class Unresolved extends Error {
  override readonly name = 'Unresolved';
}

const TEMPLATE = /(?<!\\)\$\{(.*?)\}/g;
const DEFAULT_FILE = 'params.yaml';

/** Returns the value of a path such as `item.sizes[0]`. @throws Unresolved */
function lookUp(path: string, context: ValueMap): Value {
  let value: Value = context;
  for (const key of path.trim().replaceAll('[', '.').replaceAll(']', '').split('.')) {
    const next: Value | undefined = isMap(value) ? value.get(key) : isList(value) ? value[Number(key)] : undefined;
    if (next === undefined) throw new Unresolved(`\${${path}} is not known`);
    value = next;
  }
  return value;
}

/** Returns a text with its templates replaced. @throws Unresolved */
export function resolvedText(text: string, context: ValueMap): string {
  const replaced = text.replaceAll(TEMPLATE, (_, path: string) => {
    const value = lookUp(path, context);
    if (isMap(value) || isList(value)) throw new Unresolved(`\${${path}} is a list or a map`);
    return textOf(value);
  });
  return replaced.replaceAll('\\${', '${');
}

/** Returns a value with all templates in it replaced; one that is a template alone keeps its kind. @throws Unresolved */
export function resolvedValue(value: Value, context: ValueMap): Value {
  if (typeof value === 'string') {
    const [whole] = value.matchAll(TEMPLATE);
    return whole?.[0] === value ? lookUp(whole[1] ?? '', context) : resolvedText(value, context);
  }
  if (isList(value)) return value.map((item) => resolvedValue(item, context));
  if (!isMap(value)) return value;
  return new Map([...value].map(([key, item]) => [resolvedText(key, context), resolvedValue(item, context)]));
}

/**
 * Returns the context with `vars` added; file names among them are relative to `folder`.
 * @throws Unresolved for a file that is none of YAML or JSON, or is not there; io, integrity
 */
export async function withVars(context: ValueMap, vars: Value | undefined, folder: string): Promise<ValueMap> {
  let all = context;
  for (const item of isList(vars) ? vars : []) {
    if (isMap(item)) all = merged(all, item);
    else if (typeof item === 'string') all = merged(all, await fileVars(item, folder));
  }
  return all;
}

/** Returns the context that every dvc.yaml of a folder begins with. @throws as `withVars` */
export async function defaultVars(folder: string): Promise<ValueMap> {
  const file = await readYamlFile(posix.join(folder, DEFAULT_FILE));
  return isMap(file?.value) ? file.value : new Map<string, Value>();
}

async function fileVars(item: string, folder: string): Promise<ValueMap> {
  const [path = '', keys = ''] = item.split(':', 2);
  if (!/\.(?:ya?ml|json)$/.test(path)) throw new Unresolved(`${path} is not read`);
  const value = (await readYamlFile(posix.join(folder, path)))?.value;
  if (!isMap(value)) throw new Unresolved(`${path} is not there, or is no map`);
  const wanted = keys.split(',').filter((key) => key !== '');
  return wanted.length === 0 ? value : new Map([...value].filter(([key]) => wanted.includes(key)));
}

function merged(one: ValueMap, other: ValueMap): ValueMap {
  const all = new Map(one);
  for (const [key, value] of other) {
    const before = all.get(key);
    all.set(key, isMap(before) && isMap(value) ? merged(before, value) : value);
  }
  return all;
}
