import { expect, test } from 'vitest';
import { createServeStore } from '../../../src/stores/serve/serve-store.js';

test('keeps the last notes of a server that runs for months, and counts the others', () => {
  const store = createServeStore(() => 0);
  for (let at = 0; at < 10_000; at++) store.getState().note(`note ${at}`);
  store.getState().refresh();

  const { notes, droppedNotes } = store.getState().snapshot;
  expect(notes.length).toBeLessThanOrEqual(2000);
  expect([notes.length + droppedNotes, notes[0], notes.at(-1)]).toEqual([10_000, `note ${droppedNotes}`, 'note 9999']);
});

test('shows the last requests, equal ones in a row as one', () => {
  const store = createServeStore(() => 0);
  for (const path of ['/a', '/b', '/b', '/c', '/d', '/e', '/f'])
    store.getState().answered({ method: 'GET', path, status: 200 });
  store.getState().refresh();

  const { requests, recent } = store.getState().snapshot;
  expect([requests, recent.map(({ path, times }) => `${path} ${times}`)]).toEqual([
    7,
    ['/b 2', '/c 1', '/d 1', '/e 1', '/f 1'],
  ]);
});
