// Setup: chooses and checks a store, and writes a config file.
import type { Feature } from '../../cli/feature.js';
import { command } from './setup.js';

export const setup: Feature = { name: 'setup', commands: [command] };
