// `<archiver home>/shell-history`: the lines of earlier sessions, one per line. Lines are appended as they are run, so that several shells
// at once lose none of them. History is a convenience: a file that cannot be read or written is no reason to stop.
import { appendFile, mkdir, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { replaceFile } from '../../core/platform/state/replace-file.js';
import { reasonText } from '../../core/platform/failures/errno.js';
import { systemCode } from '../../core/platform/failures/errors.js';
import { MAX_HISTORY } from '../../stores/shell-history.js';

export class HistoryFile {
  private constructor(
    private readonly path: string,
    readonly lines: readonly string[],
    private readonly onTrouble: (text: string) => void,
  ) {}

  /** Reads the file. Once it has more than two thousand lines, all but the last thousand are removed. */
  static async open(path: string, onTrouble: (text: string) => void): Promise<HistoryFile> {
    const lines = await readLines(path, onTrouble);
    const file = new HistoryFile(path, lines.slice(-MAX_HISTORY), onTrouble);
    if (lines.length > 2 * MAX_HISTORY) await file.guarded(() => replaceFile(path, `${file.lines.join('\n')}\n`));
    return file;
  }

  /** Appends a line. */
  async add(line: string): Promise<void> {
    await this.guarded(async () => {
      await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
      await appendFile(this.path, `${line}\n`, { mode: 0o600 });
    });
  }

  private async guarded(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.onTrouble(`the history is not kept: ${reasonText(error)}`);
    }
  }
}

async function readLines(path: string, onTrouble: (text: string) => void): Promise<string[]> {
  try {
    const text = await readFile(path, 'utf8');
    // oxlint-disable-next-line no-control-regex -- whatever else has come into the file must not reach the terminal
    return text.split('\n').filter((line) => line !== '' && !/[\x00-\x1f\x7f-\x9f]/.test(line));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') onTrouble(`the history is not read: ${reasonText(error)}`);
    return [];
  }
}
