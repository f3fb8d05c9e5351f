// Questions about the address of a server: the whole address, or its variable parts.
import { addressText } from '../../core/store/providers/address.js';
import { factsOf } from '../../core/store/providers/provider-table.js';
import { addressFields } from '../../stores/setup/places.js';
import { addressIn, type FieldName, type SetupState } from '../../stores/setup/setup-state.js';

const FORM = 'https://host, or http://host:port on your own network';

/** The question, and a line of explanation: the address, with the values typed so far. */
export function addressQuestion(state: SetupState): readonly [question: string, why: string] {
  const { place } = state;
  if (place === 'folder' || place === 'custom') return ['At which address is the server?', FORM];
  const facts = factsOf(place);
  const asked = addressFields(place);
  if (asked.includes('server')) return [`At which address is ${facts.name}?`, FORM];
  const words = asked.map((name) => (name === 'account' ? (facts.account ?? name) : name));
  return [`Which ${words.join(' and ')} of ${facts.name}?`, addressIn(state) ?? addressText(facts)];
}

/** The label of an address field for this place, and an example or hint. */
export function addressLabel(place: SetupState['place'], name: FieldName): readonly [string, string] | undefined {
  if (place === 'folder' || !addressFields(place).some((asked) => asked === name)) return undefined;
  const { account, regions } = factsOf(place);
  if (name === 'account') return [account ?? name, 'as its console shows it'];
  return name === 'region' ? [name, `${regions.join(', ')}, …`] : undefined;
}
