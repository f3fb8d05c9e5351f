import type { Command } from '../../cli/command.js';
import { command as batch } from './batch.js';
import { command as kubernetes } from './kubernetes.js';
import { command as slurm } from './slurm.js';

export const COMMANDS: readonly Command[] = [slurm, kubernetes, batch];
