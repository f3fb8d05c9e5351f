// What an upload says of its progress: files, bytes and result are one sum.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { UploadJournal } from '../../../../src/core/archive/resume/upload-journal.js';
import { StoredFiles } from '../../../../src/core/archive/transfer/stored-files.js';
import { KIND, STATUS } from '../../../../src/core/format/columns/entry-table.js';
import { applyEvent, createTransferState } from '../../../../src/stores/transfer-state.js';
import { snapshotOf } from '../../../../src/stores/transfer-snapshot.js';
import { doneFraction } from '../../../../src/screens/progress/done-fraction.js';
import { tempFolder } from '../../../support/temp-folder.js';
import { uploadFolder } from '../upload-folder.js';
import { noise } from '../trees.js';

async function sourceOf(files: number, sizeBytes: number): Promise<string> {
  const source = await tempFolder();
  for (let at = 0; at < files; at++) writeFileSync(join(source, `file-${at}`), noise(sizeBytes));
  return source;
}

/** A journal that keeps nothing but what it is told of progress. */
function listeningJournal() {
  const told: object[] = [];
  const nothing = (): Promise<undefined> => Promise.resolve(undefined);
  const journal: UploadJournal = {
    planned: nothing,
    acknowledged: () => undefined,
    sent: (done, of) => void told.push({ ...done, of }),
    movedTo: nothing,
    committing: nothing,
    kept: undefined,
    keep: nothing,
    remove: nothing,
    discard: nothing,
  };
  return { journal, told };
}

test('files count when the store has them, and all is done only then', async () => {
  const source = await sourceOf(12, 1000);
  const state = createTransferState(0);
  let now = 0;
  const seen: { items: number; read: number; percent: number }[] = [];
  const look = (): void => {
    const snapshot = snapshotOf(state, now);
    const { itemsDone: items, read } = snapshot;
    seen.push({ items, read: read?.items ?? 0, percent: Math.floor((doneFraction(snapshot) ?? 0) * 100) });
  };
  applyEvent(state, { type: 'start', operation: 'upload', source, target: '' }, 0);
  let arrive: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (arrive = resolve));
  const { journal, told } = listeningJournal();
  const run = uploadFolder(source, await tempFolder(), {
    journal,
    shardCount: 1,
    wrap: (store) => ({
      ...store,
      async put(key, body, options) {
        if (!key.includes('chunk')) return await store.put(key, body, options);
        options?.onSent?.(1e9);
        await held;
        return await store.put(key, body, options);
      },
    }),
    onEvent: (event) => applyEvent(state, event, ++now),
  });

  await expect.poll(() => (look(), seen.at(-1))).toEqual({ items: 0, read: 12, percent: 99 });
  arrive();
  const { files, bytes } = await run.result;
  look();

  expect(seen.at(-1)).toEqual({ items: 12, read: 12, percent: 100 });
  expect(told.at(-1)).toMatchObject({ files, bytes, of: { files, bytes } });
  expect(snapshotOf(state, now)).toMatchObject({ itemsDone: files, bytesDone: bytes, itemsTotal: files });
});

test('a file that is cut counts once all its pieces are there, in whatever order they arrive', () => {
  const columns = {
    kind: Uint8Array.of(KIND.file, KIND.directory),
    status: Uint8Array.of(STATUS.stored, STATUS.stored),
  };
  const stored = new StoredFiles({ columns } as never);
  const piece = (number: number) => ({
    entries: Uint32Array.of(0),
    part: { number, of: 3, offset: 0, size: 1 },
  });

  expect([3, 1, 2].map((number) => stored.add(piece(number)))).toEqual([0, 0, 1]);
});

test('folders and files that could not be read are none that are stored', () => {
  const columns = {
    kind: Uint8Array.of(KIND.file, KIND.file, KIND.directory, KIND.symlink),
    status: Uint8Array.of(STATUS.changed, STATUS.skipped, STATUS.stored, STATUS.stored),
  };

  expect(new StoredFiles({ columns } as never).add({ entries: Uint32Array.of(0, 1, 2, 3) })).toBe(2);
});
