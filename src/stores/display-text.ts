import { escapedBytes, printable } from '../core/platform/paths/raw-path.js';

const BEYOND_ASCII = /[^\x20-\x7e]/gu;

/** Makes a foreign name safe to show: control characters are escaped, and everything beyond ASCII when only ASCII works. */
export function displayText(text: string, look: { readonly unicode: boolean }): string {
  const shown = printable(text);
  if (look.unicode) return shown;
  return shown.replace(BEYOND_ASCII, escapedBytes);
}
