import { execFileSync } from 'node:child_process';

/** Installs strace where it is missing. */
export function installStrace(): void {
  try {
    execFileSync('strace', ['--version'], { stdio: 'ignore' });
  } catch {
    execFileSync('apt-get', ['install', '-y', '-qq', 'strace'], { stdio: 'ignore' });
  }
}
