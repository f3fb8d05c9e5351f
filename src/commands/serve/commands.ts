import type { Command } from '../../cli/command.js';
import { command as mount } from './mount.js';
import { command as serveCommand } from './serve.js';

export const COMMANDS: readonly Command[] = [serveCommand, mount];
