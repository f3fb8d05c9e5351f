import { resolve } from 'node:path';
import { defineCommand } from '../../../cli/command.js';
import type { Messages, Places, Results } from '../../../cli/context.js';
import { flag } from '../../../cli/flag.js';
import type { TableContext } from '../../kit/table.js';
import { profileDocuments, profileText } from './shown.js';

export const command = defineCommand({
  path: 'profile list',
  summary: 'list files with profiles',
  description:
    'Lists .pb.gz (go tool pprof), .cpuprofile and .heapprofile (Chrome, Visual Studio Code) and trace.json (Perfetto), the ' +
    'latest first: those of a folder, or of all folders that profile collect and --self-profile made in the temp folder.',
  flags: { dir: flag.folder({ short: 'd', describe: 'the folder; by default those in the temp folder' }) },
  examples: ['archiver profile list', 'archiver profile list -d ./profiles --json'],
  exits: { 0: 'listed', 1: 'the folder cannot be read' },
  async run({ dir }, _args, context: Results<'profile list'> & Messages & Pick<Places, 'cwd'> & TableContext) {
    const { findProfiles } = await import('../../../core/diagnostics/observe/profile-files.js');
    const found = await findProfiles(dir === undefined ? undefined : resolve(context.cwd, dir));
    const text =
      found.length === 0 ? 'no profiles: archiver profile collect writes some\n' : await profileText(found, context);
    context.result({ profiles: profileDocuments(found) }, () => text);
  },
});
