import type { Base } from '../cli/feature.js';

/** What programs have besides commands. */
export const BASE: Base = {
  summary: 'keep folders in an object store, and get them back',
  groups: [
    { path: 'create', summary: 'make archives and keys' },
    { path: 'restore jobs', summary: 'restores that wait for cold storage' },
    { path: 'dataset', summary: 'list, compare, tag and prune the versions of folders' },
  ],
};
