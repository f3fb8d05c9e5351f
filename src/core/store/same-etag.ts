/** Whether two ETags say that nothing was replaced. Some servers list objects without (s3s-fs): that says nothing. */
export const isSameEtag = (before: string | undefined, now: string | undefined): boolean =>
  before !== undefined && before !== '' && before === now;
