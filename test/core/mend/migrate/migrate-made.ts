// Migrates an archive from one folder store to another, and reads back what the manifest says.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TransferEvent } from '../../../../src/core/events/events.js';
import type { Entry } from '../../../../src/core/format/manifest/manifest-types.js';
import { readManifest } from '../../../../src/core/format/manifest/manifest-reader.js';
import type { MigrateOptions, MigrateResult } from '../../../../src/core/mend/migrate/migrate-options.js';
import { migrate } from '../../../../src/core/mend/migrate/migrate.js';
import { openStore, type OpenedStore } from '../../../../src/core/store/open-store.js';
import { tempFolder } from '../../../support/temp-folder.js';

export interface Place {
  readonly home: string;
  /** Where the archive lies. */
  readonly archives: string;
  /** Where uploads go. */
  readonly store: string;
  readonly temp: string;
}

/** A fresh place with an archive `old.tar` in it. */
export async function placeWith(archive: Uint8Array): Promise<Place> {
  const home = await tempFolder();
  const [archives, store, temp] = ['archives', 'store', 'temp'].map((name) => join(home, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(archives);
  mkdirSync(temp);
  writeFileSync(join(archives, 'old.tar'), archive);
  return { home, archives, store, temp };
}

export type Changes = Partial<Omit<MigrateOptions, 'upload'>> & {
  readonly upload?: Partial<MigrateOptions['upload']>;
  readonly bendArchive?: (opened: OpenedStore) => OpenedStore;
};

/** Migrates `old.tar` of a place. */
export async function migrateAt(
  { archives, store, temp }: Place,
  { upload = {}, bendArchive = (opened) => opened, ...changes }: Changes = {},
): Promise<MigrateResult> {
  const opened = await openStore(`file://${archives}`, { env: {} });
  return await migrate({
    archive: { opened: bendArchive(opened), key: 'old.tar', url: `file://${archives}/old.tar`, owner: 'here' },
    tempParent: temp,
    keepTemp: false,
    validate: true,
    deleteOriginal: false,
    emit: () => undefined,
    open: (onEvent) => openStore(`file://${store}`, { env: {}, onEvent }),
    signal: new AbortController().signal,
    ...changes,
    upload: {
      now: () => new Date('2026-01-02T03:04:05Z'),
      dataset: { host: 'here' },
      packing: { compressionLevel: 3, frameBytes: 1 << 20, workers: 1 },
      layout: { shardCount: 8 },
      labels: { tool: 'a test' },
      ...upload,
    },
  });
}

export interface Migrated extends MigrateResult {
  readonly place: Place;
  readonly manifest: Awaited<ReturnType<typeof readManifest>>;
  readonly listed: ReadonlyMap<string, Entry>;
  readonly events: readonly TransferEvent[];
}

/** Migrates an archive and reads the manifest back; the temporary folder must be gone. */
export async function migrateMade(archive: Uint8Array, changes: Changes = {}): Promise<Migrated> {
  const place = await placeWith(archive);
  const events: TransferEvent[] = [];
  const result = await migrateAt(place, { emit: (event) => void events.push(event), ...changes });
  const listed = new Map<string, Entry>();
  const opened = await openStore(`file://${place.store}`, { env: {} });
  const { uploadId } = result;
  const manifest = await readManifest(opened.store, {
    uploadId,
    onEntry: (entry) => void listed.set(entry.path, entry),
  });
  opened.close();
  return { ...result, place, manifest, listed, events };
}

/** What is left in the folder for temporary files. */
export const leftIn = ({ temp }: Place): string[] => readdirSync(temp, { recursive: true }).map(String);

/** What uploads hold. */
export const uploadsIn = ({ store }: Place): string[] => {
  try {
    return readdirSync(join(store, 'uploads'), { recursive: true }).map(String);
  } catch {
    return []; // nothing was ever written there
  }
};
