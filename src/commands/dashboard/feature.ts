// What this computer and a store are doing, on a full screen.
import type { Feature } from '../../cli/feature.js';
import { command } from './dashboard.js';

export const dashboard: Feature = { name: 'dashboard', commands: [command] };
