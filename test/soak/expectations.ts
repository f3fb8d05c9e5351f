// What each version must give back. A version is recognized by the generation marks in its own tree: they say which
// state of which source folder the run that wrote it has read, and the soak remembers all of these states.
import { differences, overlay, type Tree } from './snapshot.js';
import { markerOf } from './source-tree.js';

/** How a run relates to what was there: exactly the source; the source over the version before; over that very tree. */
export type Mode =
  | { readonly kind: 'exact' }
  | { readonly kind: 'overlay' }
  | { readonly kind: 'overlay-of'; readonly tree: Tree };

export interface VersionKey {
  /** Below the store's URL: nothing, or `/writers/<id>`. */
  readonly base: string;
  readonly datasetId: string;
  readonly version: number;
}

export const datasetName = ({ base, datasetId }: Omit<VersionKey, 'version'>): string => `${base}|${datasetId}`;
export const versionName = (key: VersionKey): string => `${datasetName(key)} v${key.version}`;

interface Known {
  readonly uploadId: string;
  /** A prune was allowed to retire it. */
  mayGo: boolean;
  isListed: boolean;
  tree?: Tree;
}

/** States of sources that versions of the last step may come from. */
const RECENT = 6;

interface State {
  readonly tree: Tree;
  readonly modes: Mode[];
}

/** A marker file holds its generation, and nothing else is as small and regular: its content is looked up by facts. */
export class Expectations {
  private readonly sources = new Map<string, State>();
  private readonly versions = new Map<string, Map<number, Known>>();
  private readonly interrupted = new Map<string, Mode[]>();

  /** A run that reads this state of the machine's source begins. */
  begins(machine: string, generation: number, tree: Tree, modes: readonly Mode[]): void {
    const name = `${machine} ${generation}`;
    const known = this.sources.get(name) ?? { tree, modes: [] };
    for (const mode of modes)
      if (mode.kind === 'overlay-of' || !known.modes.some(({ kind }) => kind === mode.kind)) known.modes.push(mode);
    this.sources.set(name, known);
  }

  /** A run that did not succeed: whatever resumes it may do what it was to do. */
  stopped(machine: string, modes: readonly Mode[]): void {
    this.interrupted.set(machine, [...(this.interrupted.get(machine) ?? []), ...modes].slice(-20));
  }

  /** What a resumed run of the machine may be. */
  modesToResume(machine: string): readonly Mode[] {
    return [{ kind: 'exact' }, ...(this.interrupted.get(machine) ?? [])];
  }

  dataset(name: string): Map<number, Known> {
    const known = this.versions.get(name) ?? new Map<number, Known>();
    this.versions.set(name, known);
    return known;
  }

  /** Nothing is expected of the dataset any more. */
  forget(name: string): void {
    this.versions.delete(name);
  }

  treeOf(key: VersionKey): Tree | undefined {
    return this.dataset(datasetName(key)).get(key.version)?.tree;
  }

  /** Why this tree cannot be that version; nothing when it is right, and then it is remembered. */
  judge(key: VersionKey, machine: string | undefined, tree: Tree): string[] {
    const versions = this.dataset(datasetName(key));
    const known = versions.get(key.version);
    if (known?.tree !== undefined) return differences(known.tree, tree);
    const before = this.candidatesBefore(versions, key.version);
    const tried = this.statesIn(tree, machine).flatMap(({ name, state }) =>
      state.modes
        .flatMap((mode) => expectedTrees(mode, state.tree, before))
        .map((expected) => ({ name, found: differences(expected, tree, state.tree) })),
    );
    const [best] = tried.sort((a, b) => a.found.length - b.found.length);
    if (best === undefined) return ['its generation mark belongs to no run'];
    if (best.found.length > 0) return [`as generation ${best.name}:`, ...best.found];
    if (known) known.tree = tree;
    return [];
  }

  /** States of sources, of one machine or any, whose generation mark the tree has. */
  private statesIn(tree: Tree, machine: string | undefined): { readonly name: string; readonly state: State }[] {
    return [...this.sources].flatMap(([name, state]) => {
      const [writer = ''] = name.split(' ');
      if (machine !== undefined && machine !== writer) return [];
      const isIts = state.tree.get(markerOf(writer))?.facts === tree.get(markerOf(writer))?.facts;
      return isIts ? [{ name, state }] : [];
    });
  }

  /** Whether a tree holds all of a source's state, as after a sync that found nothing to do. */
  lacks(tree: Tree, source: Tree): string[] {
    const common = new Map([...tree].filter(([path]) => source.has(path)));
    return differences(source, common, source);
  }

  /** What the version before held; where it came and went unseen, all that it may have held. */
  private candidatesBefore(versions: ReadonlyMap<number, Known>, version: number, depth = 2): Tree[] {
    const before = versions.get(version - 1);
    if (before?.tree !== undefined) return [before.tree];
    if (version <= 1 || depth === 0) return [];
    const older = this.candidatesBefore(versions, version - 1, depth - 1);
    return [...this.sources.values()]
      .slice(-RECENT)
      .flatMap(({ tree, modes }) => modes.flatMap((mode) => expectedTrees(mode, tree, older)));
  }
}

function expectedTrees(mode: Mode, source: Tree, before: readonly Tree[]): Tree[] {
  if (mode.kind === 'exact') return [source];
  if (mode.kind === 'overlay-of') return [overlay(mode.tree, source)];
  return before.length === 0 ? [source] : before.map((tree) => overlay(tree, source));
}
