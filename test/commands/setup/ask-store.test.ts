import { expect, test } from 'vitest';
import { askStore } from '../../../src/commands/setup/ask-store.js';
import type { StoreContext } from '../../../src/commands/kit/store.js';
import type { CheckLine } from '../../../src/core/setup/check-store.js';
import { useBrokenS3 } from '../../support/broken-s3.js';
import { tempFolder } from '../../support/temp-folder.js';

const s3 = useBrokenS3();

test('a store that does not keep If-None-Match stays as usable as it is, with a warning', async () => {
  s3.server.conditions.ifNoneMatch = 'unknown';
  const told: CheckLine[] = [];
  const context = {
    home: await tempFolder(),
    now: () => new Date(),
    signal: new AbortController().signal,
    warn: () => undefined,
  } as Partial<StoreContext> as StoreContext;

  const asked = await askStore(
    'all',
    () => s3.open(),
    (line) => void told.push(line),
    context,
  );
  s3.server.conditions.ifNoneMatch = 'kept';

  expect(asked).toMatchObject({ usability: 'all', isPlain: true });
  expect(asked.capabilities[0]).toMatchObject({ name: 'create-once', state: 'no' });
  expect(asked.capabilities.find(({ name }) => name === 'storage-classes')).toMatchObject({ state: 'yes' });
  expect(told).toEqual([
    expect.objectContaining({ tone: 'warn', text: expect.stringContaining('does not know If-None-Match') as string }),
  ]);
});
