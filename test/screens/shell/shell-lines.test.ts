import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pressKey } from '../../../src/screens/shell/shell-keys.js';
import { shellLines } from '../../../src/screens/shell/shell-lines.js';
import { createShellStore } from '../../../src/stores/shell-store.js';
import type { Key } from '../../../src/ui/key-decoder.js';
import { lineWidth } from '../../../src/ui/toned-line.js';

const look = { unicode: true, color: false };
const NOTHING = { from: 0, options: [] };

/** The frame as text, the cell of the cursor in brackets. */
function frame(text: string, cursor: number, suggestions: readonly string[] = [], columns = 40, rows = 24): string[] {
  const lines = shellLines({ prompt: 'run:/>', line: { text, cursor }, suggestions }, { columns, rows }, look);
  return lines.map((line) => line.map((part) => (part.tone === 'inverse' ? `[${part.text}]` : part.text)).join(''));
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
        fc.array(text),
        fc.integer({ min: 10, max: 120 }),
        fc.integer({ min: 3, max: 40 }),
        (prompt, line, suggestions, columns, rows) => {
          for (const { index } of new Intl.Segmenter().segment(`${line} `)) {
            const lines = shellLines(
              { prompt, line: { text: line, cursor: index }, suggestions },
              { columns, rows },
              look,
            );

            expect(lines.length).toBeLessThan(rows);
            expect(Math.max(...lines.map(lineWidth))).toBeLessThan(columns);
          }
        },
      ),
      { numRuns: 30 },
    );
  });
});

describe('the keys of a shell', () => {
  const store = createShellStore({ history: ['earlier'], complete: () => NOTHING });
  const press = (...keys: readonly Key[]): unknown => keys.map((key) => pressKey(store, key)).at(-1);
  const text = (): string => store.getState().line.text;

  it('edits, recalls, clears and ends', () => {
    store.getState().begin('>');
    press({ name: 'text', text: 'a' }, { name: 'paste', text: 'b\nc' });
    expect(text()).toBe('ab c');
    expect(press({ name: 'ctrl+d' })).toBeUndefined();
    expect(press({ name: 'ctrl+c' })).toBeUndefined();
    expect(text()).toBe('');
    press({ name: 'up' });
    expect(text()).toBe('earlier');
    press({ name: 'ctrl+n' });
    expect(text()).toBe('');
    expect(press({ name: 'ctrl+l' })).toBe('clear');
    expect(press({ name: 'enter' })).toBe('line');
    expect(press({ name: 'ctrl+d' })).toBe('end');
  });

  it('does not take a paste that is no line', () => {
    store.getState().begin('>');
    press({ name: 'text', text: 'a' }, { name: 'paste', text: 'x'.repeat(100_000) });
    expect(text()).toBe('a');
  });
});
