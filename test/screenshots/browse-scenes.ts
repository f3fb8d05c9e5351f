// What a person does with a dataset in the browser.
import { openArchiveWorld } from './archive-world.js';
import type { PhotographedScreen } from './scene.js';

const FOUR = '/part-00\ra/\u0015run-12/model\r ';

export const browseScreen: PhotographedScreen = {
  name: 'browse',
  open: () => openArchiveWorld('browse'),
  scenes: [
    {
      name: 'list',
      steps: [
        ['see', ' 1 of '],
        ['type', FOUR],
        ['see', '4 selected'],
        ['type', '\u001b'],
        ['see', 'search: none'],
      ],
    },
    {
      name: 'tree',
      steps: [
        ['see', ' 1 of '],
        ['type', '/run-12/model\r '],
        ['see', '1 selected'],
        ['type', '\u001b'],
        ['see', 'search: none'],
        ['type', 't'],
        ['see', 'run-13/'],
      ],
    },
    {
      name: 'sizes',
      steps: [
        ['see', ' 1 of '],
        ['type', 'ts\u001b[H'],
        ['see', 'sort: size'],
        ['type', 'l'],
        ['see', 'features/'],
      ],
    },
    {
      name: 'search',
      steps: [
        ['see', ' 1 of '],
        ['type', '/model'],
        ['see', 'model.bin'],
      ],
    },
    {
      name: 'info',
      steps: [
        ['see', ' 1 of '],
        ['type', '/params\ri'],
        ['see', 'window: 512'],
        ['see', 'v3 v2 v1'],
      ],
    },
    {
      name: 'changes',
      steps: [
        ['see', ' 1 of '],
        ['type', 'D'],
        ['see', 'gone'],
        ['type', 'jj '],
        ['see', '1 selected'],
      ],
    },
    {
      name: 'confirm',
      args: ['--max-restore-cost', '0.50'],
      steps: [
        ['see', ' 1 of '],
        ['type', `${FOUR}\r`],
        ['see', 'READY BY'],
      ],
    },
    {
      name: 'help',
      steps: [
        ['see', ' 1 of '],
        ['type', '?'],
        ['see', 'search as you type'],
      ],
    },
  ],
};
