// What git says of the folder that is uploaded. The folder alone decides which repository that is: hooks and scripts set
// GIT_DIR and its like for another one, so git gets none of these variables. Nothing is written, asked or fetched.
//
// The commit is that at which the upload began; a commit made while it runs is not seen.
import { execFile } from 'node:child_process';
import { ArchiverError, systemCode, usageError } from '../../platform/failures/errors.js';
import type { GitRecord } from '../../format/manifest/provenance-schema.js';
import { COMMIT } from '../../format/manifest/provenance-schema.js';
import { displayPath, printable, type RawPath, textFromRaw } from '../../platform/paths/raw-path.js';
import { defined } from '../../platform/defined.js';

/** A status of a million files takes some seconds; a hanging network file system takes for ever. */
const TIMEOUT_MS = 120_000;
/** The headers come first: what does not fit is a long list of changes. */
const MAX_OUTPUT = 1 << 20;

export interface ReadGitOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** State of the repository that `source` lies in. @throws usage when there is none, or no commit, or no git; cancelled */
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

  /** Commit, branch and changes at one moment. */
  async status(): Promise<{ commit: string; branch: string | undefined; dirty: boolean }> {
    // Two lines, and then what differs below the folder.
    const args = ['status', '--porcelain=v2', '--branch', '--no-ahead-behind', '--untracked-files=normal', '--', '.'];
    const { stdout, stderr, failure } = await this.run(args);
    const isLong = systemCode(failure) === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER';
    if (failure !== null && !isLong) throw this.refusal(stderr, failure);
    // A line ends at "\n" alone: to patterns U+2028, which branches may have, would end one as well.
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

  /** Of several tags the newest. */
  async tagOf(commit: string): Promise<string | undefined> {
    const newest = ['--sort=-creatordate', '--count=1', '--format=%(refname:lstrip=2)'];
    return await this.line(['for-each-ref', `--points-at=${commit}`, ...newest, 'refs/tags']);
  }

  async remote(): Promise<string | undefined> {
    const url = await this.line(['config', '--get', 'remote.origin.url']);
    return url === undefined ? undefined : withoutCredentials(url);
  }

  /** The first line, or undefined where there is none. */
  private async line(args: readonly string[]): Promise<string | undefined> {
    const { stdout, stderr, failure } = await this.run(args);
    // 1: no such key.
    if (failure !== null && (failure as { code?: unknown }).code !== 1) throw this.refusal(stderr, failure);
    return stdout.split('\n', 1)[0] || undefined;
  }

  private async run(args: readonly string[]): Promise<Output> {
    const { env, signal } = this.options;
    // A monitor would be a program of the repository's choice.
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

/** Whoever started us may mean another repository; messages are wanted as they are known. */
function gitEnvironment(env: ReadGitOptions['env']): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith('GIT_'));
  return {
    ...Object.fromEntries(others),
    LC_ALL: 'C',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_NO_LAZY_FETCH: '1',
  };
}

// The address of a git remote as it may be written down: who may read a manifest must not get a password from it.

const WEB = /^https?$|^ftps?$/i;

/** `remote` without user and password, token or query; of ssh the user stays. Undefined for a command (`ext::…`). */
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
  // `user@host:path`; a folder stays as it is.
  return remote.replace(/^([^/:@]*):[^/@]*@/, '$1@');
}
