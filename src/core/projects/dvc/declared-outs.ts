// Reads which paths a dvc.yaml declares as outputs, with templates and loops worked out, whether its stages ever ran or not.
import { posix } from 'node:path';
import { defaultVars, resolvedText, resolvedValue, Unresolved, withVars } from './template.js';
import { isList, isMap, textOf, type Value, type ValueMap } from './yaml-value.js';
import { readYamlFile } from './yaml-file.js';

export interface DeclaredOuts {
  /** As they are written, after the working folder of their stage: relative to the folder of dvc.yaml, or absolute. */
  readonly paths: readonly string[];
  /** Why outputs of a stage are not known, in one sentence each. */
  readonly unresolved: readonly string[];
}

const OUTPUTS = ['outs', 'metrics', 'plots'];

/** Reads the outputs of `folder`/dvc.yaml. @throws io, integrity for a damaged file */
export async function declaredOuts(folder: string): Promise<DeclaredOuts> {
  const file = await readYamlFile(posix.join(folder, 'dvc.yaml'));
  const root = file?.value ?? new Map<string, Value>();
  if (file !== undefined && !isMap(root)) throw file.problem([], 'it is not a map');
  const stages = isMap(root) ? (root.get('stages') ?? new Map<string, Value>()) : new Map<string, Value>();
  if (file !== undefined && !isMap(stages)) throw file.problem(['stages'], "'stages' is not a map");
  const paths: string[] = [];
  const unresolved: string[] = [];
  const attempt = async <T>(stage: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Unresolved)) throw error;
      unresolved.push(`the outputs of stage '${stage}' are not known: ${error.message}`);
      return undefined;
    }
  };
  const named = isMap(stages) ? [...stages] : [];
  const context = await defaultVars(folder);
  for (const [name, definition] of named) {
    if (!isMap(definition))
      throw (file as NonNullable<typeof file>).problem(['stages', name], `stage '${name}' is not a map`);
    const found = await attempt(name, async () => {
      const global = await withVars(context, isMap(root) ? root.get('vars') : undefined, folder);
      return await outsOfStage(definition, global, folder);
    });
    paths.push(...(found ?? []));
  }
  return { paths, unresolved };
}

async function outsOfStage(definition: ValueMap, context: ValueMap, folder: string): Promise<readonly string[]> {
  const outs: string[] = [];
  for (const round of roundsOf(definition, context)) {
    const inner = definition.get('do');
    const fields = isMap(inner) ? inner : definition;
    const wdir = resolvedText(plainText(fields.get('wdir') ?? '.'), round);
    const all = await withVars(round, fields.get('vars'), posix.join(folder, wdir));
    for (const list of OUTPUTS.map((key) => fields.get(key) ?? []))
      for (const item of isList(list) ? list : [])
        for (const path of isMap(item) ? item.keys() : [plainText(item)])
          outs.push(placed(wdir, resolvedText(path, all)));
  }
  return outs;
}

const placed = (wdir: string, path: string): string => (posix.isAbsolute(path) ? path : posix.join(wdir, path));

/** Returns the context of each round of a loop; of a stage without one, the context itself. */
function roundsOf(definition: ValueMap, context: ValueMap): readonly ValueMap[] {
  const [foreach, matrix] = [definition.get('foreach'), definition.get('matrix')];
  if (foreach !== undefined) {
    const items = resolvedValue(foreach, context);
    if (isList(items)) return items.map((item) => new Map([...context, ['item', item]]));
    if (isMap(items)) return [...items].map(([key, item]) => new Map([...context, ['item', item], ['key', key]]));
    throw new Unresolved("'foreach' is neither a list nor a map");
  }
  if (matrix === undefined) return [context];
  const axes = resolvedValue(matrix, context);
  if (!isMap(axes)) throw new Unresolved("'matrix' is not a map");
  let rounds: readonly ValueMap[] = [new Map()];
  for (const [axis, values] of axes) {
    if (!isList(values)) throw new Unresolved(`'${axis}' of 'matrix' is not a list`);
    rounds = rounds.flatMap((round) => values.map((value) => new Map([...round, [axis, value]])));
  }
  return rounds.map((item) => new Map([...context, ['item', item], ['key', keyOf(item)]]));
}

/** Returns the key of a round as DVC makes it: single values as they are, others by their position, which is not worked out here. */
const keyOf = (round: ValueMap): Value =>
  [...round.values()].some((value) => isMap(value) || isList(value))
    ? []
    : [...round.values()].map(plainText).join('-');

function plainText(value: Value): string {
  if (isMap(value) || isList(value)) throw new Unresolved('a list or map stands where a text is wanted');
  return textOf(value);
}
