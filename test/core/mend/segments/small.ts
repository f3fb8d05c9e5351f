// For `vi.mock` of segmented.js: segments of four entries. Imports nothing, since the mock would wait for itself.
export const SMALL = {
  isSegmented: (entries: number, isSealed: boolean): boolean => !isSealed && entries >= 8,
  entriesPerSegment: (): number => 4,
};
