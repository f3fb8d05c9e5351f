// A `.dvc` file that is there already keeps what people wrote into it: descriptions, labels, remotes, comments.
import { isMap, isSeq, parseDocument, type Document } from 'yaml';
import { readDocument } from '../../platform/text/yaml-document.js';
import { sidecarText, type TrackedOut } from './sidecar-text.js';

const OUT = ['outs', 0] as const;

/** The text for a `.dvc` file in place of `before`; it is `before` itself where that says the same. */
export function updatedSidecar(before: string, name: string, out: TrackedOut): string {
  const fresh = sidecarText(name, out);
  if (before === fresh) return before;
  const { document } = readDocument(before);
  if (document === undefined || !isOfOneOut(document, name)) return fresh;
  const says = fieldsOf(document);
  const wanted = fieldsOf(parseDocument(fresh));
  const changed = Object.keys(wanted).filter((key) => wanted[key] !== says[key]);
  if (changed.length === 0) return before;
  for (const key of changed) {
    if (wanted[key] === undefined) document.deleteIn([...OUT, key]);
    else document.setIn([...OUT, key], wanted[key]);
  }
  return document.toString({ lineWidth: 0, indentSeq: false });
}

function isOfOneOut(document: Document, name: string): boolean {
  const outs = isMap(document.contents) ? document.get('outs') : undefined;
  return isSeq(outs) && outs.items.length === 1 && isMap(outs.items[0]) && document.getIn([...OUT, 'path']) === name;
}

const fieldsOf = (document: Document): Readonly<Record<string, unknown>> =>
  Object.fromEntries(['md5', 'size', 'nfiles', 'isexec', 'hash'].map((key) => [key, document.getIn([...OUT, key])]));
