// Commands at the base of a fleet: they reach the writers below it, or say that these are there.
import { flag } from '../../cli/flag.js';
import type { Cancellation, Messages } from '../../cli/context.js';
import { undefinedOn } from '../../core/platform/failures/errors.js';
import type { ObjectReader } from '../../core/store/object-store.js';

export const allWritersFlag = {
  allWriters: flag.on({ describe: 'look in writers/ID/ of every writer below S3_URL as well: the base of a fleet' }),
};

/** The place of one writer, which has none below it. */
const OF_WRITER = /\/writers\/[^/]+$/;

interface WriterValues {
  readonly allWriters: boolean;
  readonly writerId?: string | undefined;
}

/** The places to look at, relative to the base: itself (''), and with the flag those of its writers. @throws what the listing throws */
export async function placesOf(
  reader: ObjectReader,
  { allWriters }: WriterValues,
  { signal, warn }: Cancellation & Pick<Messages, 'warn'>,
): Promise<readonly string[]> {
  if (!allWriters) return [''];
  const { listWriters } = await import('../../core/dataset/records/find-places.js');
  const { oddTexts } = await import('../../core/store/ids/key-form.js');
  const { places, odd } = await listWriters(reader, signal);
  for (const text of oddTexts(odd)) warn(text);
  return ['', ...places];
}

/** Says that writers lie below which were not asked for, and `how` they are. One LIST; where it is denied, nothing is known of them. */
export async function noteWriters(
  reader: ObjectReader,
  { allWriters = false, writerId }: Partial<WriterValues>,
  { signal, note }: Cancellation & Pick<Messages, 'note'>,
  how?: string,
): Promise<void> {
  if (allWriters || writerId !== undefined || OF_WRITER.test(reader.url)) return;
  const { listWriters } = await import('../../core/dataset/records/find-places.js');
  const { writersHint } = await import('../../core/dataset/records/writers-below.js');
  const { places = [] } = (await listWriters(reader, signal).catch(undefinedOn('access-denied'))) ?? {};
  if (places.length > 0) note(writersHint(places.length, how));
}

/** The writer of a place; '' for the base. */
export const writerOf = (place: string): string => place.replace(/^writers\//, '');
