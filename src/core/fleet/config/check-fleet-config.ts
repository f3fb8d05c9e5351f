// The bytes of a fleet config to what it asks for, with every error and warning as one sentence that begins with its line
// and column. docs/fleet.md describes the keys. A signature is verified before (signature.ts).
import type { YAMLMap } from 'yaml';
import { isWriterId } from '../../dataset/records/identity.js';
import { checkRules } from './check-rules.js';
import { checkSources } from './check-sources.js';
import { checkStore, STORE_KEYS } from './check-store.js';
import type { FleetConfig } from './fleet-config.js';
import { IGNORED_KEYS, REFUSED_KEYS } from './other-keys.js';
import { type Problems, quoted } from './problems.js';
import { readYaml } from './read-yaml.js';
import { Section } from './section.js';

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
  'track_deletes',
  'ignore_ctime',
  'allow_scope_expansion',
  'archival_rules',
  ...STORE_KEYS,
] as const;

const SECOND_MS = 1000;
const YEAR_MS = 366 * 86_400_000;

/** Reads a config. Never throws. */
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
  const trackDeletes = root.flag('track_deletes') ?? false;
  const ignoreCtime = root.flag('ignore_ctime') ?? false;
  const allowScopeExpansion = root.flag('allow_scope_expansion') ?? false;
  checkRules(root);
  const sources = root.has('watch_paths') ? checkSources(root, { problems, storeUrl: store.storeUrl }) : [];
  if (version === undefined || writerId === undefined) return undefined;
  const switches = { trackDeletes, ignoreCtime, allowScopeExpansion };
  return { version, writerId, name, ...store, sources, scanIntervalMs, ...switches };
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
