// Generates the text of a `.dvc` file, with fields and quotes as DVC 3 writes them. Updating one that is there keeps what people wrote into
// it: descriptions, labels, remotes, comments.
import { isMap, isSeq, parseDocument, type Document } from 'yaml';
import { ArchiverError } from '../../platform/failures/errors.js';
import { unicodeEscaped } from '../../platform/text/unicode-escape.js';
import { readDocument } from '../../platform/text/yaml-document.js';
import type { FolderHash, HashedFile } from './dir-hash.js';

/** The same, where the size may not be known. */
export type SidecarSize<T extends { readonly size: number }> = Omit<T, 'size'> & { readonly size?: number | undefined };

/** The contents of a `.dvc` file, for a file or a folder. */
export type TrackedOut =
  | (Omit<SidecarSize<HashedFile>, 'path'> & { readonly isExecutable: boolean })
  | SidecarSize<FolderHash>;

/** Returns the text for the file or folder of this name beside it. */
export function sidecarText(name: string, out: TrackedOut): string {
  const count = 'nfiles' in out ? `  nfiles: ${out.nfiles}\n` : out.isExecutable ? '  isexec: true\n' : '';
  const size = out.size === undefined ? '' : `  size: ${out.size}\n`;
  return `outs:\n- md5: ${scalar(out.md5)}\n${size}${count}  hash: md5\n  path: ${scalar(name)}\n`;
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

const OUT = ['outs', 0] as const;

/** Returns the text that replaces `before`; `before` itself when nothing changes. @throws unsupported for one of something else */
export function updatedSidecar(before: string, name: string, out: TrackedOut): string {
  const fresh = sidecarText(name, out);
  if (before === fresh) return before;
  const { document } = readDocument(before);
  if (document === undefined || !isOfOneOut(document, name))
    throw new ArchiverError('unsupported', 'its .dvc file is of something else, and is left as it is');
  const current = fieldsOf(document);
  const wanted = fieldsOf(parseDocument(fresh));
  const changed = Object.keys(wanted).filter((key) => wanted[key] !== current[key]);
  if (changed.length === 0) return before;
  for (const key of changed) {
    if (wanted[key] === undefined) document.deleteIn([...OUT, key]);
    else document.setIn([...OUT, key], wanted[key]);
  }
  return document.toString({ lineWidth: 0, indentSeq: false });
}

function isOfOneOut(document: Document, name: string): boolean {
  const outs = isMap(document.contents) && !document.has('deps') ? document.get('outs') : undefined;
  return isSeq(outs) && outs.items.length === 1 && isMap(outs.items[0]) && document.getIn([...OUT, 'path']) === name;
}

const fieldsOf = (document: Document): Readonly<Record<string, unknown>> =>
  Object.fromEntries(['md5', 'size', 'nfiles', 'isexec', 'hash'].map((key) => [key, document.getIn([...OUT, key])]));
