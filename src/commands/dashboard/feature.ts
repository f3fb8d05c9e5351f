// Dashboard: a full screen about this computer and a store.
import type { Feature } from '../../cli/feature.js';
import { command } from './dashboard.js';

export const dashboard: Feature = {
  name: 'dashboard',
  commands: [command],
  views: ['overview', 'uploads', 'inventory'],
};
