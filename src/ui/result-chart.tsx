// Charts of a plain command: the same components as on the screens, printed once.
import type { ReactElement } from 'react';

/** A row of levels from 0 to the highest value in at most `width` columns, with the note beside it. */
export async function renderSparkline(values: readonly number[], width: number, note: string): Promise<string> {
  const { Sparkline } = await import('./sparkline.js');
  return await renderRow(<Sparkline values={values} width={width} note={note} />, width + note.length + 2);
}

/** A bar for each share from 0 to 1, at most `width` columns wide. */
export async function renderBars(shares: readonly number[], width: number): Promise<readonly string[]> {
  const { Bar } = await import('./bar.js');
  return await Promise.all(shares.map((share) => renderRow(<Bar share={share} width={width} />, width)));
}

async function renderRow(row: ReactElement, columns: number): Promise<string> {
  const [{ renderToString }, { makeTheme, ThemeContext }] = await Promise.all([import('ink'), import('./theme.js')]);
  const theme = makeTheme({ unicode: true, color: false });
  return renderToString(<ThemeContext value={theme}>{row}</ThemeContext>, { columns });
}
