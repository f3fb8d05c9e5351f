// Reads the git state of the uploaded folder. Only the folder determines the repository: hooks and scripts set GIT_DIR and the like for
// another one, so git gets none of these variables. Nothing is written, prompted for or fetched.
//
// The commit is the one at the beginning of the upload; a commit made while it runs is not seen.
import { execFile } from 'node:child_process';
import { ArchiverError, systemCode, usageError } from '../../platform/failures/errors.js';
import type { GitRecord } from '../../format/manifest/provenance-schema.js';
import { COMMIT } from '../../format/manifest/provenance-schema.js';
import { displayPath, printable, type RawPath, textFromRaw } from '../../platform/paths/raw-path.js';
import { defined } from '../../platform/defined.js';

/** The status of a million files takes some seconds; a hanging network file system would take forever. */
const TIMEOUT_MS = 120_000;
/** Headers come first, so only a long list of changes is cut off. */
const MAX_OUTPUT = 1 << 20;

export interface ReadGitOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** Returns the state of the repository that contains `source`. @throws usage when there is none, or no commit, or no git; cancelled */
export async function readGit(source: RawPath, options: ReadGitOptions): Promise<GitRecord> {
  const git = new Git(source, options);
  const { commit, branch, dirty } = await git.status();
  const [tag, remote] = await Promise.all([git.tagOf(commit), git.remote()]);
  return {
    commit,
    ...defined({ branch, tag, remote }),
    dirty,
  };
}

interface Output {
  readonly stdout: string;
  readonly stderr: string;
  readonly failure: Error | null;
}

class Git {
  private readonly folder: string;
  private readonly shown: string;

  constructor(
    source: RawPath,
    private readonly options: ReadGitOptions,
  ) {
    const folder = textFromRaw(source);
    this.shown = displayPath(source);
    if (folder === undefined)
      throw usageError(`--git-metadata: git cannot be asked about ${this.shown}: it is not UTF-8`);
    this.folder = folder;
  }

  /** Returns commit, branch and whether there are changes, at one moment. */
  async status(): Promise<{ commit: string; branch: string | undefined; dirty: boolean }> {
    // Prints two header lines, then the changes below the folder.
    const args = ['status', '--porcelain=v2', '--branch', '--no-ahead-behind', '--untracked-files=normal', '--', '.'];
    const { stdout, stderr, failure } = await this.run(args);
    const isLong = systemCode(failure) === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
    if (failure !== null && !isLong) throw this.refusal(stderr, failure);
    // Lines end only at "\n"; a pattern would also split at U+2028, which branch names may contain.
    const lines = stdout.split('\n');
    const valueOf = (key: string): string | undefined =>
      lines.find((line) => line.startsWith(`# ${key} `))?.slice(`# ${key} `.length);
    const commit = valueOf('branch.oid') ?? '';
    const branch = valueOf('branch.head');
    if (!COMMIT.test(commit)) {
      throw usageError(`--git-metadata: the git repository of ${this.shown} has no commit yet`, 'git commit');
    }
    return {
      commit,
      branch: branch === '(detached)' ? undefined : branch,
      dirty: lines.some((line) => line !== '' && !line.startsWith('#')),
    };
  }

  /** Returns the tag of a commit, the newest of several. */
  async tagOf(commit: string): Promise<string | undefined> {
    const newest = ['--sort=-creatordate', '--count=1', '--format=%(refname:lstrip=2)'];
    return await this.line(['for-each-ref', `--points-at=${commit}`, ...newest, 'refs/tags']);
  }

  async remote(): Promise<string | undefined> {
    const url = await this.line(['config', '--get', 'remote.origin.url']);
    return url === undefined ? undefined : withoutCredentials(url);
  }

  /** Returns the first line; undefined when there is none. */
  private async line(args: readonly string[]): Promise<string | undefined> {
    const { stdout, stderr, failure } = await this.run(args);
    // Status 1: no such key.
    if (failure !== null && (failure as { code?: unknown }).code !== 1) throw this.refusal(stderr, failure);
    return stdout.split('\n', 1)[0] || undefined;
  }

  private async run(args: readonly string[]): Promise<Output> {
    const { env, signal } = this.options;
    // A file system monitor would be a program of the repository's choice.
    const all = ['--no-pager', '-c', 'core.fsmonitor=false', '-C', this.folder, ...args];
    const options = { env: gitEnvironment(env), maxBuffer: MAX_OUTPUT, timeout: TIMEOUT_MS, signal, cwd: '/' };
    const output = await new Promise<Output>((resolve) => {
      execFile('git', all, options, (failure, stdout, stderr) => resolve({ stdout, stderr, failure }));
    });
    signal.throwIfAborted();
    return output;
  }

  private refusal(stderr: string, failure: Error): ArchiverError {
    const what = `--git-metadata: ${this.shown}`;
    if (systemCode(failure) === 'ENOENT')
      return usageError('--git-metadata needs git, and there is none on the PATH', 'install git, or leave it out');
    if (/dubious ownership/.test(stderr))
      return usageError(
        `${what} is in a git repository of another user, which git does not trust`,
        /git config --global --add safe\.directory .*/.exec(stderr)?.[0] ??
          'git config --global --add safe.directory …',
      );
    if (/not a git repository|must be run in a work tree/.test(stderr))
      return usageError(`${what} is not in a git repository`, 'leave it out, or `git init` and commit');
    const { killed = false } = failure as { killed?: boolean };
    const why = killed ? `no answer within ${TIMEOUT_MS / 1000} s` : printable(stderr.trim().split('\n', 1)[0] ?? '');
    return new ArchiverError('io', `git failed in ${this.shown}: ${why}`, { cause: failure });
  }
}

/** Removes git variables, which may point to another repository, and sets the locale for known messages. */
export function gitEnvironment(env: ReadGitOptions['env']): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith('GIT_'));
  return {
    ...Object.fromEntries(others),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
  };
}

// Removes credentials from the URL of a git remote, because readers of a manifest must not get a password from it.

const WEB = /^https?$|^ftps?$/i;

/** Returns `remote` without user and password, token or query; the user of ssh URLs stays. Undefined for a command (`ext::…`). */
export function withoutCredentials(remote: string): string | undefined {
  const helper = /^([A-Za-z0-9][A-Za-z0-9+.-]*)::(.*)$/s.exec(remote);
  if (helper !== null) {
    const [, name = '', address = ''] = helper;
    const inner = name === 'ext' ? undefined : withoutCredentials(address);
    return inner === undefined ? undefined : `${name}::${inner}`;
  }
  const url = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)([^?#]*)/.exec(remote);
  if (url !== null) {
    const [, scheme = '', authority = '', path = ''] = url;
    const at = authority.lastIndexOf('@');
    const user = WEB.test(scheme) ? '' : (authority.slice(0, Math.max(0, at)).split(':', 1)[0] ?? '');
    return `${scheme}://${user === '' ? '' : `${user}@`}${authority.slice(at + 1)}${path}`;
  }
  // `user@host:path`; a folder stays unchanged.
  return remote.replace(/^([^/:@]*):[^/@]*@/, '$1@');
}
