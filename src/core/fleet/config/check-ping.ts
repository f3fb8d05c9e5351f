// Reads the address that agents ping. It is a secret: no message repeats it.
import type { Section } from './section.js';

const KEY = 'ping_url';
const WRITER = '{writer_id}';

/**
 * Returns the address with the id of the writer in place of `{writer_id}`. Unlike that of `--ping-url` it is https, since who signs configs
 * must not reach services of the machine.
 */
export function checkPing(root: Section, writerId: string | undefined): string | undefined {
  const text = root.text(KEY);
  if (text === undefined || writerId === undefined) return undefined;
  const filled = text.replaceAll(WRITER, encodeURIComponent(writerId));
  if (/[{}]/.test(filled)) return root.error(KEY, `knows no placeholder but ${WRITER}`);
  const url = URL.canParse(filled) ? new URL(filled) : undefined;
  if (url === undefined) return root.error(KEY, 'wants an address that begins with https://');
  if (url.protocol !== 'https:')
    return root.error(
      KEY,
      'must begin with https:// (http is for --ping-url, or pingUrl in the config file of the machine)',
    );
  return url.href;
}
