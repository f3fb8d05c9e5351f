// How tests restore unless they say otherwise: everything, and what is the same stays. Nothing of vitest is imported here,
// so that a process of its own can use it.
import type { RestoreOptions } from '../../src/core/restore/restore.js';

export const restoreSettings = (): Omit<RestoreOptions, 'reader' | 'uploadId' | 'outputDir'> => ({
  operation: 'restore',
  selectors: { all: true },
  overwrite: 'if-changed',
  flatten: false,
  verifyFiles: true,
  keepSpecialBits: false,
  dryRun: false,
  requestsAtOnce: 4,
  fillsCache: false,
  emit: () => undefined,
  signal: new AbortController().signal,
});
