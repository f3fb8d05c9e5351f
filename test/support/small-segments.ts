// For tests with few files: listings lie in small segments.
import { vi } from 'vitest';
import * as segmented from '../../src/core/format/manifest/segmented.js';

/**
 * A hook for `beforeAll`: listings of `from` entries or more lie in segments of `each`. What it returns puts the usual sizes back, as modules
 * are shared by all tests of a process.
 */
export const smallSegments =
  (from = 8, each = 4) =>
  (): (() => void) => {
    const spies = [
      vi.spyOn(segmented, 'isSegmented').mockImplementation((entries, isSealed) => !isSealed && entries >= from),
      vi.spyOn(segmented, 'entriesPerSegment').mockImplementation(() => each),
    ];
    return () => {
      for (const spy of spies) spy.mockRestore();
    };
  };
