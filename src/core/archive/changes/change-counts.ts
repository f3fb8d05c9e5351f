/** How a source differs from an earlier version, in paths other than folders. */
export interface ChangeCounts {
  added: number;
  modified: number;
  deleted: number;
  unchanged: number;
}
