// The command of a stage. Unlike other texts, it takes maps in its templates: they become options.
import { shellWord } from '../text/shell-word.js';
import { printed, type Scope, select, TEMPLATE, TemplateError } from './template.js';
import { isList, isMap, textOf, type Value, type ValueMap } from './yaml-value.js';

/** A command as one text; several run one after another. @throws TemplateError */
export function resolveCommand(value: Value, scope: Scope): string {
  if (isList(value)) return value.map((item) => resolveCommand(item, scope)).join(' && ');
  if (typeof value !== 'string') return printed(value);
  const command = value.replace(TEMPLATE, (_, expression: string) => {
    const part = select(expression, scope);
    return isMap(part) ? optionsText(part) : printed(part);
  });
  scope.budget.spend(command.length);
  return command.replaceAll('\\${', '${');
}

/** `--lr 0.1 --layers.size 3 --verbose`; what is false is left out. */
function optionsText(map: ValueMap): string {
  return [...flattened(map, '')]
    .filter(([, value]) => value !== false)
    .map(([name, value]) => (value === true ? `--${name}` : `--${name} ${argument(name, value)}`))
    .join(' ');
}

function* flattened(map: ValueMap, prefix: string): Generator<readonly [string, Value]> {
  for (const [key, value] of map) {
    if (isMap(value)) yield* flattened(value, `${prefix}${key}.`);
    else yield [`${prefix}${key}`, value];
  }
}

function argument(name: string, value: Value): string {
  if (typeof value === 'string') return shellWord(value);
  if (!isList(value)) return printed(value);
  const items = value.map((item) => {
    if (isList(item) || isMap(item)) throw new TemplateError(`a list in the list '${name}' cannot be an option`);
    return typeof item === 'string' ? shellWord(item) : textOf(item);
  });
  return items.join(' ');
}
