// Notifications: pings, hooks and the metrics file of uploads; channels for alerts.
import type { Feature } from '../../cli/feature.js';
import { command as alertsConfig } from './alerts/config.js';
import { command as alertsConfigure } from './alerts/configure.js';
import { command as alertsDisable } from './alerts/disable.js';
import { command as alertsEnable } from './alerts/enable.js';
import { command as alertsTest } from './alerts/test.js';
import { hookFlags } from './hook-flags.js';

export const notify: Feature = {
  name: 'notify',
  commands: [alertsConfig, alertsConfigure, alertsTest, alertsEnable, alertsDisable],
  groups: [{ path: 'alerts', summary: 'where alerts about budgets and writers go' }],
  globals: { sections: { hooks: { settings: hookFlags, isOwnOnly: true } } },
  tell: async (told) => {
    const { withRunNotices } = await import('./run-notices.js');
    return await withRunNotices(told);
  },
};
