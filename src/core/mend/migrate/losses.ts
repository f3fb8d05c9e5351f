// What of an archive's metadata could not be kept, counted, to be said once.
import { counted } from '../../platform/text/counted.js';

export class Losses {
  owners = 0;
  modes = 0;
  accessLists = 0;
  attributes = 0;
  times = 0;
  /** Times keep microseconds only. */
  isRounded = false;

  /** One sentence for each kind of loss. */
  sentences(): string[] {
    const said: string[] = [];
    const say = (count: number, what: string, why: string): void => {
      if (count > 0) said.push(`${what} of ${counted(count, 'entry', 'entries')} ${why}`);
    };
    say(
      this.owners,
      'the owner',
      'could not be kept: only root may set it, where the system lets it (now it is the user who migrated)',
    );
    say(this.modes, 'the mode', 'was widened or changed, or it could not have been read');
    say(this.accessLists, 'the access control list', 'is not kept');
    say(this.attributes, 'an extended attribute', 'could not be kept');
    say(this.times, 'the modification time', 'cannot be kept by the file system of the temporary folder');
    if (this.isRounded) said.push('modification times are kept to the microsecond: libc cannot be reached');
    return said;
  }
}
