// What lies beside the datasets of a store and is none of them: it is named, and everything goes on without it.
import { printable } from '../../platform/paths/raw-path.js';

const SHOWN = 10;

/** A sentence about them, or none; `place`: that of a store below the one that was asked for. */
export function strayTexts(strays: readonly string[], place = ''): readonly string[] {
  if (strays.length === 0) return [];
  const above = place === '' ? '' : `${place}/`;
  const shown = strays.slice(0, SHOWN).map((name) => printable(`${above}datasets/${name}`));
  const more = strays.length > SHOWN ? ` and ${strays.length - SHOWN} more` : '';
  return [`left out, because no version record is there: ${shown.join(', ')}${more}`];
}
