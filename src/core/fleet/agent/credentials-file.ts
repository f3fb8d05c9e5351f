// Checks the credentials file early: one that cannot be read, because it was mounted with the wrong owner or as a folder, would otherwise
// show only hours later as "no credentials".
import { accessSync, constants, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { ArchiverError, systemCode } from '../../platform/failures/errors.js';
import { printable } from '../../platform/paths/raw-path.js';

interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly userHome: string;
}

/** @throws access-denied naming path, mode and owner, when the file of AWS credentials exists but cannot be read */
export function checkCredentialsFile({ env, userHome }: Surroundings): void {
  const named = env['AWS_SHARED_CREDENTIALS_FILE'];
  const path = named || join(userHome, '.aws', 'credentials');
  let found: Stats;
  try {
    found = statSync(path);
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT' && !named) return;
    throw unreadable(path, code === 'ENOENT' ? 'does not exist' : `cannot be looked at (${code ?? 'unknown'})`);
  }
  if (found.isDirectory())
    throw unreadable(path, `is a folder (${ownerText(found)}): a mount makes one where the file was missing`);
  try {
    accessSync(path, constants.R_OK);
  } catch {
    throw unreadable(path, `cannot be read by uid ${process.getuid?.() ?? '?'} (${ownerText(found)})`);
  }
}

const ownerText = ({ mode, uid, gid }: Stats): string =>
  `mode ${(mode & 0o7777).toString(8).padStart(4, '0')}, owner ${uid}:${gid}`;

const unreadable = (path: string, why: string): ArchiverError =>
  new ArchiverError('access-denied', `the credentials file ${printable(path)} ${why}`, {
    hint: 'give it to the user that runs the agent, with mode 0400, or name another in AWS_SHARED_CREDENTIALS_FILE',
  });
