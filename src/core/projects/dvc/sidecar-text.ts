// Generates the text of a `.dvc` file, with fields and quotes as DVC 3 writes them.
import { unicodeEscaped } from '../../platform/text/unicode-escape.js';
import type { FolderHash, HashedFile } from './dir-hash.js';

/** The contents of a `.dvc` file, for a file or a folder. */
export type TrackedOut = (Omit<HashedFile, 'path'> & { readonly isExecutable: boolean }) | FolderHash;

/** Returns the text for the file or folder of this name beside it. */
export function sidecarText(name: string, out: TrackedOut): string {
  const count = 'nfiles' in out ? `  nfiles: ${out.nfiles}\n` : out.isExecutable ? '  isexec: true\n' : '';
  return `outs:\n- md5: ${scalar(out.md5)}\n  size: ${out.size}\n${count}  hash: md5\n  path: ${scalar(name)}\n`;
}

/** Strings that every YAML parser reads as plain text. */
const PLAIN = /^[\p{L}_](?:[\p{L}\p{N}_./+()@-]| (?!$|#))*$/u;
const RESERVED = /^(?:true|false|yes|no|on|off|null|y|n)$/i;
/** MD5s that do not look like numbers. */
const PLAIN_MD5 = /^(?!\d+(?:e\d+)?$)[0-9a-f]{32}(?:\.dir)?$/;
/** Strings that YAML allows between quotes without escaping. */
const PRINTABLE = /^[\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\u{10000}-\u{10ffff}]*$/u;

function scalar(text: string): string {
  if (PLAIN_MD5.test(text) || (PLAIN.test(text) && !RESERVED.test(text))) return text;
  if (PRINTABLE.test(text) && !/[\u2028\u2029]/.test(text)) return `'${text.replaceAll("'", "''")}'`;
  return unicodeEscaped(JSON.stringify(text), /[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]/g);
}
