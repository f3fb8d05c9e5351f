// Ids of agents: of services, and of those that a timer starts.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { instanceIdOf } from '../../../../src/core/fleet/agent/instance-id.js';
import { tempFolder } from '../../../support/temp-folder.js';

test('agents of a timer have one id as long as their computer is up, and services have their own', async () => {
  const folder = await tempFolder();
  const boots = ['first', 'second'].map((name) => join(folder, name));
  for (const path of boots) writeFileSync(path, `${path}\n`);
  const [first = '', second] = boots;

  const id = instanceIdOf('nas', true, first);

  expect(instanceIdOf('nas', true, first)).toBe(id);
  const others = [
    instanceIdOf('nas', true, second),
    instanceIdOf('web', true, first),
    instanceIdOf('nas', false, first),
    instanceIdOf('nas', false, first),
    instanceIdOf('nas', true, join(folder, 'none')),
  ];
  expect(new Set([id, ...others]).size).toBe(6);
});
