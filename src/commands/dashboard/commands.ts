import type { Command } from '../../cli/command.js';
import { command } from './dashboard.js';

export const COMMANDS: readonly Command[] = [command];
