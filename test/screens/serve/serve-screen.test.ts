import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { startServeScreen } from '../../../src/screens/serve/serve-screen.js';
import { createServeStore } from '../../../src/stores/serve/serve-store.js';
import { settle } from '../../support/in-kit.js';

test('prints each note once, also when the store has dropped the first ones', async () => {
  const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 80, rows: 24 });
  let written = '';
  stream.on('data', (data: Buffer) => void (written += data.toString()));
  const store = createServeStore(() => performance.now());
  const screen = startServeScreen({ store, title: 'Serving here', stream, look: { unicode: true, color: false } });
  const said = Array.from({ length: 3500 }, (_, at) => `note-${at}.`);

  for (const [at, note] of said.entries()) {
    store.getState().note(note);
    if (at % 250 !== 0) continue;
    store.getState().refresh();
    await settle();
  }
  store.getState().close();
  await screen.stop();

  const printed = written.match(/note-\d+\./g) ?? [];
  expect(printed).toEqual(said);
});
