// The sources of an upload: one folder, one file, or several of both, which stand side by side under their names.
import type { Origins, Places } from '../../cli/context.js';
import { kebab } from '../../cli/flag.js';
import { joinWords } from '../../cli/rule.js';
import { excludedTrees, type FoundSource, resolveAny } from '../../core/archive/scan/source-folder.js';
import { seenPathOf, unitedRoot } from '../../core/archive/scan/united-source.js';
import { usageError } from '../../core/platform/failures/errors.js';
import { displayPath, type RawPath, rawFromText, baseName, joinParts } from '../../core/platform/paths/raw-path.js';
import { provenanceFlags } from '../kit/flags.js';
import type { ObjectAccess } from './object-access.js';

export interface Sources {
  readonly named: readonly { readonly given: string; readonly real: RawPath }[];
  /** The root for the engine. */
  readonly root: RawPath;
  /** The only source if it is a folder. */
  readonly folder: RawPath | undefined;
  /** What stands for the sources in the manifest, and what the dataset's id is made of; undefined for one folder. */
  readonly origin: { readonly path: RawPath; readonly identity: RawPath } | undefined;
  readonly skipTrees: readonly RawPath[];
  /** The objects that are the source, instead of folders and files, and how they are reached. */
  readonly objects?: { readonly url: string; readonly access: ObjectAccess };
}

/** Resolves the sources. @throws not-found, access-denied, unsupported for what is no folder or file; usage for two of the same name */
export function findSources(given: readonly string[], { cwd, home }: Places, stores: readonly string[]): Sources {
  const found = given.map((path) => ({ given: path, ...resolveAny(path, cwd) }));
  refuseSameNames(found);
  const real = found.map((source) => source.real);
  const [first] = found;
  const folder = found.length === 1 && first?.isFile === false ? first.real : undefined;
  const root = unitedRoot(real, folder !== undefined);
  const skipTrees = found.flatMap(({ real: source, isFile }) =>
    isFile ? [] : treesIn(source, stores, home).map((path) => seenPathOf(root, source, path)),
  );
  const origin = folder === undefined ? { path: commonFolder(real), identity: identityOf(real) } : undefined;
  return { named: found, root, folder, origin, skipTrees };
}

const treesIn = (source: RawPath, stores: readonly string[], home: string): readonly RawPath[] => [
  ...new Set(stores.flatMap((store) => excludedTrees(source, store, home))),
];

function refuseSameNames(sources: readonly FoundSource[]): void {
  const names = new Map<RawPath, RawPath>();
  for (const { real } of sources) {
    const name = baseName(real);
    const other = names.get(name);
    if (sources.length > 1 && (name === '' || other !== undefined)) {
      throw usageError(
        `${displayPath(other ?? real)} and ${displayPath(real)} would both be archived as ${displayPath(name)}/`,
        'upload them one by one, or the folder that holds them',
      );
    }
    names.set(name, real);
  }
}

const ROOT = rawFromText('/');

/** The folder that holds all of them; a single source is that itself. */
function commonFolder(sources: readonly RawPath[]): RawPath {
  const [first = ROOT, ...others] = sources;
  if (others.length === 0) return first;
  const parts = first.split('/');
  let same = 0;
  while (same < parts.length && others.every((other) => other.split('/')[same] === parts[same])) same++;
  const common = joinParts(parts.slice(0, same));
  return common === '' ? ROOT : common;
}

const identityOf = (sources: readonly RawPath[]): RawPath => joinParts(sources.toSorted(), '\0');

/** Refuses typed flags about git and DVC: they are about one folder. @throws usage */
export function refuseProvenance(
  { folder, named, objects }: Sources,
  values: Readonly<Record<string, unknown>>,
  { origins }: Origins,
): void {
  if (folder !== undefined) return;
  const typed = Object.keys(provenanceFlags).filter(
    (key) => origins[key] === 'flag' && values[key] !== false && values[key] !== undefined,
  );
  if (typed.length === 0) return;
  const names = joinWords(
    typed.map((key) => `--${kebab(key)}`),
    'and',
  );
  const what = objects !== undefined ? 'a bucket' : named.length === 1 ? 'a file' : `${named.length} sources`;
  throw usageError(
    `${names} ${typed.length === 1 ? 'is' : 'are'} about one folder, and not about ${what}`,
    'upload the folder by itself',
  );
}
