// Conditions of a request (RFC 9110, section 13), in the order that it prescribes.
import type { IncomingHttpHeaders } from 'node:http';

/** What tells one content from another. */
export interface Validators {
  /** Strong, with its quotes. */
  readonly etag: string;
  readonly modified: Date | undefined;
}

type Headers = Pick<IncomingHttpHeaders, 'if-match' | 'if-none-match' | 'if-modified-since' | 'if-unmodified-since'> & {
  readonly 'if-range'?: string | string[] | undefined;
};

/** The status that answers instead of the content; undefined where it is to be sent. */
export function conditionStatus(headers: Headers, { etag, modified }: Validators): 304 | 412 | undefined {
  const match = headers['if-match'];
  const unmodifiedSince = secondsOf(headers['if-unmodified-since']);
  const seconds = modified === undefined ? undefined : Math.floor(modified.getTime() / 1000);
  if (match !== undefined) {
    if (match.trim() !== '*' && !tagsOf(match).includes(etag)) return 412;
  } else if (unmodifiedSince !== undefined && seconds !== undefined && seconds > unmodifiedSince) return 412;
  const noneMatch = headers['if-none-match'];
  if (noneMatch !== undefined) {
    const isKnown = noneMatch.trim() === '*' || tagsOf(noneMatch).some((tag) => tag.replace(/^W\//, '') === etag);
    return isKnown ? 304 : undefined;
  }
  const modifiedSince = secondsOf(headers['if-modified-since']);
  return modifiedSince !== undefined && seconds !== undefined && seconds <= modifiedSince ? 304 : undefined;
}

/** Whether a range may be sent. A date is no strong validator: two versions may have content of the same second. */
export const mayUseRange = ({ 'if-range': ifRange }: Headers, { etag }: Validators): boolean =>
  ifRange === undefined || ifRange === etag;

const tagsOf = (header: string): readonly string[] => header.match(/(?:W\/)?"[^"]*"/g) ?? [];

function secondsOf(date: string | undefined): number | undefined {
  const ms = Date.parse(date ?? '');
  return Number.isNaN(ms) ? undefined : Math.floor(ms / 1000);
}
