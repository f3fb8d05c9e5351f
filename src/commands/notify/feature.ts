// Notifications: pings, hooks and the metrics file of uploads; channels for alerts.
import type { Feature } from '../../cli/feature.js';
import { hookFlags } from './hook-flags.js';

export const notify: Feature = {
  name: 'notify',
  groups: [{ path: 'alerts', summary: 'where alerts about budgets and writers go' }],
  globals: { sections: { hooks: { settings: hookFlags, isOwnOnly: true } } },
  tell: async (told) => {
    const { withRunNotices } = await import('./run-notices.js');
    return await withRunNotices(told);
  },
};
