// What the templates of a dvc.yaml can name: params.yaml, the files of `vars`, and values that stand in `vars` themselves.
// What cannot be loaded is a gap: it matters only when a template looks for something that is not there.
import { join, posix } from 'node:path';
import { errorText } from '../failures/errors.js';
import { type Budget, type Scope, TemplateError } from './template.js';
import { isList, isMap, type Value, type ValueMap } from './yaml-value.js';
import { readYamlFile } from './yaml-file.js';

/** Read for every dvc.yaml that has one beside it. */
export const DEFAULT_PARAMS = 'params.yaml';
const READABLE = /\.(?:ya?ml|json)$/i;

/** The scope of a dvc.yaml in `folder`. @throws TemplateError where two of them say different things */
export async function loadScope(folder: string, vars: Value | undefined, budget: Budget): Promise<Scope> {
  const empty: Scope = { values: new Map<string, Value>(), gaps: [], budget };
  const base = await withFile(empty, folder, DEFAULT_PARAMS, true);
  const others = isList(vars) ? vars.filter((item) => !isDefaultParams(item)) : vars;
  return await extendScope(base, folder, others);
}

const isDefaultParams = (item: Value): boolean => typeof item === 'string' && posix.normalize(item) === DEFAULT_PARAMS;

/** A scope with further `vars`, whose files are relative to `folder`. @throws TemplateError where two say different things */
export async function extendScope(scope: Scope, folder: string, vars: Value | undefined): Promise<Scope> {
  if (vars === undefined || vars === null) return scope;
  if (!isList(vars)) throw new TemplateError("'vars' is not a list");
  let extended = scope;
  for (const item of vars) {
    if (typeof item === 'string') extended = await withFile(extended, folder, item, false);
    else if (isMap(item)) extended = { ...extended, values: merged(extended.values, item, '') };
    else throw new TemplateError("'vars' holds something that is neither a file nor a map");
  }
  return extended;
}

/** `item` is the path of a file, perhaps with `:key,key` behind it. */
async function withFile(scope: Scope, folder: string, item: string, isOptional: boolean): Promise<Scope> {
  const [path = '', keys] = item.split(/:(.*)/s);
  const loaded = await load(join(folder, path), path);
  if (loaded === undefined) return isOptional ? scope : withGap(scope, `there is no ${path}`);
  if (typeof loaded === 'string') return withGap(scope, loaded);
  const wanted = keys === undefined || keys === '' ? loaded : chosen(loaded, keys.split(','));
  return { ...scope, values: merged(scope.values, wanted, '') };
}

const withGap = (scope: Scope, gap: string): Scope => ({ ...scope, gaps: [...scope.gaps, gap] });
const chosen = (values: ValueMap, keys: readonly string[]): ValueMap =>
  new Map([...values].filter(([key]) => keys.includes(key)));

/** The values of a file, or why there are none; undefined where there is no file. */
async function load(path: string, name: string): Promise<ValueMap | string | undefined> {
  if (!READABLE.test(path)) return `${name} is neither YAML nor JSON, and is not read`;
  try {
    const file = await readYamlFile(path);
    if (file === undefined) return undefined;
    return isMap(file.value) ? file.value : `${name} does not hold a map`;
  } catch (error) {
    return errorText(error);
  }
}

/** Both together; a key may be in both only where both have a map. */
function merged(into: ValueMap, more: ValueMap, prefix: string): ValueMap {
  const result = new Map(into);
  for (const [key, value] of more) {
    const before = result.get(key);
    if (before !== undefined && !(isMap(before) && isMap(value)))
      throw new TemplateError(`'vars' redefines '${prefix}${key}'`);
    result.set(key, isMap(before) && isMap(value) ? merged(before, value, `${prefix}${key}.`) : value);
  }
  return result;
}
