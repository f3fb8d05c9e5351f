// Asks git which files of a folder it tracks and which paths it ignores. Nothing is written, the index neither.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { ArchiverError, errorText, systemCode, usageError } from '../../platform/failures/errors.js';
import {
  bytesOf,
  CURRENT_FOLDER,
  displayPath,
  fsPath,
  joinParts,
  joinPath,
  parentOf,
  pathBelow,
  printable,
  type RawPath,
  rawFromBytes,
  rawFromText,
  textFromRaw,
  TOP,
} from '../../platform/paths/raw-path.js';
import { gitEnvironment, type ReadGitOptions } from './read-git.js';

const MARKER = rawFromText('.git');
const NUL = '\0';

/** What git tracks in a folder. Paths are relative to it. */
export interface GitTracked {
  /** True for a tracked file, for what lies in a submodule, and for a folder with something tracked in it. */
  readonly has: (path: RawPath) => boolean;
  readonly isInSubmodule: (path: RawPath) => boolean;
}

export class GitFiles {
  private index: Promise<GitTracked> | undefined;

  private constructor(
    /** Work tree, as text for git's -C. */
    private readonly top: string,
    /** Path of the folder in the work tree. */
    private readonly below: RawPath,
    private readonly options: ReadGitOptions,
  ) {}

  /** Opens the repository that holds an absolute folder, which need not exist; undefined for none. @throws usage */
  static open(folder: RawPath, options: ReadGitOptions): GitFiles | undefined {
    for (let top = folder === '/' ? TOP : folder; ; top = parentOf(top)) {
      if (existsSync(fsPath(pathBelow(top, MARKER)))) {
        const text = textFromRaw(top === TOP ? rawFromText('/') : top);
        if (text === undefined) throw usageError(`git cannot be asked about ${displayPath(top)}: it is not UTF-8`);
        return new GitFiles(text, folder.slice(top.length + 1), options);
      }
      if (top === TOP) return undefined;
    }
  }

  /** Reads the index, once. @throws usage, io when git cannot be asked; cancelled */
  tracked(): Promise<GitTracked> {
    return (this.index ??= this.readIndex());
  }

  /** Returns those of the paths that git ignores; of a submodule none. @throws as `tracked` */
  async ignored(paths: readonly RawPath[]): Promise<ReadonlySet<RawPath>> {
    const { isInSubmodule } = await this.tracked();
    const own = paths.filter((path) => !isInSubmodule(path));
    if (own.length === 0) return new Set();
    // A path that begins with a colon would be read as a pattern. Answers repeat the question.
    const asked = joinParts([...own.map((path) => pathBelow(CURRENT_FOLDER, joinPath(this.below, path))), TOP], NUL);
    const answers = await this.run(['check-ignore', '-z', '--stdin'], asked);
    return new Set(answers.map((path) => this.ownPath(path.slice('./'.length))));
  }

  private async readIndex(): Promise<GitTracked> {
    const scope = this.below === TOP ? [] : ['--', textFromRaw(this.below) ?? this.below];
    const files = new Set<RawPath>();
    const folders = new Set<RawPath>();
    for (const listed of await this.run(['--literal-pathspecs', 'ls-files', '-z', ...scope], TOP)) {
      const path = this.ownPath(listed);
      files.add(path);
      for (let folder = parentOf(path); folder !== TOP && !folders.has(folder); folder = parentOf(folder))
        folders.add(folder);
    }
    // Only a submodule is tracked itself and has something in it.
    const isInSubmodule = (path: RawPath): boolean => {
      const folder = parentOf(path);
      return folder !== TOP && (files.has(folder) || isInSubmodule(folder));
    };
    return { has: (path) => folders.has(path) || files.has(path) || isInSubmodule(path), isInSubmodule };
  }

  /** Returns a path of the work tree as one of the folder. */
  private ownPath(path: RawPath): RawPath {
    return this.below === TOP ? path : path.slice(this.below.length + 1);
  }

  /** Runs git with this input; returns its answers, which end in NUL. */
  private async run(args: readonly string[], input: RawPath): Promise<readonly RawPath[]> {
    const { env, signal } = this.options;
    const all = ['--no-pager', '-c', 'core.fsmonitor=false', '-C', this.top, ...args];
    const git = spawn('git', all, { env: gitEnvironment(env), cwd: '/', signal });
    const [out, errors]: [Buffer[], Buffer[]] = [[], []];
    git.stdout.on('data', (piece: Buffer) => out.push(piece));
    git.stderr.on('data', (piece: Buffer) => errors.push(piece));
    git.stdin.on('error', () => undefined); // it has ended early, and its status says so
    git.stdin.end(bytesOf(input));
    const status = await new Promise<number | null | Error>((resolve) => {
      git.on('error', resolve);
      git.on('close', resolve);
    });
    signal.throwIfAborted();
    // 1: check-ignore has found nothing.
    if (status === 0 || (status === 1 && args[0] === 'check-ignore'))
      return rawFromBytes(Buffer.concat(out)).split(NUL).slice(0, -1);
    throw this.failure(status, Buffer.concat(errors).toString('utf8'));
  }

  private failure(status: number | null | Error, stderr: string): ArchiverError {
    const what = `what git tracks and ignores in ${printable(this.top)} cannot be found out`;
    if (systemCode(status) === 'ENOENT') return usageError(`${what}: there is no git on the PATH`, 'install git');
    if (/dubious ownership/.test(stderr))
      return usageError(
        `${what}: the repository is another user's, and git does not trust it`,
        /git config --global --add safe\.directory .*/.exec(stderr)?.[0],
      );
    const why = status instanceof Error ? errorText(status) : (stderr.trim().split('\n', 1)[0] ?? '');
    return new ArchiverError('io', `${what}: ${printable(why)}`);
  }
}
