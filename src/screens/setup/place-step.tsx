// The first question: a folder, or the provider of the bucket.
import { type ReactElement, useMemo } from 'react';
import { addressText } from '../../core/store/providers/address.js';
import { factsOf } from '../../core/store/providers/provider-table.js';
import { type Place, PLACES } from '../../stores/setup/places.js';
import { Picker } from '../../ui/picker.js';
import { useSize } from '../../ui/size.js';
import { Asked, LOW_ROWS } from './asked.js';
import { twoColumns } from './two-columns.js';

function placeTexts(place: Place): readonly [name: string, what: string] {
  if (place === 'folder') return ['a folder', 'a disk, a network drive, a NAS: no account, nothing to pay'];
  if (place === 'aws') return ['AWS S3', 'a bucket at Amazon'];
  const facts = factsOf(place);
  if (place === 'custom') return [facts.name, 'any that speaks S3'];
  if (facts.endpoint !== null) return [facts.name, addressText(facts)];
  return [facts.name, facts.usualAddress === null ? 'its console shows the address' : 'a server of your own'];
}

const textsAt = (at: number): readonly [string, string] => placeTexts(PLACES[at] ?? 'folder');

export function PlaceStep({ place }: { readonly place: Place }): ReactElement {
  const columns = useMemo(() => twoColumns(PLACES.length, textsAt), []);
  const { rows } = useSize();
  const room = rows - (rows > LOW_ROWS ? 3 : 2);
  const at = PLACES.indexOf(place);
  const why = `used by commands that name no other store; ${at + 1} of ${PLACES.length}`;
  return (
    <Asked question="Where do archives go?" why={why}>
      <Picker count={PLACES.length} chosen={at} columns={columns} rows={room} />
    </Asked>
  );
}
