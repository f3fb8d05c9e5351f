// `upload -`: archives stdin as one file.
import { flag } from '../../cli/flag.js';
import { requires } from '../../cli/rule.js';

export const streamFlags = {
  name: flag.text({ placeholder: 'PATH', describe: 'with - as SOURCE_DIR: path of the file that stdin becomes' }),
  stdinCommand: flag.text({
    placeholder: 'COMMAND',
    describe: 'archive what this prints (run by sh -c) instead of stdin; where it fails nothing is committed',
  }),
  allowEmpty: flag.on({ describe: 'archive an empty stdin, too' }),
  expectedSize: flag.bytes(1, {
    describe: 'most bytes of stdin; what budgets are asked about, and more than that is refused',
  }),
};

/** Rules for `streamFlags`. */
export const streamRules = (['stdinCommand', 'allowEmpty', 'expectedSize'] as const).map((key) =>
  requires(key, 'name'),
);
