// Python programs, each in a virtual environment of its own.
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { serverFolder } from './serve.js';

const run = promisify(execFile);
const MOST_MS = 900_000;

export interface Venv {
  readonly folder: string;
  /** Returns the path of one of its programs. */
  readonly bin: (program: string) => string;
  readonly remove: () => Promise<void>;
}

export interface VenvOptions {
  readonly name: string;
  /** As pip takes them: `dvc==3.67.1`. */
  readonly packages: readonly string[];
  readonly python?: string;
  readonly pipFlags?: readonly string[];
}

/** Installs packages; or returns why they cannot be had here. */
export async function venv({ name, packages, python = 'python3', pipFlags = [] }: VenvOptions): Promise<Venv | string> {
  const folder = serverFolder(name);
  const bin = (program: string): string => join(folder, 'bin', program);
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  try {
    await run(python, ['-m', 'venv', folder]);
    await run(bin('pip'), ['install', '--quiet', ...pipFlags, ...packages], { timeout: MOST_MS });
  } catch (error) {
    await remove();
    return `${packages.join(' and ')} cannot be installed: ${String(error).slice(0, 500)}`;
  }
  return { folder, bin, remove };
}
