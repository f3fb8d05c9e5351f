// Clusters: jobs of schedulers that do the parts of a plan.
import type { Feature } from '../../cli/feature.js';

export const clusters: Feature = {
  name: 'clusters',
  groups: [{ path: 'submit', summary: 'hand the parts of a plan to a scheduler' }],
};
