// Runs the built program, and reads what an upload left in a folder.
import { execFile, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { checkJson } from '../support/check-json.js';

export const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly uid?: number;
  readonly timeoutMs?: number;
}

/** What the program sees of the environment. */
export function environment(home: string, env: RunOptions['env']): Record<string, string> {
  // Requests are counted: tests of what a store keeps set it to auto.
  const own = { ARCHIVER_HOME: join(home, '.archiver'), ARCHIVER_CREATE_ONCE: 'yes' };
  return { PATH: process.env['PATH'] ?? '', TZ: 'UTC', HOME: home, ...own, ...env };
}

/** Runs the program to its end; `home` is its HOME. */
export async function archiver(home: string, args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const ran = await new Promise<Ran>((resolve, reject) => {
    const { uid, timeoutMs = 150_000 } = options;
    const child = execFile(
      process.execPath,
      [CLI, ...args],
      {
        env: environment(home, options.env),
        cwd: options.cwd ?? home,
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
        maxBuffer: 2 ** 28,
        ...(uid === undefined ? {} : { uid, gid: uid }),
      },
      (error, stdout, stderr) => {
        if (error?.killed === true) reject(new Error(`not done after ${timeoutMs} ms: ${stderr}`));
        else resolve({ status: child.exitCode, stdout, stderr });
      },
    );
  });
  checkJson(args, ran);
  return ran;
}

export interface UploadDocument {
  readonly uploadId: string;
  readonly location: string;
  readonly manifestKey: string;
  readonly datasetId: string;
  readonly version: number | null;
  readonly files: number;
  readonly bytes: number;
  readonly storedBytes: number;
  readonly chunks: number;
  readonly skipped: readonly { readonly path: string; readonly reason: string }[];
  readonly durationMs: number;
  readonly requests: Readonly<Record<string, number>>;
}

export interface UploadRan extends Ran {
  readonly document: UploadDocument;
}

/** Uploads with `--json` and gives the document beside the exit status. */
export const uploadJson = (home: string, args: readonly string[], options: RunOptions = {}): Promise<UploadRan> =>
  uploadWith(archiver, home, args, options);

/** The same with another way to run the program. */
export async function uploadWith(
  run: typeof archiver,
  home: string,
  args: readonly string[],
  options: RunOptions,
): Promise<UploadRan> {
  const ran = await run(home, ['upload', ...args, '--json', '--quiet'], options);
  if (ran.stdout === '') throw new Error(`no document, status ${ran.status}: ${ran.stderr}`);
  return { ...ran, document: JSON.parse(ran.stdout) as UploadDocument };
}

export interface JsonEntry {
  readonly path?: string;
  readonly pathBase64?: string;
  readonly type: string;
  readonly size?: number;
  readonly md5?: string;
  readonly chunk?: number;
  readonly offset?: number;
  readonly changed?: boolean;
  readonly linkGroup?: number;
  readonly mtime: string;
  readonly segments?: readonly { readonly chunk: number; readonly offset: number; readonly size: number }[];
  readonly holes?: readonly (readonly [number, number])[];
  readonly xattrs?: Readonly<Record<string, string>>;
}

export interface JsonManifest {
  readonly listing: string;
  readonly datasetId: string;
  readonly writerId?: string;
  readonly project?: string;
  readonly tags?: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly storage: Readonly<Record<string, string>>;
  readonly totals: Readonly<Record<string, number>>;
  readonly shards: readonly { readonly shard: number; readonly bytes: number }[];
  readonly chunks: readonly {
    readonly chunk: number;
    readonly key: string;
    readonly shard: number;
    readonly size: number;
    readonly rawSize: number;
    readonly level: number;
    readonly storageClass: string;
    readonly tocSize: number;
    readonly sha256: string;
    readonly frames: readonly { readonly size: number; readonly rawSize: number }[];
  }[];
  readonly files: readonly JsonEntry[];
}

/** The folder of the only upload below `base`. */
export function onlyUpload(base: string): string {
  const [id, ...others] = readdirSync(join(base, 'uploads'));
  if (id === undefined || others.length > 0) throw new Error(`${others.length + 1} uploads in ${base}`);
  return join(base, 'uploads', id);
}

export function manifestText(upload: string): string {
  return gunzipSync(readFileSync(join(upload, 'manifest.json.gz'))).toString('utf8');
}

export const readManifest = (upload: string): JsonManifest => JSON.parse(manifestText(upload)) as JsonManifest;

/** The path of an entry as a byte string. */
export const rawPathOf = ({ path, pathBase64 }: JsonEntry): string =>
  path === undefined
    ? Buffer.from(pathBase64 ?? '', 'base64').toString('latin1')
    : Buffer.from(path, 'utf8').toString('latin1');

/** Every file below `folder`, relative. */
export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

/** Which of these programs this machine lacks. */
export const missingTools = (...tools: readonly string[]): string[] =>
  tools.filter((tool) => spawnSync('which', [tool]).status !== 0);

/** A fresh folder inside another. */
export function makeFolder(...parts: readonly string[]): string {
  const folder = join(...parts);
  mkdirSync(folder, { recursive: true });
  return folder;
}
