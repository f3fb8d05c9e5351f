// What a person does in the shell of the archive that the browser is shown with.
import { openArchiveWorld } from './archive-world.js';
import type { PhotographedScreen } from './scene.js';

export const shellScreen: PhotographedScreen = {
  name: 'shell',
  open: () => openArchiveWorld('shell'),
  scenes: [
    {
      name: 'session',
      steps: [
        ['see', '/>'],
        ['type', 'ls data/features\r'],
        ['see', '5 files'],
        ['type', 'head config/params.yaml 3\r'],
        ['see', 'overlap'],
        ['type', 'cat models/run-12/model.bin\r'],
        ['see', 'archiver restore'],
        ['type', 'stage list\r'],
        ['see', /^ +train/],
      ],
    },
    {
      name: 'completion',
      steps: [
        ['see', '/>'],
        ['type', 'cd models\r'],
        ['see', 'models>'],
        ['type', 'stat run-1\t'],
        ['see', 'run-12/  '],
      ],
    },
  ],
};
