// Which of the datasets that there are a text means.
import { usageError } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';
import { nameOfDataset } from './dataset-id.js';

const SHOWN = 10;

/** The dataset of `known` that a text means; undefined for none. @throws usage when several match, naming them */
export function matchDataset(known: readonly string[], given: string, takesBeginnings = true): string | undefined {
  if (known.includes(given)) return given;
  const named = known.filter((id) => nameOfDataset(id) === given);
  const matching = named.length > 0 || !takesBeginnings ? named : known.filter((id) => id.startsWith(given));
  if (matching.length < 2) return matching[0];
  throw usageError(`--dataset ${printable(given)} may be ${namesOf(matching)}`, 'write more of the id');
}

/** The first of these ids, for a message. */
export function namesOf(ids: readonly string[]): string {
  const more = ids.length > SHOWN ? ` and ${ids.length - SHOWN} more` : '';
  return ids.slice(0, SHOWN).map(printable).join(', ') + more;
}
