// Saves typed keys in the AWS credentials file, which every tool reads: a section is appended, and existing content stays byte for byte.
import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ArchiverError, undefinedOn, usageError } from '../platform/failures/errors.js';
import { fileFailure } from '../platform/failures/file-failure.js';
import { awsProfile, forgetAwsFiles } from '../store/s3/s3-profile.js';
import { printable } from '../platform/paths/raw-path.js';
import { replaceFile } from '../platform/state/replace-file.js';

export interface TypedKeys {
  readonly profile: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

export const keysFile = (env: Environment, userHome: string): string =>
  env['AWS_SHARED_CREDENTIALS_FILE'] || join(userHome, '.aws', 'credentials');

/** Describes what is wrong with the input; undefined when it is valid. */
export function keyTrouble({ profile, accessKeyId, secretAccessKey }: TypedKeys): string | undefined {
  if (!/^[\w.@+-]{1,64}$/.test(profile)) return 'a profile is called by letters, digits and . @ + - _';
  if (!/^[!-~]{3,128}$/.test(accessKeyId))
    return 'the access key id has no blanks, only ASCII, and at least 3 characters';
  return /^[!-~]{3,256}$/.test(secretAccessKey)
    ? undefined
    : 'the secret access key has no blanks, only ASCII, and at least 3 characters';
}

/** The credentials file during one run: what the run itself has appended last is replaced, so that typing errors can be corrected. */
export class KeysFile {
  private appended = '';

  constructor(
    readonly path: string,
    private readonly env: Environment,
  ) {}

  /** Saves the keys. @throws usage for an existing profile or invalid keys; access-denied, no-space, io */
  async save(keys: TypedKeys): Promise<void> {
    const trouble = keyTrouble(keys);
    if (trouble !== undefined) throw usageError(trouble);
    const before = await this.read();
    const kept =
      this.appended !== '' && before.endsWith(this.appended) ? before.slice(0, -this.appended.length) : before;
    if (kept === before) await this.refuseKnown(keys.profile);
    const gap = kept === '' ? '' : kept.endsWith('\n') ? '\n' : '\n\n';
    const { profile, accessKeyId, secretAccessKey } = keys;
    const added = `${gap}[${profile}]\naws_access_key_id = ${accessKeyId}\naws_secret_access_key = ${secretAccessKey}\n`;
    if (new RegExp(`^\\s*\\[\\s*${escaped(profile)}\\s*\\]`, 'm').test(kept)) throw profileExists(profile);
    try {
      // The new file gets the mode of the old one.
      await chmod(this.path, 0o600).catch(undefinedOn('ENOENT'));
      await replaceFile(this.path, Buffer.from(kept + added, 'latin1'));
    } catch (error) {
      throw fileFailure('write', this.path, error);
    }
    this.appended = added;
    await forgetAwsFiles(this.env);
  }

  private async refuseKnown(profile: string): Promise<void> {
    const { all } = await awsProfile({ env: this.env });
    if (Object.hasOwn(all, profile)) throw profileExists(profile);
  }

  /** Reads the file as Latin-1, one character per byte, because it need not be UTF-8. */
  private async read(): Promise<string> {
    try {
      return (await readFile(this.path, 'latin1').catch(undefinedOn('ENOENT'))) ?? '';
    } catch (error) {
      throw fileFailure('read', this.path, error);
    }
  }
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

const profileExists = (profile: string): ArchiverError =>
  new ArchiverError(
    'conflict',
    `there is a profile ${printable(profile)} already, which stays as it is: choose it, or another name`,
  );
