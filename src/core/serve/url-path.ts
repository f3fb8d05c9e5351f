// The path of a request. Names of an archive are bytes, so that a part of a path is decoded to bytes and encoded from them; text is only
// what is shown.
import { type RawPath, rawFromBytes } from '../platform/paths/raw-path.js';

export interface RequestPath {
  /** Names from the top down. */
  readonly parts: readonly RawPath[];
  /** Whether it ends in a slash. */
  readonly isFolder: boolean;
  readonly query: URLSearchParams;
}

const ENCODED = /%([0-9A-Fa-f]{2})/g;
// eslint-disable-next-line no-control-regex -- a path is ASCII, anything else is encoded
const ALLOWED = /^[\x21-\x7e]*$/;

/** Parses what a request asks for; undefined for what can be no path here: an empty part, dots, a slash or zero byte in a name. */
export function requestPath(target: string): RequestPath | undefined {
  const [path = '', query = ''] = splitOnce(target.replace(/^https?:\/\/[^/?]*/i, ''), '?');
  if (!path.startsWith('/') || !ALLOWED.test(path)) return undefined;
  const isFolder = path.endsWith('/');
  const texts = path === '/' ? [] : path.slice(1, isFolder ? -1 : undefined).split('/');
  const parts = texts.map(decoded);
  if (!parts.every((part): part is RawPath => part !== undefined)) return undefined;
  return { parts, isFolder, query: new URLSearchParams(query) };
}

function splitOnce(text: string, mark: string): readonly string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(part: string): RawPath | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(part)) return undefined;
  const name = part.replace(ENCODED, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  if (name === '' || name === '.' || name === '..' || /[/\0]/.test(name)) return undefined;
  return rawFromBytes(Buffer.from(name, 'latin1'));
}

/** A name as a part of a URL. */
export const encodedName = (name: RawPath): string =>
  name.replace(/[^A-Za-z0-9\-._~]/g, (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);

/** The path of a URL; it always begins with one slash. */
export const urlPath = (parts: readonly RawPath[], isFolder: boolean): string =>
  `/${parts.map(encodedName).join('/')}${isFolder && parts.length > 0 ? '/' : ''}`;
