// Setup: chooses and checks a store, and writes a config file.
import type { Feature } from '../../cli/feature.js';

export const setup: Feature = { name: 'setup' };
