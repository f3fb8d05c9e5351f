/** Whether two ETags show that an object was not replaced. Some servers list objects without (s3s-fs), which proves nothing. */
export const isSameEtag = (before: string | undefined, now: string | undefined): boolean =>
  before !== undefined && before !== '' && before === now;
