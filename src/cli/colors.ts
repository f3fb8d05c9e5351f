// Decides whether a stream gets colour: by the flag, then NO_COLOR, then FORCE_COLOR, then whether it is a terminal.

export type ColorChoice = 'auto' | 'always' | 'never';

/** Parses the value of the flag; anything unknown is `auto`. */
export const colorChoice = (value: unknown): ColorChoice => (value === 'always' || value === 'never' ? value : 'auto');

/** True when text for this stream may carry colour. See no-color.org and force-color.org. */
export function usesColor(
  choice: ColorChoice,
  env: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): boolean {
  if (choice !== 'auto') return choice === 'always';
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false';
  return isTerminal && env['TERM'] !== 'dumb';
}
