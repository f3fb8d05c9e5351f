// The page of one file: its versions, opening one, comparing two.
import { expect, it } from 'vitest';
import type { PathChange, PathHistory } from '../../../src/core/dataset/history/path-history.js';
import type { VersionRecord } from '../../../src/core/format/manifest/manifest-types.js';
import { rawFromText } from '../../../src/core/platform/paths/raw-path.js';
import type { BrowsePorts } from '../../../src/stores/browse/actions.js';
import { listingOf, openedListing } from '../../support/browse-listing.js';
import { type Browser, openBrowser, settled } from './open-browser.js';

const PATH = 'config/params.yaml';
const ESC = '\u001b';
const record = (version: number): VersionRecord =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the page uses no more of a record
  ({ version, uploadId: `u${version}`, createdAt: '2026-01-02T03:04:05Z' }) as unknown as VersionRecord;
const entry = (size: number): PathChange['entry'] => ({
  path: rawFromText(PATH),
  type: 'file',
  size,
  mtime: { seconds: 1_700_000_000, nanos: 0 },
});
/** v1 has it, v2 and v3 have another content, v4 has none. */
const HISTORY: PathHistory = {
  versions: 4,
  problems: ['v5 was not searched: its manifest is gone'],
  changes: [
    { change: 'added', record: record(1), last: record(1), entry: entry(8) },
    { change: 'modified', record: record(2), last: record(3), entry: entry(9) },
    { change: 'deleted', record: record(4), last: record(4), entry: undefined },
  ],
};
const TEXT = { 1: 'a\nb\nc\n', 3: 'a\nB\u001b[31m\nc\n' };

async function opened(ports: Partial<BrowsePorts> = {}): Promise<Browser> {
  const own = await listingOf([
    { path: 'aaa', content: 'x' },
    { path: PATH, content: 'now' },
  ]);
  const browser = openBrowser(own, {
    ports: {
      pathHistory: () => Promise.resolve(HISTORY),
      openVersion: async (_opened, { version }) =>
        openedListing(await listingOf([{ path: PATH, content: TEXT[version as 1 | 3] }]), {
          datasetId: 'run-04xx',
          version,
          isHead: false,
          manifestSha256: [],
        }),
      preview: ({ version }) =>
        Promise.resolve({ kind: 'text', lines: TEXT[version?.version as 1 | 3].trimEnd().split('\n'), isCut: false }),
      ...ports,
    },
  });
  browser.press('/params\r');
  return browser;
}

const text = (browser: Browser): string => browser.frame(80, 24).join('\n');

it('H shows what became of the file, newest first, and what could not be searched', async () => {
  const browser = await opened();
  browser.press('H');
  await settled();

  const shown = text(browser);
  expect(shown).toMatch(/v4 +- deleted[^]*v2-v3 +~ modified[^]*v1 +\+ added/);
  expect(shown).toContain('! v5 was not searched');
  expect(shown).toContain('1 of 3');
});

it('enter opens the version under the cursor with the cursor on the file, not one that lacks it', async () => {
  const browser = await opened();
  browser.press('H');
  await settled();
  browser.press('\r');
  expect(browser.state().notice).toContain('does not have it');
  browser.press('j\r');
  await expect.poll(() => browser.state().page).toBe('files');

  const { opened: version, position, listed, busy } = browser.state();
  expect([version.version?.version, version.listing.path(listed[position] ?? -1), busy]).toEqual([3, PATH, undefined]);
  browser.press(' ');
  expect(browser.state().marks.files).toBe(1);
});

it('D compares with the version before: what differs, and the lines of a text, safe to show', async () => {
  const browser = await opened();
  browser.press('HjD');
  await settled();
  browser.press('jD');
  await expect.poll(() => browser.state().file?.comparison).toBeDefined();

  const shown = text(browser);
  expect(shown).toContain('v1, then v2');
  expect(shown).toContain('content: 6 bytes, then 11 bytes');
  expect(shown).toMatch(/- b\n[^]*\+ B/);
  expect(shown).not.toContain('\u001b[31m');
  browser.press(ESC);
  await expect.poll(() => text(browser)).toContain('v2-v3');
  browser.press(ESC);
  await expect.poll(() => browser.state().page).toBe('files');
});

it('a history that cannot be read says why, and one that is left is cancelled', async () => {
  const failing = await opened({ pathHistory: () => Promise.reject(new Error('access denied to datasets/')) });
  failing.press('H');
  await settled();
  expect(text(failing)).toContain('access denied to datasets/');

  let stop: AbortSignal | undefined;
  const waiting = await opened({
    pathHistory: (_opened, _path, signal) => {
      stop = signal;
      return new Promise(() => undefined);
    },
  });
  waiting.press('H');
  expect(text(waiting)).toContain('looking into the versions');
  waiting.press(ESC);
  await expect.poll(() => [stop?.aborted, waiting.state().page]).toEqual([true, 'files']);
});
