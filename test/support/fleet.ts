// A fleet in a folder: heartbeats and configs with the times that a store would give them.
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Heartbeat, heartbeatBytes, heartbeatKey } from '../../src/core/fleet/heartbeat.js';
import { recordKey } from '../../src/core/dataset/records/version-record.js';
import { heartbeat } from './heartbeat.js';

/** Puts an object, dated. */
export async function putAt(folder: string, key: string, body: string | Uint8Array, time: string): Promise<void> {
  const path = join(folder, key);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, body);
  await utimes(path, new Date(time), new Date(time));
}

/** A writer checks in, at the time that its heartbeat says unless the store's clock says another, with the versions that it speaks of. */
export async function checkIn(
  folder: string,
  writerId: string,
  change: Partial<Heartbeat> = {},
  time?: string,
): Promise<void> {
  const sent = heartbeat(writerId, change);
  for (const { datasetId, version, lastSuccessAt } of sent.sources)
    if (datasetId !== null && version !== null)
      await putRecord(folder, writerId, { datasetId, version }, lastSuccessAt ?? sent.checkedInAt);
  await putAt(folder, heartbeatKey(writerId), heartbeatBytes(sent), time ?? sent.checkedInAt);
}

/** The store has a version; its record has no content, since nobody reads it who only watches. */
export const putRecord = (
  folder: string,
  writerId: string,
  { datasetId, version }: { readonly datasetId: string; readonly version: number },
  time: string,
): Promise<void> => putAt(folder, `writers/${writerId}/${recordKey({ datasetId, version })}`, '{}', time);

/** An operator puts a config. */
export const putConfig = (folder: string, writerId: string, version: number, time: string): Promise<void> =>
  putAt(folder, `fleet/${writerId}/config.yaml`, `version: ${version}\nwriter_id: ${writerId}\n`, time);
