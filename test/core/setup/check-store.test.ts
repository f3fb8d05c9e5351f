import { expect, test } from 'vitest';
import { type CheckLine, probeStore, roundTrip } from '../../../src/core/setup/check-store.js';
import type { OpenedStore } from '../../../src/core/store/open-store.js';
import { useBrokenS3 } from '../../support/broken-s3.js';
import { openTestS3 } from '../../support/open-s3.js';

const broken = useBrokenS3();

test.each([
  ['probe', probeStore, /probe/],
  ['round trip', roundTrip, /manifest/],
])('a %s that is cancelled waits for a clean-up without an answer only so long', async (_, check, path) => {
  const ending = new AbortController();
  const when = (): boolean => {
    ending.abort();
    return true;
  };
  broken.proxy.inject({ operation: 'GetObject', path, when, fault: { kind: 'no-answer' } });
  broken.proxy.inject({ operation: 'DeleteObjects', fault: { kind: 'no-answer' } });
  const told: CheckLine[] = [];
  const open = (below = ''): Promise<OpenedStore> =>
    openTestS3(broken.proxy.endpoint, 'bucket', { prefix: `p/${below}` });
  const options = { open, tell: (line: CheckLine) => void told.push(line), signal: ending.signal, cleanUpMs: 1 };

  await expect(check(options)).rejects.toMatchObject({ code: 'cancelled' });

  expect(told.at(-1)?.text).toMatch(/^archiver-setup-\S+ stays in the store: .*no answer/);
});
