// One stage of dvc.yaml, worked out: from dvc.lock where that has it, else from its fields and their templates.
import { posix } from 'node:path';
import { resolveCommand } from './command-text.js';
import type { LockedStage } from './dvc-lock.js';
import type { StageDefinition } from './expand-stages.js';
import { placedPath, type StagePlace } from './stage-fields.js';
import type { Stage, StageParams, StagePath } from './stage-types.js';
import { DEFAULT_PARAMS, extendScope } from './template-scope.js';
import { printed, resolveValue, type Scope, TemplateError } from './template.js';
import { isList, isMap, type Value, type ValueMap } from './yaml-value.js';

/** The stage; `folder` is that of dvc.yaml. @throws TemplateError */
export async function resolveStage(
  definition: StageDefinition,
  folder: string,
  locked: LockedStage | undefined,
): Promise<Stage> {
  const { name, fields, scope } = definition;
  const workFolder = printed(resolveValue(fields.get('wdir') ?? '', scope));
  const place: StagePlace = { folder, workFolder: placedPath({ folder, workFolder: '' }, workFolder) };
  if (locked !== undefined) {
    const { command, deps, outs, params } = locked;
    return { name, command, deps: placed(place, deps), outs: placed(place, outs), params };
  }
  const extended = await extendScope(scope, posix.resolve(folder, place.workFolder), fields.get('vars'));
  const paths = (key: string): readonly StagePath[] => pathsOf(listOf(fields, key), extended);
  const command = fields.get('cmd');
  if (command === undefined) throw new TemplateError("it has no 'cmd'");
  return {
    name,
    command: resolveCommand(command, extended),
    deps: placed(place, paths('deps')),
    outs: placed(place, ['outs', 'metrics', 'plots'].flatMap(paths)),
    params: paramsOf(listOf(fields, 'params'), extended),
  };
}

const placed = (place: StagePlace, paths: readonly StagePath[]): readonly StagePath[] =>
  paths.map((item) => ({ ...item, path: placedPath(place, item.path) }));

function listOf(fields: ValueMap, key: string): readonly Value[] {
  const list = fields.get(key) ?? [];
  if (!isList(list)) throw new TemplateError(`'${key}' is not a list`);
  return list;
}

const textIn = (value: Value, scope: Scope): string => printed(resolveValue(value, scope));

/** Paths, each by itself or as a key with its settings. */
const pathsOf = (list: readonly Value[], scope: Scope): readonly StagePath[] =>
  list.flatMap((item) => (isMap(item) ? [...item.keys()] : [item])).map((path) => ({ path: textIn(path, scope) }));

/** Keys of params.yaml by themselves, those of other files below the name of the file. */
function paramsOf(list: readonly Value[], scope: Scope): StageParams {
  const files = new Map<string, string[]>();
  const add = (file: string, keys: readonly Value[]): unknown =>
    files.set(file, [...(files.get(file) ?? []), ...keys.map((key) => textIn(key, scope))]);
  for (const item of list) {
    if (!isMap(item)) add(DEFAULT_PARAMS, [item]);
    else for (const [file, keys] of item) add(textIn(file, scope), isList(keys) ? keys : []);
  }
  const nulls = (keys: readonly string[]): StageParams[string] => Object.fromEntries(keys.map((key) => [key, null]));
  return Object.fromEntries([...files].map(([file, keys]) => [file, nulls(keys)]));
}
