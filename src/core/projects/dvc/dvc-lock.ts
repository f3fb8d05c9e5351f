// Reads dvc.lock: the inputs and outputs of a pipeline's stages when they last ran.
import type { Stage, StageParams, StagePath } from './stage-types.js';
import { isList, isMap, jsonOf, PythonNumber, textOf, type Value, type ValueMap } from './yaml-value.js';
import { readYamlFile, type YamlFile } from './yaml-file.js';
import { defined } from '../../platform/defined.js';

/** A stage as it last ran; paths are relative to its working folder. */
export type LockedStage = Omit<Stage, 'name'>;

export interface DvcLock {
  /** MD5 of the file in hex. */
  readonly md5: string;
  /** Stages by name, with loops resolved. */
  readonly stages: ReadonlyMap<string, LockedStage>;
}

const SCHEMA = '2.0';
const MD5 = /^[0-9a-f]{32}(?:\.dir)?$/;

/** Reads the lock file; undefined when there is none. @throws io, integrity */
export async function readDvcLock(path: string): Promise<DvcLock | undefined> {
  const file = await readYamlFile(path);
  if (file === undefined) return undefined;
  const root = file.value ?? new Map<string, Value>();
  if (!isMap(root)) throw file.problem([], 'it is not a map');
  const schema = root.get('schema');
  if (root.size > 0 && schema !== SCHEMA) throw file.problem(['schema'], `'schema' is not '${SCHEMA}'`);
  const stages = root.get('stages') ?? new Map<string, Value>();
  if (!isMap(stages)) throw file.problem(['stages'], "'stages' is not a map");
  const entries = [...stages].map(([name, fields]) => [name, readStage(file, name, fields)] as const);
  return { md5: file.md5, stages: new Map(entries) };
}

function readStage(file: YamlFile, name: string, fields: Value): LockedStage {
  if (!isMap(fields)) throw file.problem(['stages', name], `stage '${name}' is not a map`);
  const command = fields.get('cmd');
  const commands = isList(command) ? command : [command];
  if (!commands.every((text) => typeof text === 'string'))
    throw file.problem(['stages', name], `stage '${name}' has no 'cmd'`);
  return {
    command: commands.join(' && '),
    deps: readPaths(file, 'deps', fields, stageAt(name)),
    outs: readPaths(file, 'outs', fields, stageAt(name)),
    params: readParams(file, name, fields.get('params') ?? new Map<string, Value>()),
  };
}

/** Where a list of paths stands: the keys above it, and words for a message. */
interface ListPlace {
  readonly keys: readonly string[];
  readonly of: string;
}

const stageAt = (name: string): ListPlace => ({ keys: ['stages', name], of: ` of stage '${name}'` });

/** Reads the dependencies or outputs of a stage in dvc.lock, or of a `.dvc` file. @throws integrity */
export function readPaths(
  file: YamlFile,
  key: 'deps' | 'outs',
  fields: ValueMap,
  { keys, of }: ListPlace = { keys: [], of: '' },
): readonly StagePath[] {
  const list = fields.get(key) ?? [];
  if (!isList(list)) throw file.problem([...keys, key], `'${key}'${of} is not a list`);
  return list.map((item, index) => {
    const path = isMap(item) ? readPath(item) : undefined;
    if (path !== undefined) return path;
    const message = `'${key}'${of} holds something that is not a path with its MD5 and size`;
    throw file.problem([...keys, key, String(index)], message);
  });
}

function readPath(item: ValueMap): StagePath | undefined {
  const path = item.get('path');
  const [md5, size, nfiles] = [item.get('md5') ?? undefined, count(item.get('size')), count(item.get('nfiles'))];
  const digest = typeof md5 === 'string' || md5 instanceof PythonNumber ? textOf(md5).toLowerCase() : undefined;
  const isRead = typeof path === 'string' && (md5 === undefined || (digest !== undefined && MD5.test(digest)));
  if (!isRead || size === null || nfiles === null) return undefined;
  // DVC 3 says how an MD5 was made; one of which nothing is said was made by DVC 2.
  const hash = digest !== undefined && item.get('hash') === undefined ? ('md5-dos2unix' as const) : undefined;
  return { path, ...defined({ md5: digest, hash, size, nfiles }) };
}

/** Returns a whole number; undefined when there is no value, null for anything else. */
function count(value: Value | undefined): number | undefined | null {
  if (value === undefined || value === null) return undefined;
  return value instanceof PythonNumber && Number.isSafeInteger(value.value) && value.value >= 0 ? value.value : null;
}

function readParams(file: YamlFile, name: string, params: Value): StageParams {
  const entries = isMap(params) ? [...params] : undefined;
  if (entries?.every((entry): entry is [string, ValueMap] => isMap(entry[1])) !== true)
    throw file.problem(['stages', name, 'params'], `'params' of stage '${name}' is not a map of files`);
  return Object.fromEntries(entries.map(([source, values]) => [source, valuesOf(values)]));
}

const valuesOf = (values: ValueMap): StageParams[string] =>
  Object.fromEntries([...values].map(([key, value]) => [key, jsonOf(value)]));
