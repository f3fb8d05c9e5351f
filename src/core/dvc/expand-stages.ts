// The stages that `foreach` and `matrix` stand for, each with what its templates can name.
import { resolveValue, type Scope, TemplateError } from './template.js';
import { isList, isMap, textOf, type Value, type ValueMap } from './yaml-value.js';

const MAX_STAGES = 100_000;

export interface StageDefinition {
  readonly name: string;
  readonly fields: ValueMap;
  readonly scope: Scope;
}

/** The stages of one key below `stages`. @throws TemplateError */
export function expandStage(group: string, definition: Value, scope: Scope): readonly StageDefinition[] {
  if (!isMap(definition)) throw new TemplateError('it is not a map');
  const isLoop = definition.has('foreach');
  if (!isLoop && !definition.has('matrix')) return [{ name: group, fields: definition, scope }];
  const fields = isLoop ? definition.get('do') : definition;
  if (!isMap(fields)) throw new TemplateError("it has 'foreach' and no 'do'");
  const rounds = isLoop ? foreachRounds(definition, scope) : matrixRounds(definition, scope);
  return [...rounds].map(([key, round]) => {
    scope.budget.spend(key.length);
    return { name: `${group}@${key}`, fields, scope: { ...scope, round } };
  });
}

type Rounds = ReadonlyMap<string, ValueMap>;
const roundOf = (item: Value, key: string): ValueMap => new Map(Object.entries({ item, key }));
const isComposite = (value: Value): boolean => isList(value) || isMap(value);

/** A list gives its values their names, or their positions when one of them is a list or map; a map gives its keys. */
function foreachRounds(definition: ValueMap, scope: Scope): Rounds {
  const data = resolveValue(definition.get('foreach') ?? null, scope);
  if (isMap(data)) return new Map([...data].map(([key, item]) => [key, roundOf(item, key)]));
  if (!isList(data)) throw new TemplateError("'foreach' is neither a list nor a map");
  const isByPosition = data.some(isComposite);
  return new Map(
    data.map((item, index) => [isByPosition ? String(index) : nameOf(item, ''), new Map([['item', item]])]),
  );
}

/** A value in the name of a stage; a list or map is the name of its variable and its position. */
const nameOf = (value: Value, position: string): string => (isList(value) || isMap(value) ? position : textOf(value));

function matrixRounds(definition: ValueMap, scope: Scope): Rounds {
  const variables = resolveValue(definition.get('matrix') ?? null, scope);
  if (!isMap(variables)) throw new TemplateError("'matrix' is not a map");
  let combinations: readonly Combination[] = [{ names: [], item: new Map() }];
  for (const [variable, values] of variables) {
    const choices = isMap(values) ? [...values.keys()] : values;
    if (!isList(choices)) throw new TemplateError(`'${variable}' of 'matrix' is not a list`);
    if (combinations.length * choices.length > MAX_STAGES)
      throw new TemplateError(`it makes more than ${MAX_STAGES} stages`);
    combinations = combinations.flatMap((combination) =>
      choices.map((choice, index) => extended(combination, variable, choice, index)),
    );
  }
  return new Map(
    combinations.map(({ names, item }) => {
      const key = names.join('-');
      return [key, roundOf(item, key)];
    }),
  );
}

interface Combination {
  readonly names: readonly string[];
  readonly item: ValueMap;
}

const extended = ({ names, item }: Combination, variable: string, choice: Value, index: number): Combination => ({
  names: [...names, nameOf(choice, `${variable}${index}`)],
  item: new Map([...item, [variable, choice]]),
});
