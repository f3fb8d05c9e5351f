// A folder with some files, and a store beside it, by the face of the engine.
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { type EngineEvent, openStore, type Store, type StoreOptions } from '../../src/engine/index.js';
import { tempFolder } from './temp-folder.js';

export interface EngineStore {
  readonly folder: string;
  readonly source: string;
  readonly store: Store;
  /** A path for a restore. */
  readonly out: string;
  /** Writes a file of the source; its time is `second`, so that a change is seen. */
  readonly write: (path: string, content: string | Uint8Array, second?: number) => void;
  /** Opens the store once more. */
  readonly open: (options: StoreOptions) => Promise<Store>;
}

/** Three files below `photos`, and an empty store. */
export async function engineStore(options: StoreOptions = {}): Promise<EngineStore> {
  const folder = await tempFolder();
  const source = join(folder, 'photos');
  const write: EngineStore['write'] = (path, content, second = 1_700_000_000) => {
    mkdirSync(join(source, path, '..'), { recursive: true });
    writeFileSync(join(source, path), content);
    utimesSync(join(source, path), second, second);
  };
  write('a.txt', 'alpha');
  write('b.csv', 'x,y\n');
  write('deep/c.txt', 'gamma');
  const open: EngineStore['open'] = async (more) => {
    const store = await openStore(`file://${folder}/store`, { host: 'test', ...more });
    onTestFinished(() => store.close());
    return store;
  };
  return { folder, source, store: await open(options), out: join(folder, 'out'), write, open };
}

/** Takes events, and says which types came, each once. */
export function eventLog(): {
  readonly onEvent: (event: EngineEvent) => void;
  readonly types: () => readonly string[];
} {
  const seen = new Set<string>();
  return { onEvent: ({ type }) => void seen.add(type), types: () => [...seen] };
}
