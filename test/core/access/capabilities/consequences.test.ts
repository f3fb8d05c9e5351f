// What follows from each row points at a section of the docs: it has to be there.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CAPABILITY_NAMES, CAPABILITY_STATES, notKnown } from '../../../../src/core/access/capabilities/capability.js';
import { capability, FOLDER } from '../../../../src/core/access/capabilities/consequences.js';

const texts = CAPABILITY_NAMES.flatMap((name) =>
  CAPABILITY_STATES.map((state) => capability(name, { ...notKnown(''), state }).consequence),
);

test.each([...new Set([...texts, ...Object.values(FOLDER)])])('%s', (text) => {
  const [, file = '', section = ''] = / See (docs\/[a-z]+\.md), ([^.]+)\.$/.exec(text) ?? [];

  expect(readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8')).toMatch(
    new RegExp(`^#+ ${section}$`, 'm'),
  );
});
