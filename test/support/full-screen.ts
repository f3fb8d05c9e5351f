// What every full screen of the program does with its terminal.
import { expect } from 'vitest';
import type { TerminalSession } from './terminal-session.js';

/** The terminal is as it was before the screen. */
export async function expectClean(session: TerminalSession): Promise<void> {
  expect(await session.isAlternate()).toBe(false);
  expect(session.isCursorShown()).toBe(true);
  expect(session.written()).not.toContain('\u001b[3J');
  const written = session.written();
  expect(written.lastIndexOf('\u001b[?2004l')).toBeGreaterThan(written.lastIndexOf('\u001b[?2004h'));
}

/** The frame fits each size of the window, with one row under the cursor; `check` looks at its lines. */
export async function expectFits(
  session: TerminalSession,
  check: (lines: readonly string[]) => void = () => undefined,
): Promise<void> {
  for (const [columns, rows] of [
    [200, 50],
    [60, 15],
    [120, 40],
  ] as const) {
    session.resize(columns, rows);
    const lines = await session.until(
      (shown) =>
        shown.length === rows - 1 && shown[2] === '─'.repeat(columns) && shown.at(-1)?.includes('q quit') === true,
    );
    expect(lines.filter((line) => line.startsWith('▸'))).toHaveLength(1);
    check(lines);
  }
  session.resize(52, 11);
  await session.until('archiver needs 60x15; this is 52x11.');
}
