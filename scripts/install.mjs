// Installs what package-lock.json says, unless it is there already. `npm ci` also builds (the `prepare` script).
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const root = new URL('..', import.meta.url);

/** Runs a program to its end and stops this one with its status when it fails. */
export function run(command, args, env = {}) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}

/** True when node_modules holds exactly the versions of the lock file. */
function isInstalled() {
  const installed = new URL('node_modules/.package-lock.json', root);
  if (!existsSync(installed)) return false;
  const versions = (url) => {
    const { packages } = JSON.parse(readFileSync(url, 'utf8'));
    return Object.entries(packages).filter(([path, entry]) => path !== '' && !entry.optional);
  };
  const have = new Map(versions(installed).map(([path, { version }]) => [path, version]));
  return versions(new URL('package-lock.json', root)).every(([path, { version }]) => have.get(path) === version);
}

/** Installs if needed, which builds too. @returns whether it was */
export function install() {
  const needed = !isInstalled();
  if (needed) run('npm', ['ci', '--no-audit', '--no-fund']);
  return needed;
}

/** Installs if needed, and builds. */
export function installAndBuild() {
  if (!install()) run(process.execPath, ['scripts/build.mjs']);
}
