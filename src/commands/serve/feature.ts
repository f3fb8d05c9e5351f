// Serving: all versions of a store as folders, for browsers, WebDAV clients and mounts.
import type { Feature } from '../../cli/feature.js';
import { command as mount } from './mount.js';
import { command as serveCommand } from './serve.js';

export const serve: Feature = {
  name: 'serve',
  commands: [serveCommand, mount],
};
