// The bytes of a config to a tree with places. Bounded: 1 MiB, a depth that fits the stack, nothing that stands for
// something else (anchors, aliases, tags), so that what is read is what is written.
import { isAlias, isMap, isScalar, LineCounter, visit, type Document, type YAMLMap } from 'yaml';
import { decodeUtf8 } from '../../platform/text/strict-utf8.js';
import { readDocument } from '../../platform/text/yaml-document.js';
import { MAX_CONFIG_BYTES } from './fleet-config.js';
import { Problems } from './problems.js';

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

export interface YamlConfig {
  readonly problems: Problems;
  /** Undefined when the file is none, which is in `problems` then. */
  readonly root: YAMLMap | undefined;
}

/** Reads the YAML of a config. Never throws. */
export function readYaml(bytes: Buffer): YamlConfig {
  const lines = new LineCounter();
  const problems = new Problems(lines);
  return { problems, root: rootOf(bytes, lines, problems) };
}

function rootOf(bytes: Buffer, lines: LineCounter, problems: Problems): YAMLMap | undefined {
  if (bytes.byteLength > MAX_CONFIG_BYTES) return problems.ofFile('the config is larger than 1 MiB');
  if (bytes.subarray(0, 3).equals(BYTE_ORDER_MARK))
    return problems.ofFile('the config begins with a byte order mark: save it as UTF-8 without one');
  const decoded = decodeUtf8(bytes);
  if (!decoded.ok) return problems.ofFile(`line ${decoded.line}: the config ${decoded.reason}`);
  // Keys are compared in section.ts: here every pair of keys would be.
  const { document, damage } = readDocument(decoded.text, { lineCounter: lines, uniqueKeys: false });
  if (damage !== undefined) return problems.error(damage.offset, `the config ${damage.reason}`);
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null))
    return problems.ofFile('the config is empty');
  refuseStandIns(document, problems);
  if (isMap(contents)) return contents;
  return problems.error(contents, 'the config must hold keys, such as version: 1');
}

function refuseStandIns(document: Document, problems: Problems): void {
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node))
        problems.error(
          node,
          'an alias (*) is not read in a config: write out what it stands for, or quote a text that begins with *',
        );
      else if (node.anchor !== undefined)
        problems.error(node, 'an anchor (&) is not read in a config: quote a text that begins with &');
      else if (node.tag !== undefined)
        problems.error(node, 'a tag (!) is not read in a config: quote a text that begins with !');
    },
  });
}
