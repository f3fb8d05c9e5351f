// For tests with few files: `vi.mock('…/segmented.js', smallSegments)` puts listings of eight entries or more in segments of four.
type Segmented = typeof import('../../src/core/format/manifest/segmented.js');

export async function smallSegments(original: () => Promise<unknown>): Promise<Segmented> {
  return {
    ...((await original()) as Segmented),
    isSegmented: (entries, isSealed) => !isSealed && entries >= 8,
    entriesPerSegment: () => 4,
  };
}
