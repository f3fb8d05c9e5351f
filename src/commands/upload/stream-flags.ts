// `upload -`: archives stdin as one file.
import { flag } from '../../cli/flag.js';
import { requires } from '../../cli/rule.js';

export const streamFlags = {
  name: flag.text({ placeholder: 'PATH', describe: 'path of the file that stdin becomes; with - as SOURCE_DIR' }),
  stdinCommand: flag.text({
    placeholder: 'COMMAND',
    describe: 'archive what this prints (sh -c) instead; if it fails, nothing',
  }),
  allowEmpty: flag.on({ describe: 'archive an empty stdin, too' }),
  expectedSize: flag.bytes(1, {
    describe: 'most bytes of stdin; budgets are asked about it',
  }),
};

/** Rules for `streamFlags`. */
export const streamRules = (['stdinCommand', 'allowEmpty', 'expectedSize'] as const).map((key) =>
  requires(key, 'name'),
);
