import type { ReactElement } from 'react';
import { fitByPriority } from './fit-by-priority.js';
import { Line } from './line.js';
import { useSize } from './size.js';
import { widthOf } from './text.js';
import { Tint, useTheme, type Glyphs } from './theme.js';
import type { Binding } from './use-keys.js';

/** The name of a key for people: arrows as glyphs, the others by name. */
export const keyName = (id: string, glyphs: Glyphs): string =>
  ({ pageup: 'pgup', pagedown: 'pgdn', escape: 'esc', any: 'any key' })[id] ?? glyphs.keys[id] ?? id;

/** Joins signs directly, and names with a slash. */
const joined = (names: readonly string[]): string => names.join(names.some(({ length }) => length > 1) ? '/' : '');

/** The hints of the current bindings, cut from the right; those of priority 0 (help, quit) stay. */
export function KeyLine({ bindings }: { bindings: readonly Binding[] }): ReactElement {
  const { glyphs } = useTheme();
  const hints = bindings
    .filter((binding) => binding.hint !== undefined)
    .map((binding) => ({
      priority: binding.priority ?? 1,
      keys: joined((binding.hintKeys ?? binding.keys.slice(0, 1)).map((id) => keyName(id, glyphs))),
      word: ` ${binding.hint}`,
    }));
  const shown = fitByPriority(hints, useSize().columns - 2, (hint) => widthOf(hint.keys + hint.word), 2);
  return (
    <Line
      left={shown.map((hint, at) => (
        <Tint key={hint.keys}>
          {at > 0 && '  '}
          <Tint tone="accent">{hint.keys}</Tint>
          <Tint tone="dim">{hint.word}</Tint>
        </Tint>
      ))}
    />
  );
}
