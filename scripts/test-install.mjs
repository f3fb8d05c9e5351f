// npm run test:install: packs the package, installs it from the registry into empty folders as a machine without a compiler
// does, by the line of the README, and runs the README's first archive and the quick start there with the Node at hand, and the examples of
// docs/api.md, which are compiled as well. The last line is `N passed, N failed`.
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apiExamples } from './api-examples.mjs';
import { compareTrees } from './compare-trees.mjs';
import { installAndBuild } from './install.mjs';
import { runFirstArchive, runInstallLine } from './readme.mjs';

// With meow, of which nobody installs 263 KB beside archiver any more, and all commands; 1.95 MiB with serve, copy, drill, analyze and the licences of what is bundled; 2.05
// as scripts, which name the file of what they import at each use (docs/decisions/101).
const MAX_PACKED_BYTES = 2.1 * 1024 * 1024;

installAndBuild();

const root = fileURLToPath(new URL('..', import.meta.url));
const work = mkdtempSync(join(tmpdir(), 'archiver-install-'));
const source = join(work, 'source');
cpSync(join(root, 'src'), join(source, 'src'), { recursive: true });
mkdirSync(join(source, 'empty'));
// Whole seconds: without koffi times are cut to the microsecond.
for (const path of ['', ...readdirSync(source, { recursive: true })]) utimesSync(join(source, path), 1e9, 1e9);

function run(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: work, encoding: 'utf8', maxBuffer: 1 << 28, ...options });
  if (result.error) throw result.error;
  if (result.status === 0) return result;
  throw new Error(`${command} ${args.join(' ')} ended with ${result.status}: ${result.stdout}${result.stderr}`);
}

/** Makes the tarball of dist/ as it is. @throws when it is larger than it should be or holds what it should not */
function pack(tarball) {
  const { stdout } = run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', work], { cwd: root });
  const [{ filename, size, unpackedSize, files }] = Object.values(JSON.parse(stdout));
  const odd = files.filter(({ path }) => !/^(dist|docs|man)\/|^README\.md$|^LICENSE$|^package\.json$/.test(path));
  if (odd.length > 0) throw new Error(`the package holds ${odd.map(({ path }) => path).join(', ')}`);
  const notices = 'dist/THIRD-PARTY-NOTICES.txt';
  if (!files.some(({ path }) => path === notices)) throw new Error(`the package has no ${notices}`);
  if (size > MAX_PACKED_BYTES) throw new Error(`the package has ${size} bytes, and ${MAX_PACKED_BYTES} are allowed`);
  renameSync(join(work, filename), tarball);
  return `${size} bytes, ${unpackedSize} unpacked, ${files.length} files`;
}

/** Publishes the tarball, all but the sending: npm looks at it as it does then. @throws when npm refuses it, or it says too little of itself */
function publishDry(tarball) {
  const env = { ...process.env, npm_config_fetch_retries: '0' };
  run('npm', ['publish', tarball, '--dry-run', '--ignore-scripts'], { env });
  const about = JSON.parse(run('tar', ['xzOf', tarball, 'package/package.json']).stdout);
  const wanted = ['name', 'version', 'description', 'license', 'engines', 'bin', 'exports', 'keywords', 'files'];
  const missing = wanted.filter((key) => about[key] === undefined);
  if (missing.length > 0) throw new Error(`package.json has no ${missing.join(', ')}`);
  if (about.publishConfig?.provenance !== true) throw new Error('package.json does not ask for provenance');
  return `${about.name} ${about.version}`;
}

/** Installs as where nothing can be compiled. @throws when what the bundle holds is installed beside it */
function install(tarball, prefix) {
  const settings = { prefix, ignore_scripts: true, prefer_offline: true, audit: false, fund: false };
  const config = Object.entries(settings).map(([key, value]) => [`npm_config_${key}`, String(value)]);
  const env = { ...process.env, ...Object.fromEntries(config) };
  runInstallLine(tarball, { name: 'zstd-archiver', home: work, env });
  const modules = readdirSync(join(prefix, 'lib/node_modules/zstd-archiver/node_modules'));
  const twice = modules.filter((name) => ['@aws-sdk', '@smithy', 'ink', 'react'].includes(name));
  if (twice.length > 0) throw new Error(`${twice.join(', ')} are in the bundle and installed beside it`);
  return `${modules.length} folders of packages`;
}

/** Archives a folder and gets it back; what is said on stderr is compared with `expected`. */
function quickStart(prefix, name, expected) {
  const env = { ...process.env, ARCHIVER_HOME: join(work, name, 'home') };
  const archiver = (...args) => run(join(prefix, 'bin/archiver'), args, { env });

  const uploaded = archiver('upload', source, `file://${join(work, name, 'store')}`, '--json');
  const { location } = JSON.parse(uploaded.stdout);
  for (const [text, isExpected] of expected) {
    if (uploaded.stderr.includes(text) !== isExpected)
      throw new Error(`stderr should ${isExpected ? '' : 'not '}say "${text}": ${uploaded.stderr}`);
  }
  archiver('list', location);
  archiver('verify', location, '--deep');
  archiver('restore', location, join(work, name, 'restored'), '--all');
  const { paths, differences } = compareTrees(source, join(work, name, 'restored'));
  if (differences.length > 0) throw new Error(`the restored folder differs: ${differences.slice(0, 5).join('; ')}`);
  return `${paths} paths compared`;
}

/** A program beside the package as npm puts it there. */
function project(prefix, ending) {
  const folder = join(work, `project-${ending}`);
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  symlinkSync(join(prefix, 'lib/node_modules/zstd-archiver'), join(folder, 'node_modules/zstd-archiver'));
  return { folder, examples: apiExamples(folder, ending) };
}

/** Runs the examples of the API. */
function runExamples(prefix) {
  const { examples } = project(prefix, 'mjs');
  for (const path of examples) run(process.execPath, [path]);
  return `${examples.length} programs`;
}

/** Compiles them by the types in the package, which are checked as well: as strictly as can be, and for a program that knows little. */
function compileExamples(prefix) {
  const { folder, examples } = project(prefix, 'mts');
  const common = { noEmit: true, skipLibCheck: false, types: ['node'], typeRoots: [join(root, 'node_modules/@types')] };
  const strict = { strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
  for (const more of [
    { ...strict, module: 'nodenext' },
    { module: 'esnext', moduleResolution: 'bundler' },
  ]) {
    const compilerOptions = { target: 'es2022', lib: ['es2023'], ...common, ...more };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: examples }));
    run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder]);
  }
  return `${examples.length} programs`;
}

const hasOwnZstd = process.versions.zstd !== undefined;
const slowness = [
  ['zstd of Node is used', hasOwnZstd],
  ['zstd runs as WebAssembly', !hasOwnZstd],
];
let passed = 0;
let failed = 0;
function step(name, work) {
  if (failed > 0) return;
  const startedAt = performance.now();
  try {
    const found = work();
    console.log(`ok ${name}: ${found}, ${Math.round(performance.now() - startedAt)} ms`);
    passed += 1;
  } catch (error) {
    console.log(`not ok ${name}: ${error.message}`);
    failed += 1;
  }
}

console.log(`Node ${process.version}`);
try {
  const prefix = join(work, 'prefix');
  const tarball = join(work, 'package.tgz');
  step('pack', () => pack(tarball));
  step('publish, dry', () => publishDry(tarball));
  step('install with scripts blocked', () => install(tarball, prefix));
  step('the first archive of the README', () => runFirstArchive(join(work, 'home'), join(prefix, 'bin')));
  step('quick start without the addon', () =>
    quickStart(prefix, 'no-addon', [...slowness, ['koffi is not available', false]]),
  );
  step('examples of the API', () => runExamples(prefix));
  step('types of the API', () => compileExamples(prefix));
  step('quick start without optional packages', () => {
    // npm leaves them out like this where they cannot be installed.
    const modules = join(prefix, 'lib/node_modules/zstd-archiver/node_modules');
    for (const name of ['koffi', '@koromix', 'zstd-napi'])
      rmSync(join(modules, name), { recursive: true, force: true });
    return quickStart(prefix, 'no-optional', [...slowness, ['koffi is not available', process.platform === 'linux']]);
  });
} finally {
  rmSync(work, { recursive: true, force: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
