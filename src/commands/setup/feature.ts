// The first steps: a store is chosen and checked, and a config file written.
import type { Feature } from '../../cli/feature.js';
import { command } from './setup.js';

export const setup: Feature = { name: 'setup', commands: [command] };
