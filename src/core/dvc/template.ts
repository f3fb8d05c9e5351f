// DVC's templates: `${a.b[0]}` in any text of a stage. A text that is one template alone becomes its value; in a longer
// text the value is printed as Python prints it. `\${` is a `${` that means nothing.
import { isList, isMap, textOf, type Value, type ValueMap } from './yaml-value.js';

/** What a template can name. */
export interface Scope {
  readonly values: ValueMap;
  /** `item` and `key` of a loop. */
  readonly round?: ValueMap;
  /** Why some of it could not be loaded. */
  readonly gaps: readonly string[];
  readonly budget: Budget;
}

/** A template that cannot be resolved; who knows its place says where. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** Bounds what templates make: loops over loops, and texts in texts. */
export class Budget {
  private left = 64 * 1024 * 1024;

  /** @throws TemplateError when nothing is left */
  spend(characters: number): void {
    this.left -= characters + 1;
    if (this.left < 0) throw new TemplateError('its templates expand to more than 64 MiB');
  }
}

/** Finds templates; the group is the expression. */
export const TEMPLATE = /(?<!\\)\$\{(.*?)\}/g;
const EXPRESSION = /^[^.[\]]+(?:\.[^.[\]]+|\[[^.[\]]+\])*$/;

/** Everything in `value` resolved. @throws TemplateError */
export function resolveValue(value: Value, scope: Scope): Value {
  if (typeof value === 'string') return resolveText(value, scope);
  scope.budget.spend(0);
  if (isList(value)) return value.map((item) => resolveValue(item, scope));
  if (!isMap(value)) return value;
  return new Map([...value].map(([key, item]) => [printed(resolveText(key, scope)), resolveValue(item, scope)]));
}

function resolveText(text: string, scope: Scope): Value {
  const [only, inner] = [...text.matchAll(TEMPLATE)][0] ?? [];
  if (only === text && inner !== undefined) return select(inner, scope);
  const resolved = text.replace(TEMPLATE, (_, expression: string) => printed(select(expression, scope)));
  scope.budget.spend(resolved.length);
  return resolved.replaceAll('\\${', '${');
}

/** The text of one value. @throws TemplateError for lists and maps */
export function printed(value: Value): string {
  if (isList(value) || isMap(value)) throw new TemplateError('a list or map stands where a text is wanted');
  return textOf(value);
}

/** The value that an expression names. @throws TemplateError */
export function select(expression: string, scope: Scope): Value {
  if (!EXPRESSION.test(expression)) throw new TemplateError(`\${${expression}} is not a template`);
  const parts = expression.replaceAll('[', '.').replaceAll(']', '').split('.');
  const isRound = scope.round?.has(parts[0]?.trim() ?? '') === true;
  let value: Value | undefined = isRound ? scope.round : scope.values;
  for (const part of parts) value = value === undefined ? undefined : member(value, part.trim());
  if (value !== undefined) return value;
  const gaps = scope.gaps.map((gap) => `; ${gap}`).join('');
  throw new TemplateError(`\${${expression}} is not in params.yaml or vars${gaps}`);
}

function member(value: Value, name: string): Value | undefined {
  if (isMap(value)) return value.get(name);
  return isList(value) && /^-?\d+$/.test(name) ? value.at(Number(name)) : undefined;
}
