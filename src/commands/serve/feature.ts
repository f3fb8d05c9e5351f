// Serving: all versions of a store as folders, for browsers, WebDAV clients and mounts.
import type { Feature } from '../../cli/feature.js';
import { command as mount } from './mount.js';
import { command as serve } from './serve.js';

export const serving: Feature = {
  name: 'serve',
  commands: [serve, mount],
};
