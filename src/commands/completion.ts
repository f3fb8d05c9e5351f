import { arg } from '../cli/arg.js';
import { defineCommand } from '../cli/command.js';

export const command = defineCommand({
  path: 'completion',
  summary: 'print the completion script for a shell',
  description:
    'Put the matching line in the start-up file of your shell:\n' +
    '  bash  eval "$(archiver completion bash)"\n' +
    '  zsh   eval "$(archiver completion zsh)"\n' +
    '  fish  archiver completion fish | source\n' +
    'Completed are commands, flags and their choices, stores of the config file, datasets, versions, tags and paths in archives. No request ' +
    'is made for it: of a folder of this computer it is what is there, of any other store what this computer saw last, and paths of the ' +
    'newest version that it made.',
  args: [arg.choice('bash', 'zsh', 'fish')('SHELL', { describe: 'the shell to print it for' })],
  flags: {},
  examples: ['archiver completion bash', 'archiver completion fish | source'],
  exits: { 0: 'script printed' },
  ignoresConfigFile: true,
  async run(_values, [shell], context) {
    const { completionScript } = await import('../cli/completion-script.js');
    const script = completionScript(shell);
    context.result({ shell, script }, () => script);
  },
});
