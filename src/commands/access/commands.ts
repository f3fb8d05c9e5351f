import type { Command } from '../../cli/command.js';
import { command as accessCheck } from './access-check.js';

export const COMMANDS: readonly Command[] = [accessCheck];
