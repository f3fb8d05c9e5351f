// The token that a request must bring: in the address once, for a browser, which keeps it as a cookie; as the password of Basic, whatever
// the user; or as a Bearer token.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { usageError } from '../platform/failures/errors.js';

/** 22 letters of base64: 128 bits. */
const RANDOM_BYTES = 16;
/** Others on a network may try as many as they like. */
const SHORTEST = 16;

/** A token that nobody can guess. */
export const randomToken = (): string => randomBytes(RANDOM_BYTES).toString('base64url');

/** Checks one that was given. @throws usage for one that is short, or cannot be part of an address and a header */
export function checkToken(token: string, flag: string): string {
  if (token.length >= SHORTEST && /^[A-Za-z0-9\-._~]+$/.test(token)) return token;
  throw usageError(
    `${flag} wants at least ${SHORTEST} of A-Z a-z 0-9 - . _ ~`,
    `${flag} auto makes one, openssl rand -hex 16 prints one`,
  );
}

export interface Presented {
  readonly headers: Pick<IncomingHttpHeaders, 'authorization' | 'cookie'>;
  readonly query: URLSearchParams;
}

/** How a request has shown the token; undefined for one that has not. */
export function shownToken(
  token: string,
  cookieName: string,
  { headers, query }: Presented,
): 'address' | 'header' | undefined {
  const { authorization = '', cookie = '' } = headers;
  const [, scheme = '', value = ''] = /^(\S+)\s+(\S+)\s*$/.exec(authorization) ?? [];
  const cookies = cookie.split(/;\s*/).filter((one) => one.startsWith(`${cookieName}=`));
  const given = [
    ...(scheme.toLowerCase() === 'bearer' ? [value] : []),
    ...(scheme.toLowerCase() === 'basic' ? [passwordIn(value)] : []),
    ...cookies.map((one) => one.slice(cookieName.length + 1)),
  ];
  if (given.some((one) => isSame(one, token))) return 'header';
  return isSame(query.get('token') ?? '', token) ? 'address' : undefined;
}

function passwordIn(credentials: string): string {
  const text = Buffer.from(credentials, 'base64').toString('utf8');
  return text.slice(text.indexOf(':') + 1);
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
const isSame = (given: string, token: string): boolean => timingSafeEqual(digest(given), digest(token));
