/** Returns an ETag without quotes and without the weak mark; empty when there is none. */
export const plainEtag = (etag: string | undefined): string => (etag ?? '').replace(/^W\//, '').replaceAll('"', '');
