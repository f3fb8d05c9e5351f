// The sign before the first line of a result, for output without Ink: plain text, and lines above a frame.
import type { Look } from './look.js';

/** `none`: nothing is known. */
export type Sign = 'good' | 'warn' | 'bad' | 'none';

const UNICODE: Readonly<Record<Sign, string>> = { good: '✓', warn: '▲', bad: '✗', none: '–' };
const ASCII: Readonly<Record<Sign, string>> = { good: 'ok:', warn: '!', bad: 'x', none: '-' };
/** SGR codes of the foregrounds green, yellow, red, and the default one. */
const COLOR: Readonly<Record<Sign, number>> = { good: 32, warn: 33, bad: 31, none: 39 };

/** The sign, in colour when the stream supports colours. */
export function signText(sign: Sign, { unicode, color }: Look): string {
  const text = (unicode ? UNICODE : ASCII)[sign];
  return color ? `\u001b[${COLOR[sign]}m${text}\u001b[39m` : text;
}
