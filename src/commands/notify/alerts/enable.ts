import { defineCommand } from '../../../cli/command.js';
import type { Places, Results } from '../../../cli/context.js';
import { channelArg, shownChannel, switchChannel } from './channel-arg.js';

export const command = defineCommand({
  path: 'alerts enable',
  summary: 'turn a configured alert channel on',
  description:
    '`alerts configure` turns a channel on by itself. CloudWatch needs no configuration beyond credentials and a region.',
  args: [channelArg],
  examples: ['archiver alerts enable email', 'archiver alerts enable cloudwatch'],
  exits: { 0: 'the channel is on', 1: 'it is not configured, or the configuration cannot be read or written' },
  async run(_values, [name], context: Results<'alerts enable'> & Pick<Places, 'home'>) {
    const settings = await switchChannel(name, true, context);
    context.outcome({ channels: [shownChannel(name, settings)] }, () => `alerts go to ${name} now\n`);
  },
});
