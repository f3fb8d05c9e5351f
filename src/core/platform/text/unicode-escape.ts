/** Writes each of these UTF-16 units in a JSON or YAML text as `\uXXXX`. `units` must be global. */
export const unicodeEscaped = (text: string, units: RegExp): string =>
  text.replace(units, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
