// Parses and validates a fleet config. Every error and warning is one sentence that begins with its line and column. docs/fleet.md
// describes the keys. The signature is verified before (signature.ts).
import { type YAMLMap, isAlias, isMap, isScalar, LineCounter, visit, type Document } from 'yaml';
import { isWriterId } from '../../dataset/records/identity.js';
import { checkPing } from './check-ping.js';
import { checkRules } from './check-rules.js';
import { checkSources } from './check-sources.js';
import { checkStore, STORE_KEYS } from './check-store.js';
import { type FleetConfig, MAX_CONFIG_BYTES } from './fleet-config.js';
import { IGNORED_KEYS, REFUSED_KEYS } from './other-keys.js';
import { Problems, quoted } from './problems.js';
import { Section } from './section.js';
import { decodeUtf8 } from '../../platform/text/strict-utf8.js';
import { readDocument } from '../../platform/text/yaml-document.js';

export interface CheckedConfig {
  /** Undefined when there are errors. */
  readonly config: FleetConfig | undefined;
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

const KEYS = [
  'version',
  'writer_id',
  'name',
  'description',
  'watch_paths',
  'scan_interval',
  'run_now',
  'ping_url',
  'track_deletes',
  'ignore_ctime',
  'allow_scope_expansion',
  'archival_rules',
  ...STORE_KEYS,
] as const;

const SECOND_MS = 1000;
const YEAR_MS = 366 * 86_400_000;

/** Parses and checks a config. Never throws. */
export function checkFleetConfig(bytes: Buffer): CheckedConfig {
  const { problems, root } = readYaml(bytes);
  const config = root === undefined ? undefined : checkRoot(root, problems);
  const { errors, warnings } = problems;
  return { config: errors.length === 0 ? config : undefined, errors, warnings };
}

function checkRoot(map: YAMLMap, problems: Problems): FleetConfig | undefined {
  const root = new Section(map, { name: '', problems });
  root.checkKeys({ known: KEYS, ignored: IGNORED_KEYS, refused: REFUSED_KEYS });
  for (const key of ['version', 'writer_id', 'watch_paths']) if (!root.has(key)) root.error(key, 'is missing');
  const version = root.count('version');
  const writerId = checkWriter(root);
  const name = root.text('name');
  root.text('description');
  const store = checkStore(root);
  const scanIntervalMs = root.duration('scan_interval');
  if (scanIntervalMs !== undefined && (scanIntervalMs < SECOND_MS || scanIntervalMs > YEAR_MS))
    root.error('scan_interval', 'must be from 1s to 366d');
  const runNowMs = root.time('run_now');
  const pingUrl = checkPing(root, writerId);
  const trackDeletes = root.flag('track_deletes') ?? false;
  const ignoreCtime = root.flag('ignore_ctime') ?? false;
  const allowScopeExpansion = root.flag('allow_scope_expansion') ?? false;
  checkRules(root);
  const sources = root.has('watch_paths') ? checkSources(root, { problems, storeUrl: store.storeUrl }) : [];
  if (version === undefined || writerId === undefined) return undefined;
  const switches = { trackDeletes, ignoreCtime, allowScopeExpansion };
  return { version, writerId, name, ...store, sources, scanIntervalMs, runNowMs, pingUrl, ...switches };
}

function checkWriter(root: Section): string | undefined {
  const writerId = root.text('writer_id');
  if (writerId === undefined) return undefined;
  if (writerId === 'auto') root.error('writer_id', 'must name the writer: auto is for --writer-id');
  else if (!isWriterId(writerId))
    root.error(
      'writer_id',
      `cannot be ${quoted(writerId)}: up to 64 of A-Z a-z 0-9 . _ - are allowed, beginning with a letter or digit`,
    );
  return writerId;
}

// Parses a config into a YAML tree with positions. Limited to 1 MiB, a depth that fits the stack, and no references or tags (anchors,
// aliases, tags), so that a config means exactly what it shows.

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

interface YamlConfig {
  readonly problems: Problems;
  /** Undefined when the file is no config; `problems` then says why. */
  readonly root: YAMLMap | undefined;
}

/** Parses the YAML of a config. Never throws. */
function readYaml(bytes: Buffer): YamlConfig {
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
  // Duplicate keys are detected in section.ts; the parser would compare every pair of keys.
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
