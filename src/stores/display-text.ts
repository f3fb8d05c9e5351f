import { escapedBytes, printable } from '../core/platform/paths/raw-path.js';

const BEYOND_ASCII = /[^\x20-\x7e]/gu;

/** A name from outside as it may be shown: control characters escaped, and all but ASCII too where only ASCII works. */
export function displayText(text: string, look: { readonly unicode: boolean }): string {
  const shown = printable(text);
  if (look.unicode) return shown;
  return shown.replace(BEYOND_ASCII, escapedBytes);
}
