// What suites need beside servers: installed, or unpacked, where it is not on the PATH.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const INSTALL_MS = 600_000;

const areThere = (...programs: readonly string[]): Promise<boolean> =>
  run('sh', ['-c', programs.map((name) => `command -v ${name}`).join(' && ')]).then(
    () => true,
    () => false,
  );

const leftOut = (what: string, error: unknown): void =>
  void process.stderr.write(`left out: what needs ${what} (${(error as Error).message.split('\n')[0]})\n`);

/** Programs that single suites need, or files, by the packages of Debian that have them. */
const OPTIONAL = {
  'golang-go': 'go',
  buildah: 'buildah',
  mandoc: 'mandoc',
  groff: 'groff',
  zsh: 'zsh',
  fish: 'fish',
  'libarchive-tools': 'bsdtar',
  busybox: 'busybox',
  pax: 'pax',
  borgbackup: 'borg',
  restic: 'restic',
  rclone: 'rclone',
  fuse3: 'fusermount3',
  davfs2: 'mount.davfs',
  'git-annex': 'git-annex',
  jq: 'jq',
  munge: 'munged',
  slurmctld: 'slurmctld',
  slurmd: 'slurmd',
  'slurm-client': 'sbatch',
  'p7zip-full': '7z',
  'python3-zstandard': '/usr/lib/python3/dist-packages/zstandard',
};

/**
 * Debian's spin and a C compiler, which `npm run model` needs, and the programs above are installed when they are not there. Where one of
 * the latter cannot be had, the suite that needs it is skipped.
 */
export async function installTools(): Promise<void> {
  const options = { timeout: INSTALL_MS, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  const install = (...packages: readonly string[]): Promise<unknown> =>
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options);
  const hasModel = await areThere('spin', 'cc');
  const lacking: string[] = [];
  for (const [name, wanted] of Object.entries(OPTIONAL))
    if (!existsSync(wanted) && !(await areThere(wanted))) lacking.push(name);
  if (hasModel && lacking.length === 0) return;
  await run('apt-get', ['update', '-qq'], options).catch((error: unknown) => {
    if (!hasModel) throw error;
    leftOut('what Debian has of today', error);
  });
  if (!hasModel) await install('spin', 'gcc', 'libc6-dev');
  for (const name of lacking) await install(name).catch((error: unknown) => leftOut(name, error));
}

export interface FoundPrometheus {
  readonly env: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

/**
 * Debian's prometheus and promtool, which are unpacked and not installed: no service starts. Where there is no such package, or
 * nothing to fetch it with, the suites that need it are skipped.
 */
export async function findPrometheus(): Promise<FoundPrometheus> {
  const NAME = 'ARCHIVER_TEST_PROMETHEUS';
  const nothing = { env: {}, stop: () => Promise.resolve() };
  if (process.env[NAME] !== undefined) return nothing;
  const found = await run('sh', ['-c', 'command -v promtool && command -v prometheus']).catch(() => undefined);
  if (found !== undefined) return { ...nothing, env: { [NAME]: dirname(found.stdout.split('\n')[0] ?? '') } };
  const folder = await mkdtemp(join(tmpdir(), 'archiver-prometheus-'));
  const stop = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    const options = { cwd: folder, timeout: INSTALL_MS };
    // An index that is there already may do.
    const fetched = (): Promise<unknown> => run('apt-get', ['download', '-qq', 'prometheus'], options);
    await fetched().catch(() => run('apt-get', ['update', '-qq'], options).then(fetched));
    const [archive = ''] = await readdir(folder);
    await run('dpkg-deb', ['-x', archive, 'root'], options);
    return { env: { [NAME]: join(folder, 'root', 'usr', 'bin') }, stop };
  } catch (error) {
    leftOut('Prometheus', error);
    await stop();
    return nothing;
  }
}
