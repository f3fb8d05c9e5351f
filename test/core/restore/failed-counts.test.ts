import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { TransferEvent } from '../../../src/core/events/events.js';
import { makeArchive } from '../../support/make-archive.js';
import { memoryReader } from '../../support/memory-reader.js';
import { restoreMade } from '../../support/restore-made.js';
import { tempFolder } from '../../support/temp-folder.js';

test.each([0, 1])(
  'of a restore that is stopped, all that it has done is counted; files of others: %i',
  async (others) => {
    const files = Array.from({ length: 40 }, (_, at) => ({ path: `f${at}`, content: `${at}`, chunk: at < 30 ? 0 : 1 }));
    const archive = makeArchive({ files, frameSize: 4096 });
    const [, chunk] = archive.manifest.chunks as { key?: unknown }[];
    const stop = new AbortController();
    const reader = memoryReader(archive.objects, {
      get(key, { signal }, normal) {
        if (!key.endsWith(String(chunk?.key))) return normal();
        return new Promise((_resolve, reject) =>
          signal?.addEventListener('abort', () => reject(signal.reason as Error)),
        );
      },
    });
    const outputDir = await tempFolder();
    if (others > 0) writeFileSync(join(outputDir, 'mine'), '');
    const events: TransferEvent[] = [];
    const emit = (event: TransferEvent): void => {
      if (event.type === 'progress' && events.every(({ type }) => type !== 'progress'))
        setTimeout(() => stop.abort(), 30);
      events.push(event);
    };
    const restored = restoreMade(archive, { reader, outputDir, emit, signal: stop.signal });

    await expect(restored).rejects.toMatchObject({ name: 'AbortError' });
    const done = readdirSync(outputDir).length - others;
    expect(done).toBeLessThan(40);
    expect(events.filter(({ type }) => type === 'progress').at(-1)).toMatchObject({ items: done });
  },
);
