import { defineCommand } from '../../../cli/command.js';
import type { Places, Results } from '../../../cli/context.js';
import { channelArg, shownChannel, switchChannel } from './channel-arg.js';

export const command = defineCommand({
  path: 'alerts disable',
  summary: 'turn an alert channel off and keep its settings',
  args: [channelArg],
  examples: ['archiver alerts disable slack'],
  exits: { 0: 'the channel is off', 1: 'it is not configured, or the configuration cannot be read or written' },
  async run(_values, [name], context: Results<'alerts disable'> & Pick<Places, 'home'>) {
    const settings = await switchChannel(name, false, context);
    context.outcome({ channels: [shownChannel(name, settings)] }, () => `alerts do not go to ${name} any more\n`);
  },
});
