// Access: who can read and write a bucket.
import type { Feature } from '../../cli/feature.js';

export const access: Feature = {
  name: 'access',
  async inspectStore(url, values, context) {
    if (values['checkAccess'] !== true) return undefined;
    const { accessGate } = await import('./access-gate.js');
    const found = await accessGate(url, values, context);
    return found && { access: found };
  },
};
