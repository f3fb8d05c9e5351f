import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Ending, shellKeys } from '../../../src/screens/shell/shell-keys.js';
import { ShellPrompt } from '../../../src/screens/shell/shell-prompt.js';
import { createShellStore } from '../../../src/stores/shell-store.js';
import { createKeySource, type Key } from '../../../src/ui/keys.js';
import { widthOf } from '../../../src/ui/text.js';
import { runKey } from '../../../src/ui/use-keys.js';
import { draw, type InKitOptions, paint } from '../../support/in-kit.js';

const NOTHING = { from: 0, options: [] };

interface Shown {
  readonly prompt?: string;
  readonly text: string;
  readonly cursor: number;
  readonly suggestions?: readonly string[];
}

function promptWith({ prompt = 'run:/>', text, cursor, suggestions = [] }: Shown) {
  const store = createShellStore({ history: [], complete: () => NOTHING });
  store.setState({ prompt, line: { text, cursor }, suggestions });
  return <ShellPrompt store={store} onEnd={() => undefined} />;
}

/** The frame as text, the cell of the cursor in brackets. */
function frame(text: string, cursor: number, suggestions: readonly string[] = [], columns = 40, rows = 24): string[] {
  const options: InKitOptions = { columns, rows, color: false };
  const drawn = paint(promptWith({ text, cursor, suggestions }), options);
  return drawn.replaceAll('\u001b[7m', '[').replaceAll('\u001b[27m', ']').split('\n');
}

describe('the frame of a shell', () => {
  it('shows the line and its cursor', () => {
    expect(frame('', 0)).toEqual(['run:/> [ ]']);
    expect(frame('ls data', 7)).toEqual(['run:/> ls data[ ]']);
    expect(frame('ls data', 3)).toEqual(['run:/> ls [d]ata']);
    expect(frame('cat デー', 5)).toEqual(['run:/> cat デ[ー]']);
  });

  it('shows a long line around its cursor', () => {
    const text = 'cat 0123456789 abcdefghij 0123456789 abcdefghij';
    expect(frame(text, text.length)).toEqual(['run:/> bcdefghij 0123456789 abcdefghij[ ]']);
    expect(frame(text, 0)).toEqual(['run:/> [c]at 0123456789 abcdefghij 012345']);
    expect(frame(text, 24)).toEqual(['run:/> 0123456789 abcdefghi[j] 0123456789']);
  });

  it('puts suggestions below in columns, and says how many do not fit', () => {
    expect(frame('', 0, ['alpha', 'beta/', 'gamma-delta'])).toEqual([
      'run:/> [ ]',
      'alpha        beta/        gamma-delta',
    ]);
    const many = Array.from({ length: 500 }, (_, n) => `part-${n}`);
    expect(frame('', 0, many).slice(-2)).toEqual(['part-24   part-25   part-26   part-27', 'and 472 more']);
    expect(frame('', 0, many, 40, 5).slice(1)).toEqual([
      'part-0    part-1    part-2    part-3',
      'part-4    part-5    part-6    part-7',
      'and 492 more',
    ]);
  });

  it('never fills the window, nor the last cell of a row', () => {
    const text = fc.string({ unit: fc.constantFrom('a', ' ', 'デ', '👩‍🔬', 'e\u0301'), maxLength: 200 });
    fc.assert(
      fc.property(
        text,
        text,
        fc.array(text, { maxLength: 30 }),
        fc.integer({ min: 10, max: 120 }),
        fc.integer({ min: 3, max: 40 }),
        (prompt, line, suggestions, columns, rows) => {
          const places = Array.from(new Intl.Segmenter().segment(`${line} `), ({ index }) => index);
          for (const cursor of [0, ...places.slice(-2), places[places.length >> 1] ?? 0]) {
            const lines = draw(promptWith({ prompt, text: line, cursor, suggestions }), { columns, rows }).split('\n');

            expect(lines.length).toBeLessThan(rows);
            expect(Math.max(...lines.map(widthOf))).toBeLessThan(columns);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('has one row in a window of any width, with ASCII alone where that is asked for', () => {
    for (const columns of [60, 80, 120, 200])
      expect(draw(promptWith({ text: 'x'.repeat(500), cursor: 250 }), { columns, unicode: false })).toMatch(
        new RegExp(`^run:/> x{${columns - 8}}$`),
      );
  });
});

describe('the keys of a shell', () => {
  const store = createShellStore({ history: ['earlier'], complete: () => NOTHING });
  const press = (...keys: readonly Partial<Key>[]): Ending | undefined => {
    let ended: Ending | undefined;
    for (const { id = '', text = '' } of keys)
      runKey(
        shellKeys(store.getState(), (how) => (ended = how)),
        { id, text },
      );
    return ended;
  };
  const text = (): string => store.getState().line.text;

  it('edits, recalls, clears and ends', () => {
    store.getState().begin('>');
    press({ id: 'a', text: 'a' }, { id: 'paste', text: 'b\nc' });
    expect(text()).toBe('ab c');
    expect(press({ id: 'ctrl+d' })).toBeUndefined();
    expect(press({ id: 'ctrl+c' })).toBeUndefined();
    expect(text()).toBe('');
    press({ id: 'up' });
    expect(text()).toBe('earlier');
    press({ id: 'ctrl+n' });
    expect(text()).toBe('');
    expect(press({ id: 'ctrl+l' })).toBe('clear');
    expect(press({ id: 'enter' })).toBe('line');
    expect(press({ id: 'ctrl+d' })).toBe('end');
  });

  it('does not take a paste that is no line', () => {
    store.getState().begin('>');
    press({ id: 'a', text: 'a' }, { id: 'paste', text: 'x'.repeat(100_000) });
    expect(text()).toBe('a');
  });

  it('reach the line one by one when they come in one chunk', () => {
    const store = createShellStore({ history: [], complete: () => NOTHING });
    const source = createKeySource();
    source.subscribe((key) =>
      runKey(
        shellKeys(store.getState(), () => undefined),
        key,
      ),
    );

    source.write('ls\u001b[D\u001b[200~a\nb\u001b[201~x');

    expect(store.getState().line).toEqual({ text: 'la bxs', cursor: 5 });
  });
});
