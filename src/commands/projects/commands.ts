import type { Command } from '../../cli/command.js';
import { command as dvcExport } from './dvc/export.js';
import { command as dvcStages } from './dvc/stages.js';
import { command as dvcStatus } from './dvc/status.js';

export const COMMANDS: readonly Command[] = [dvcStages, dvcStatus, dvcExport];
