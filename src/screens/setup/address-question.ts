// What is asked about the address of a server: all of it, or what stands in it.
import { addressText } from '../../core/providers/address.js';
import { factsOf } from '../../core/providers/provider-table.js';
import { addressFields } from '../../stores/setup/places.js';
import { addressIn, type SetupState } from '../../stores/setup/setup-state.js';

/** The question, and a line why; as soon as all of it is there that line is the address. */
export function addressQuestion(state: SetupState): readonly [question: string, why: string] {
  const { place } = state;
  const asksAll = addressFields(place).includes('server');
  if (place === 'folder' || place === 'custom')
    return ['At which address is the server?', 'https://host, or http://host:port on your own network'];
  const { name, account, regions, ...facts } = factsOf(place);
  if (asksAll) return [`At which address is ${name}?`, 'https://host, or http://host:port on your own network'];
  const asked = [
    ...(account === null ? [] : [account]),
    ...(addressFields(place).includes('region') ? ['region'] : []),
  ];
  const example = regions.length > 0 && addressFields(place).includes('region') ? ` (${regions.join(', ')}, …)` : '';
  return [`Which ${asked.join(' and ')} of ${name}?`, `${addressIn(state) ?? addressText(facts)}${example}`];
}
