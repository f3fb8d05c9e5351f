/** A text of JSON or YAML with each of these UTF-16 units as `\uXXXX`. `units` is global. */
export const unicodeEscaped = (text: string, units: RegExp): string =>
  text.replace(units, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
