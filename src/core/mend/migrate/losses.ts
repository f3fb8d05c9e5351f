// Counts metadata of the archive that could not be kept, to be reported once.
import { counted } from '../../platform/text/counted.js';

export class Losses {
  owners = 0;
  modes = 0;
  accessLists = 0;
  attributes = 0;
  times = 0;
  /** True when times keep microseconds only. */
  isRounded = false;

  /** Returns one sentence for each kind of loss. */
  sentences(): string[] {
    const lines: string[] = [];
    const add = (count: number, what: string, why: string): void => {
      if (count > 0) lines.push(`${what} of ${counted(count, 'entry', 'entries')} ${why}`);
    };
    add(
      this.owners,
      'the owner',
      'could not be kept: only root may set it, where the system lets it (now it is the user who migrated)',
    );
    add(this.modes, 'the mode', 'was widened or changed, or it could not have been read');
    add(
      this.accessLists,
      'an access control list',
      'is not kept: it is one of NFS, is damaged, or names an account that this computer does not know',
    );
    add(this.attributes, 'an extended attribute', 'could not be kept');
    add(this.times, 'the modification time', 'cannot be kept by the file system of the temporary folder');
    if (this.isRounded) lines.push('modification times are kept to the microsecond: libc cannot be reached');
    return lines;
  }
}
