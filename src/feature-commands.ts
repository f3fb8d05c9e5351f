// The commands of each feature (src/features.ts), by its name. Few calls need them: they are loaded with all commands (src/commands/index.ts).
import type { Command } from './cli/command.js';
import { COMMANDS as access } from './commands/access/commands.js';
import { COMMANDS as clusters } from './commands/clusters/commands.js';
import { COMMANDS as dashboard } from './commands/dashboard/commands.js';
import { COMMANDS as diagnostics } from './commands/diagnostics/commands.js';
import { COMMANDS as fleet } from './commands/fleet/commands.js';
import { COMMANDS as money } from './commands/money/commands.js';
import { COMMANDS as notify } from './commands/notify/commands.js';
import { COMMANDS as projects } from './commands/projects/commands.js';
import { COMMANDS as serve } from './commands/serve/commands.js';
import { COMMANDS as setup } from './commands/setup/commands.js';

export const FEATURE_COMMANDS: Readonly<Record<string, readonly Command[]>> = {
  access,
  clusters,
  dashboard,
  diagnostics,
  fleet,
  money,
  notify,
  projects,
  serve,
  setup,
};
