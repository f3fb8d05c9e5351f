import type { Command } from '../../cli/command.js';
import { command } from './setup.js';

export const COMMANDS: readonly Command[] = [command];
