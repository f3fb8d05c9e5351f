// Clusters: jobs of schedulers that do the parts of a plan.
import type { Feature } from '../../cli/feature.js';
import { command as batch } from './batch.js';
import { command as kubernetes } from './kubernetes.js';
import { command as slurm } from './slurm.js';

export const clusters: Feature = {
  name: 'clusters',
  commands: [slurm, kubernetes, batch],
  groups: [{ path: 'submit', summary: 'hand the parts of a plan to a scheduler' }],
};
