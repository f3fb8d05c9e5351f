// Which tests need dist/: the built program, or a worker thread, which runs from there also where the rest runs from src.
// Nobody lists them: what a file imports, or starts as a process of its own, leads to a file that names dist, or it does not.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Source {
  readonly namesDist: boolean;
  /** Files of the tree that it names. */
  readonly next: readonly string[];
}

const TYPES = /^(?:import|export) type [^;]*;/gm;
const DIST = /[/'"`]dist[/'"`]/;
const RELATIVE = /'(\.{1,2}\/[^'\n]+)'/g;

/** Asks for many files read each module once. */
export function createNeedsDist(): (file: string) => boolean {
  const known = new Map<string, Source>();
  const sourceOf = (file: string): Source => {
    const source = known.get(file) ?? readSource(file);
    known.set(file, source);
    return source;
  };
  return (file) => {
    const reached = new Set([file]);
    for (const one of reached) {
      const { namesDist, next } = sourceOf(one);
      if (namesDist) return true;
      for (const other of next) reached.add(other);
    }
    return false;
  };
}

function readSource(file: string): Source {
  const text = readFileSync(file, 'utf8').replace(TYPES, '');
  const named = [...text.matchAll(RELATIVE)].map(([, path = '']) => join(dirname(file), path));
  return { namesDist: DIST.test(text), next: named.flatMap(asSource) };
}

function asSource(path: string): string[] {
  const candidates = [path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx'), path];
  return candidates.filter((one) => /\.(?:tsx?|mjs)$/.test(one) && existsSync(one)).slice(0, 1);
}

/** The tests that need no dist/, and so no build before them. */
export function unitTests(): string[] {
  const needsDist = createNeedsDist();
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?<!\.servers)\.test\.tsx?$/.test(path))
    .map((path) => join('test', path))
    .filter((path) => !needsDist(path));
}
