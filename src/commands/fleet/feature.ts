// Fleets: unattended writers on many machines, and commands to watch them.
import type { Feature } from '../../cli/feature.js';

export const fleet: Feature = {
  name: 'fleet',
  views: ['fleet'],
  groups: [
    { path: 'fleetagent', summary: 'writers that can neither read back nor delete' },
    { path: 'fleet', summary: 'watch the unattended writers of many machines' },
  ],
};
