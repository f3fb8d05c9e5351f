// Key bindings as data: what a key does, the key line at the bottom of a screen and the `?` overlay all come from one list.
import type { Key } from './key-decoder.js';
import type { Segment } from './toned-line.js';
import { textWidth } from './text-width.js';

export interface Binding<A extends string> {
  readonly action: A;
  /** Names of keys, or the characters that they type. */
  readonly keys: readonly string[];
  /** How the keys are shown, where that is not `keys` as they are. */
  readonly shown?: string;
  /** For the key line; a binding without it is not in it. */
  readonly word?: string;
  /** The word where there is room, if another one. */
  readonly longWord?: string;
  /** For the overlay; a binding without it is shown there with another one. */
  readonly help?: string;
  readonly group: string;
  /** Stays in the key line when others have to go. */
  readonly isPinned?: boolean;
}

export interface KeyLineOptions<A extends string> {
  readonly columns: number;
  /** Words that depend on what is on the screen; they take the place of `longWord`. */
  readonly words?: ReadonlyMap<A, string>;
}

/** Terminals at least this wide get the long words. */
const WIDE_COLUMNS = 120;
const GAP = '  ';

/** The name under which a key stands in a binding. */
const nameOf = (key: Key): string => (key.name === 'text' ? (key.text === ' ' ? 'space' : key.text) : key.name);

/** What a key does; undefined for one that is not bound. */
export function actionOf<A extends string>(bindings: readonly Binding<A>[], key: Key): A | undefined {
  const name = nameOf(key);
  return bindings.find(({ keys }) => keys.includes(name))?.action;
}

/** How the keys of a binding are shown. */
export const keysText = <A extends string>({ keys, shown }: Binding<A>): string => shown ?? keys.join(' ');

/** The key line: cut from the right, the pinned bindings stay, and at last only their keys. */
export function keyLine<A extends string>(bindings: readonly Binding<A>[], options: KeyLineOptions<A>): Segment[] {
  const { columns, words = new Map() } = options;
  const isWide = columns >= WIDE_COLUMNS;
  const shown = bindings.filter(({ word }) => word !== undefined);
  const textOf = ({ action, word = '', longWord = word }: Binding<A>): string =>
    isWide ? (words.get(action) ?? longWord) : word;
  const item = (binding: Binding<A>, hasWord = true): readonly [string, string] => [
    keysText(binding),
    hasWord ? ` ${textOf(binding)}` : '',
  ];
  const free = shown.filter(({ isPinned = false }) => !isPinned).map((binding) => item(binding));
  const pinned = shown.filter(({ isPinned = false }) => isPinned);
  const last = pinned.at(-1);
  const tails = [pinned.map((binding) => item(binding)), pinned.map((binding) => item(binding, binding !== last))];
  for (let count = free.length; count >= 0; count--) {
    for (const tail of tails) {
      const items = [...free.slice(0, count), ...tail];
      if (textWidth(` ${items.map((parts) => parts.join('')).join(GAP)}`) <= columns) return painted(items);
    }
  }
  return painted([]);
}

const painted = (items: readonly (readonly [string, string])[]): Segment[] =>
  items.flatMap(([keys, word], index) => [
    { text: index === 0 ? ' ' : GAP },
    { text: keys, tone: 'accent' as const },
    { text: word },
  ]);
