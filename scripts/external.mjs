// What the bundle leaves in node_modules: what package.json says must be installed beside it, and nothing else.
import { readFileSync } from 'node:fs';

const { dependencies, optionalDependencies } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);

/** For esbuild. */
export const external = Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((name) => [
  name,
  `${name}/*`,
]);
