// Reads the stages that one key below `stages` of dvc.yaml defines. dvc.lock has every stage that ever ran with its loops and templates
// resolved, so templates are not resolved here: a stage that has some and never ran is not known. The working folder alone is not in
// dvc.lock: where it has a template, nobody can say which files the stage has.
import { posix } from 'node:path';
import type { DvcLock, LockedStage } from './dvc-lock.js';
import type { Stage, StageParams, StagePath } from './stage-types.js';
import { isList, isMap, textOf, type Value, type ValueMap } from './yaml-value.js';

/** An invalid definition of a stage; the caller adds its position. */
export class StageError extends Error {
  override readonly name = 'StageError';
}

const TEMPLATE = /(?<!\\)\$\{/;
const DEFAULT_PARAMS = 'params.yaml';
const OUTPUTS = ['outs', 'metrics', 'plots'];

/** Why the stages of a definition are not known: it has loops or templates and never ran, or a template in its working folder. */
export type UnknownStage = 'notRun' | 'wdir';

/** The folders that a stage's paths are relative to. */
export interface StagePlace {
  /** Absolute path of the folder that is read. */
  readonly folder: string;
  /** Working folder relative to that, '' for itself; that of dvc.yaml where the stage has none. */
  readonly workFolder: string;
}

/** Returns the stages, or why they are not known; `place` is that of dvc.yaml. @throws StageError */
export function readStages(
  name: string,
  definition: Value,
  place: StagePlace,
  lock: DvcLock | undefined,
): readonly Stage[] | UnknownStage {
  if (!isMap(definition)) throw new StageError('it is not a map');
  const isLoop = definition.has('foreach');
  const fields = isLoop ? definition.get('do') : definition;
  if (!isMap(fields)) throw new StageError("it has 'foreach' and no 'do'");
  const wdir = fields.get('wdir') ?? '';
  if (hasTemplate(wdir)) return 'wdir';
  const inside = { ...place, workFolder: placedPath(place, plainText(wdir)) };
  if (!isLoop && !definition.has('matrix')) {
    const locked = lock?.stages.get(name);
    if (locked !== undefined) return [lockedStage(name, fields, inside, locked)];
    return hasTemplate(fields) ? 'notRun' : [plainStage(name, fields, inside)];
  }
  const rounds = [...(lock?.stages ?? [])].filter(([one]) => one.startsWith(`${name}@`));
  return rounds.length === 0 ? 'notRun' : rounds.map(([one, locked]) => lockedStage(one, fields, inside, locked));
}

function lockedStage(name: string, fields: ValueMap, place: StagePlace, locked: LockedStage): Stage {
  const { command, deps, outs, params } = locked;
  const known = new Set(outs.map(({ path }) => path));
  const added = plainOuts(fields).filter(({ path }) => !known.has(path));
  return { name, command, deps: placed(place, deps), outs: placed(place, [...outs, ...added]), params };
}

/** Returns outputs without templates: dvc.lock lacks outputs that were added since the stage ran. */
const plainOuts = (fields: ValueMap): readonly StagePath[] =>
  OUTPUTS.flatMap((key) => {
    const list = fields.get(key) ?? [];
    return isList(list) ? pathsOf(list.filter((item) => !hasTemplate(item))) : [];
  });

function plainStage(name: string, fields: ValueMap, place: StagePlace): Stage {
  const paths = (key: string): readonly StagePath[] => placed(place, pathsOf(listOf(fields, key)));
  const command = fields.get('cmd');
  if (command === undefined) throw new StageError("it has no 'cmd'");
  return {
    name,
    command: (isList(command) ? command : [command]).map(plainText).join(' && '),
    deps: paths('deps'),
    outs: OUTPUTS.flatMap(paths),
    params: paramsOf(listOf(fields, 'params')),
  };
}

function hasTemplate(value: Value): boolean {
  if (typeof value === 'string') return TEMPLATE.test(value);
  if (isList(value)) return value.some(hasTemplate);
  return isMap(value) && [...value].some(([key, item]) => TEMPLATE.test(key) || hasTemplate(item));
}

/** Returns text as DVC reads it: `\${` is a literal `${`. */
function plainText(value: Value): string {
  if (isList(value) || isMap(value)) throw new StageError('a list or map stands where a text is wanted');
  return textOf(value).replaceAll('\\${', '${');
}

/** Returns paths of a stage relative to the folder that is read. */
export const placed = (place: StagePlace, paths: readonly StagePath[]): readonly StagePath[] =>
  paths.map((item) => ({ ...item, path: placedPath(place, item.path) }));

function listOf(fields: ValueMap, key: string): readonly Value[] {
  const list = fields.get(key) ?? [];
  if (!isList(list)) throw new StageError(`'${key}' is not a list`);
  return list;
}

/** Returns paths from a list whose items are paths, or maps of paths to settings. */
const pathsOf = (list: readonly Value[]): readonly StagePath[] =>
  list.flatMap((item) => (isMap(item) ? [...item.keys()] : [item])).map((path) => ({ path: plainText(path) }));

/** Returns parameters: keys of params.yaml stand alone, keys of other files below the name of the file. */
function paramsOf(list: readonly Value[]): StageParams {
  const files = new Map<string, string[]>();
  const add = (file: string, keys: readonly Value[]): unknown =>
    files.set(file, [...(files.get(file) ?? []), ...keys.map(plainText)]);
  for (const item of list) {
    if (!isMap(item)) add(DEFAULT_PARAMS, [item]);
    else for (const [file, keys] of item) add(plainText(file), isList(keys) ? keys : []);
  }
  const nulls = (keys: readonly string[]): StageParams[string] => Object.fromEntries(keys.map((key) => [key, null]));
  return Object.fromEntries([...files].map(([file, keys]) => [file, nulls(keys)]));
}

const URL = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Returns a stage's path relative to the folder that is read; URLs and paths outside stay as they are. */
export function placedPath({ folder, workFolder }: StagePlace, path: string): string {
  if (URL.test(path)) return path;
  if (!posix.isAbsolute(path)) return posix.join(workFolder, path).replace(/\/+$/, '');
  const inside = posix.relative(folder, path);
  return inside === '..' || inside.startsWith('../') ? path : inside;
}
