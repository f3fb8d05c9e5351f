// The FinOps Foundation's validator of FOCUS tables, installed into a virtual environment.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { venv } from './venv.js';

const run = promisify(execFile);
const MOST_MS = 900_000;
/** Its data loader needs NumPy 1, which later releases of pyarrow refuse. */
const PACKAGES = ['focus-validator==2.2.1', 'pyarrow<22'];
/** NumPy 1 has no wheels for later ones, and building it takes a quarter of an hour. */
const PYTHONS = ['python3.12', 'python3'];
export interface Validation {
  /** Names of the rules that fail, with what they say. */
  readonly failed: readonly string[];
  readonly passed: number;
  /** For a version of the specification, or a case, that the table has not. */
  readonly skipped: number;
}

export interface FocusValidator {
  /** Asks for all features of the specification. */
  readonly validate: (file: string) => Promise<Validation>;
  readonly remove: () => Promise<void>;
}

/** Installs it; or returns why it cannot be had here. */
export async function focusValidator(): Promise<FocusValidator | string> {
  const python = await newPython();
  if (python === undefined) return 'there is no Python 3.12';
  const pipFlags = ['--only-binary', 'numpy'];
  const made = await venv({ name: 'focus-validator', packages: PACKAGES, python, pipFlags });
  if (typeof made === 'string') return made;
  const { folder, bin, remove } = made;
  const validate: FocusValidator['validate'] = async (file) => {
    const args = ['--data-file', file, '--block-download', '--validate-version', '1.2'];
    const { stdout } = await run(
      bin('focus-validator'),
      [...args, '--applicability-criteria', 'ALL'],
      // It looks for its lists in the current folder.
      { cwd: join(folder, 'lib', 'python3.12', 'site-packages'), timeout: MOST_MS, maxBuffer: 2 ** 26 },
    );
    const failed = Array.from(stdout.matchAll(/^❌ (.*)$/gm), ([, rule = '']) => rule);
    const [, passed, skipped] = /^Total: .*Pass: (\d+) .*Skipped: (\d+)/m.exec(stdout) ?? [];
    return { failed, passed: Number(passed), skipped: Number(skipped) };
  };
  return { validate, remove };
}

/** The path of Python 3.12. */
async function newPython(): Promise<string | undefined> {
  for (const name of PYTHONS) {
    const script = 'import sys; assert sys.version_info[:2] == (3, 12); print(sys.executable)';
    // A shim on the PATH finds its Python by the variable.
    const env = { ...process.env, ...(name !== 'python3' && { PYENV_VERSION: name.replace('python', '') }) };
    const found = await run(name, ['-c', script], { env }).catch(() => undefined);
    if (found !== undefined) return found.stdout.trim();
  }
  return undefined;
}
