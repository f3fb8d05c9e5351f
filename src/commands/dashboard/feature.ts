// Dashboard: a full screen about this computer and a store.
import type { Feature } from '../../cli/feature.js';

export const dashboard: Feature = {
  name: 'dashboard',
  views: ['overview', 'uploads', 'inventory'],
};
