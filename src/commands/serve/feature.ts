// Serving: all versions of a store as folders, for browsers, WebDAV clients and mounts.
import type { Feature } from '../../cli/feature.js';

export const serve: Feature = {
  name: 'serve',
};
