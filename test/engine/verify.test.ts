import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { archive, type CheckOptions, sync, verify, verifyStore } from '../../src/engine/index.js';
import { engineStore, eventLog } from '../support/engine-store.js';

/** The only chunk that there is. */
function chunkIn(folder: string): string {
  const entries = readdirSync(join(folder, 'store', 'uploads'), { recursive: true, withFileTypes: true });
  const chunk = entries.find((entry) => entry.isFile() && !entry.name.startsWith('manifest'));
  return join(chunk?.parentPath ?? '', chunk?.name ?? '');
}

describe('verify', () => {
  test.each(['manifest', 'presence', 'content'] as const)(
    'says that a version is whole as far as its %s',
    async (check) => {
      const { source, store } = await engineStore();
      const { uploadId } = await archive(store, source);
      const { onEvent, types } = eventLog();

      expect(await verify(store, { check, onEvent })).toEqual({
        ok: true,
        uploadId,
        checked: check,
        errors: [],
        errorCount: 0,
        warnings: [],
        hint: null,
        entries: 4,
        files: 3,
        bytes: 14,
        chunks: 1,
        chunksRead: check === 'content' ? 1 : 0,
        unreadCold: [],
        filesRead: check === 'content' ? 3 : 0,
        bytesRead: expect.any(Number),
      });
      expect(types()[0]).toBe('start');
    },
  );

  test('finds what is missing and what is damaged, as far as it looks', async () => {
    const { folder, source, store } = await engineStore();
    await archive(store, source);
    const chunk = chunkIn(folder);
    const whole = readFileSync(chunk);

    writeFileSync(chunk, Buffer.from(whole).fill(0, 0, 40));
    expect(await verify(store)).toMatchObject({ ok: true, checked: 'presence' });
    expect(await verify(store, { check: 'content', sample: 0.1 })).toMatchObject({ ok: false });
    rmSync(chunk);
    expect(await verify(store, { check: 'manifest' })).toMatchObject({ ok: true });
    const { ok, errors, hint } = await verify(store);

    expect([ok, errors, hint]).toEqual([
      false,
      [{ message: expect.any(String), key: expect.any(String) }],
      expect.any(String),
    ]);
  });

  test.each<[string, CheckOptions & { readonly dataset?: string }, string]>([
    ['a check that is none', { check: 'deep' as 'content' }, 'usage'],
    ['a share that is none', { check: 'content', sample: 0 }, 'usage'],
    ['too little memory', { memoryLimit: 1 }, 'usage'],
    ['what is not there', { dataset: 'none' }, 'not-found'],
    ['a signal that has come', { signal: AbortSignal.abort() }, 'cancelled'],
  ])('refuses %s', async (_what, options, code) => {
    const { source, store } = await engineStore();
    await archive(store, source);

    await expect(verify(store, options)).rejects.toMatchObject({ code });
  });
});

describe('verifyStore', () => {
  test('looks at every version of every dataset', async () => {
    const { folder, source, store, write } = await engineStore();
    const { datasetId } = await sync(store, source);
    const chunk = chunkIn(folder);
    write('new.txt', 'new');
    await sync(store, source);

    expect(await verifyStore(store)).toMatchObject({
      ok: true,
      checked: 'presence',
      versions: 2,
      damagedVersions: 0,
      datasets: [
        {
          datasetId,
          ok: true,
          versions: [
            { version: 1, ok: true },
            { version: 2, ok: true },
          ],
        },
      ],
      isComplete: true,
    });
    rmSync(chunk);
    expect(await verifyStore(store)).toMatchObject({ ok: false, damagedVersions: 2 });
  });

  test('ends with its signal', async () => {
    const { source, store } = await engineStore();
    await archive(store, source);
    const ending = new AbortController();

    const verifying = verifyStore(store, {
      check: 'content',
      signal: ending.signal,
      onEvent: () => ending.abort(),
    });

    await expect(verifying).rejects.toMatchObject({ code: 'cancelled' });
  });
});
