// The features of the program, one line each; only their commands are named elsewhere (feature-commands.ts). Without its line, the program
// lacks the commands, flags and settings of a feature, and archives and restores as before (test/scripts/without-feature.test.ts).
import type { Feature } from './cli/feature.js';
import { access } from './commands/access/feature.js';
import { clusters } from './commands/clusters/feature.js';
import { dashboard } from './commands/dashboard/feature.js';
import { diagnostics } from './commands/diagnostics/feature.js';
import { fleet } from './commands/fleet/feature.js';
import { money } from './commands/money/feature.js';
import { notify } from './commands/notify/feature.js';
import { projects } from './commands/projects/feature.js';
import { serve } from './commands/serve/feature.js';
import { setup } from './commands/setup/feature.js';

export const FEATURES: readonly Feature[] = [
  money,
  notify,
  access,
  fleet,
  clusters,
  projects,
  diagnostics,
  serve,
  setup,
  dashboard,
];
