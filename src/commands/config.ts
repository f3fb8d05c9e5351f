import { defineCommand } from '../cli/command.js';
import { flag } from '../cli/flag.js';
import { idle, exactlyOne } from '../cli/rule.js';

export const command = defineCommand({
  path: 'config',
  summary: 'write, show, check and edit the config file',
  description:
    'The file is the first of $ARCHIVER_CONFIG, ~/.archiver.yaml, $XDG_CONFIG_HOME/archiver/.archiver.yaml, ' +
    '~/.config/archiver/.archiver.yaml and ./.archiver.yaml that exists. A setting is named after the flag it stands ' +
    'for: upload.shardCount for one command, defaults.shardCount for every command that has the flag; aws and storage ' +
    'hold what most commands share. Nothing in the file is ignored: an unknown key stops every command.',
  flags: {
    generate: flag.on({
      describe: 'print an example with every setting explained; with --format json its sections alone',
    }),
    show: flag.on({ describe: 'print each setting, its value and where it comes from' }),
    validate: flag.on({ describe: 'check the file' }),
    validateDetailed: flag.on({ describe: 'check the file, then the credentials and the bucket that it names' }),
    edit: flag.on({ describe: 'open the file in $VISUAL or $EDITOR; it is replaced only when it is valid' }),
    file: flag.file({ placeholder: 'PATH', describe: 'the file to work on, instead of the one that is found' }),
    format: flag.choice(['yaml', 'json'], { default: 'yaml', describe: 'form of what --generate and --show print' }),
  },
  rules: [
    exactlyOne('generate', 'show', 'validate', 'validateDetailed', 'edit'),
    idle('format', ['generate', 'show'], '--format needs --generate or --show', (v) => !(v['generate'] || v['show'])),
  ],
  examples: [
    'archiver config --generate > ~/.archiver.yaml',
    'archiver config --show',
    'archiver config --validate --file ./.archiver.yaml',
  ],
  exits: { 0: 'done; with --validate: the file is valid', 1: 'the file is not valid, or the store cannot be reached' },
  ignoresConfigFile: true,
  async run(values, _args, context) {
    const { generateConfig } = await import('../cli/config-generate.js');
    if (values.generate) return generateConfig(values, context);
    const { showConfig } = await import('../cli/config-show.js');
    if (values.show) return showConfig(values, context);
    if (values.edit) {
      const { editConfig } = await import('../cli/config-edit.js');
      return editConfig(values, context);
    }
    const { validateConfig } = await import('../cli/config-validate.js');
    return validateConfig(values, context);
  },
});
