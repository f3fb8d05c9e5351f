// The helpers of upload-cli.ts, for tests of what a command does and not of the process: it runs in this one, from src, in
// a third of the time.
import { program } from '../../src/commands/index.js';
import { runCommand } from '../support/run-command.js';
import { environment, type Ran, type RunOptions, uploadWith, type UploadRan } from './upload-cli.js';

interface Options extends Pick<RunOptions, 'env' | 'cwd'> {
  readonly now?: () => Date;
}

const root = program();

/** Runs a command; `home` is its HOME. */
export const archiver = (
  home: string,
  args: readonly string[],
  { env, cwd = home, now = () => new Date() }: Options = {},
): Promise<Ran> => runCommand({ root, folder: cwd, userHome: home, env: environment(home, env), input: '', now }, args);

/** Uploads with `--json` and gives the document beside the exit status. */
export const uploadJson = (home: string, args: readonly string[], options: Options = {}): Promise<UploadRan> =>
  uploadWith(archiver, home, args, options);
