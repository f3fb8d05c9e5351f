// Starts the real servers that `*.servers.test.ts` run against: Ceph's S3 gateway and moto. Needs nothing but Node,
// bash and what the servers are installed with: Debian's packages for Ceph (root), Python for moto.
//   node test/servers/start-servers.mjs     starts both, prints their exports, stops them at Ctrl+C
// ARCHIVER_TEST_RGW or ARCHIVER_TEST_MOTO that is set already names a server that runs, which is then left alone.
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const here = fileURLToPath(new URL('.', import.meta.url));
const READY_MS = 60_000;
const POLL_MS = 200;
const INSTALL_MS = 600_000;

/**
 * `count` ports in a row that nobody listens on: Ceph's script takes the one after its own for the monitor.
 * @param {number} count
 * @returns {Promise<number>} the first one
 */
async function freePorts(count) {
  for (;;) {
    const first = await listenBriefly(0);
    if (first === undefined) continue;
    const rest = await Promise.all(Array.from({ length: count - 1 }, (_, index) => listenBriefly(first + index + 1)));
    if (!rest.includes(undefined)) return first;
  }
}

/** @param {number} port @returns {Promise<number | undefined>} the port, undefined when it is taken */
function listenBriefly(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}

/** @param {string} url @param {() => string | undefined} whyNot what ended the server, if it ended */
async function waitUntilReady(url, whyNot) {
  const until = Date.now() + READY_MS;
  while (Date.now() < until) {
    const ended = whyNot();
    if (ended !== undefined) throw new Error(`the server for ${url} ended: ${ended}`);
    const answer = await fetch(url, { signal: AbortSignal.timeout(2000) }).catch(() => undefined);
    if (answer) return;
    await sleep(POLL_MS);
  }
  throw new Error(`nothing answers at ${url} after ${READY_MS / 1000} s`);
}

async function startGateway() {
  const port = await freePorts(2);
  const folder = await mkdtemp(join(tmpdir(), 'archiver-rgw-'));
  const stop = async () => {
    await run('bash', [join(here, 'rgw-down.sh'), folder]).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  };
  // The daemons keep what they are given open: pipes would never end, so the output goes to files beside the folder.
  const log = `${folder}.log`;
  const output = await open(log, 'w');
  try {
    const child = spawn('bash', [join(here, 'rgw-up.sh'), folder, String(port)], {
      stdio: ['ignore', output.fd, output.fd],
    });
    const timer = setTimeout(() => child.kill(), INSTALL_MS);
    const status = await new Promise((resolve, reject) => {
      child.once('exit', resolve);
      child.once('error', reject);
    });
    clearTimeout(timer);
    if (status !== 0) throw new Error(`the Ceph gateway did not start:\n${(await readFile(log, 'utf8')).slice(-4000)}`);
    await waitUntilReady(`http://127.0.0.1:${port}`, () => undefined);
  } catch (error) {
    await stop();
    throw error;
  } finally {
    await output.close();
    await rm(log, { force: true });
  }
  return {
    env: { ARCHIVER_TEST_RGW: `http://127.0.0.1:${port}`, ARCHIVER_TEST_RGW_CONF: join(folder, 'ceph.conf') },
    stop,
  };
}

/**
 * Debian's spin and a C compiler, which `npm run model` needs, Go for its pprof and buildah are installed when they are not on the PATH.
 * Where Go or buildah cannot be had, the suite that needs it is skipped.
 */
async function installTools() {
  const isThere = (...commands) =>
    Promise.all(commands.map(([name, flag]) => run(name, [flag]))).then(
      () => true,
      () => false,
    );
  const options = { timeout: INSTALL_MS, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  const install = (...packages) =>
    run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...packages], options);
  const [hasModel, hasGo, hasBuildah] = await Promise.all([
    isThere(['spin', '-V'], ['cc', '--version']),
    isThere(['go', 'version']),
    isThere(['buildah', '--version']),
  ]);
  if (hasModel && hasGo && hasBuildah) return;
  await run('apt-get', ['update', '-qq'], options);
  if (!hasModel) await install('spin', 'gcc', 'libc6-dev');
  for (const name of [...(hasGo ? [] : ['golang-go']), ...(hasBuildah ? [] : ['buildah'])])
    await install(name).catch((error) =>
      process.stderr.write(`left out: what needs ${name} (${error.message.split('\n')[0]})\n`),
    );
}

/**
 * Debian's prometheus and promtool, which are unpacked and not installed: no service starts. Where there is no such package, or
 * nothing to fetch it with, the suites that need it are skipped.
 */
async function findPrometheus() {
  const NAME = 'ARCHIVER_TEST_PROMETHEUS';
  const nothing = { env: {}, stop: async () => undefined };
  if (process.env[NAME] !== undefined) return nothing;
  const found = await run('sh', ['-c', 'command -v promtool && command -v prometheus']).catch(() => undefined);
  if (found !== undefined) return { ...nothing, env: { [NAME]: dirname(found.stdout.split('\n')[0]) } };
  const folder = await mkdtemp(join(tmpdir(), 'archiver-prometheus-'));
  const stop = () => rm(folder, { recursive: true, force: true });
  try {
    const options = { cwd: folder, timeout: INSTALL_MS };
    // An index that is there already may do.
    const fetched = () => run('apt-get', ['download', '-qq', 'prometheus'], options);
    await fetched().catch(() => run('apt-get', ['update', '-qq'], options).then(fetched));
    const [archive = ''] = await readdir(folder);
    await run('dpkg-deb', ['-x', archive, 'root'], options);
    return { env: { [NAME]: join(folder, 'root', 'usr', 'bin') }, stop };
  } catch (error) {
    process.stderr.write(`left out: what needs Prometheus (${error.message.split('\n')[0]})\n`);
    await stop();
    return nothing;
  }
}

/** The moto_server command, installed into a virtual environment when it is not on the PATH. */
async function findMoto() {
  const isThere = await run('moto_server', ['--help']).then(
    () => true,
    () => false,
  );
  if (isThere) return { command: 'moto_server', remove: async () => undefined };
  const folder = await mkdtemp(join(tmpdir(), 'archiver-moto-'));
  await run('python3', ['-m', 'venv', folder]);
  await run(join(folder, 'bin', 'pip'), ['install', '--quiet', 'moto[server]'], { timeout: INSTALL_MS });
  return { command: join(folder, 'bin', 'moto_server'), remove: () => rm(folder, { recursive: true, force: true }) };
}

async function startMoto() {
  const { command, remove } = await findMoto();
  const port = await freePorts(1);
  const child = spawn(command, ['-H', '127.0.0.1', '-p', String(port)], { stdio: 'ignore', detached: true });
  let ended;
  child.once('exit', (status, signal) => {
    ended = `status ${status ?? signal}`;
  });
  child.once('error', (error) => {
    ended = error.message;
  });
  const stop = async () => {
    // The command may be a wrapper: its own process group is ended as a whole.
    if (ended === undefined && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
    await remove();
  };
  try {
    await waitUntilReady(`http://127.0.0.1:${port}`, () => ended);
  } catch (error) {
    await stop();
    throw error;
  }
  return { env: { ARCHIVER_TEST_MOTO: `http://127.0.0.1:${port}`, ARCHIVER_TEST_MOTO_COMMAND: command }, stop };
}

/**
 * Starts what is not running yet. Fails, with everything stopped again, when a server cannot start.
 * @returns {Promise<{env: Record<string, string>, stop: () => Promise<void>}>}
 */
export async function startServers() {
  // Before the gateway, which may install packages too: apt lets only one at a time.
  await installTools();
  const prometheus = await findPrometheus();
  const wanted = [
    ...(process.env.ARCHIVER_TEST_RGW ? [] : [startGateway]),
    ...(process.env.ARCHIVER_TEST_MOTO ? [] : [startMoto]),
  ];
  const outcomes = await Promise.allSettled(wanted.map((start) => start()));
  const begun = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const started = [...begun, prometheus];
  const stop = async () => {
    await Promise.all(started.map((server) => server.stop()));
  };
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const running = Object.fromEntries(
    ['ARCHIVER_TEST_RGW', 'ARCHIVER_TEST_MOTO'].flatMap((name) =>
      process.env[name] ? [[name, process.env[name]]] : [],
    ),
  );
  const keys = { AWS_ACCESS_KEY_ID: 'archiver', AWS_SECRET_ACCESS_KEY: 'archiver-secret', AWS_REGION: 'us-east-1' };
  return { env: Object.assign({ ...running, ...keys }, ...started.map(({ env }) => env)), stop };
}

async function main() {
  const { env, stop } = await startServers();
  for (const [name, value] of Object.entries(env)) process.stdout.write(`export ${name}=${value}\n`);
  const keepAlive = setInterval(() => undefined, 60_000);
  const end = () => {
    clearInterval(keepAlive);
    void stop();
  };
  process.once('SIGINT', end);
  process.once('SIGTERM', end);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
