// Capabilities of a store as rows: a sign, a name, what was observed, and the consequence.
import type { Capability, CapabilityState } from '../../core/access/capabilities/capability.js';
import type { Sign } from '../../ui/sign.js';
import type { SignedRow } from '../../ui/signed-rows.js';

export const CAPABILITY_SIGNS: Readonly<Record<CapabilityState, Sign>> = { yes: 'good', no: 'bad', unknown: 'none' };

/** The rows; `show` makes texts from the store safe to show. */
export const capabilityRows = (
  capabilities: readonly Capability[],
  show: (text: string) => string,
): readonly SignedRow[] =>
  capabilities.map(({ name, state, detail, consequence }) => ({
    sign: CAPABILITY_SIGNS[state],
    label: name,
    texts: [show(detail), show(consequence)],
  }));
