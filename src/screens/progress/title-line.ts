import { displayText } from '../../stores/display-text.js';
import type { TransferSnapshot } from '../../stores/transfer-state.js';
import { glyphsFor } from '../../ui/glyphs.js';
import type { Line } from '../../ui/toned-line.js';
import type { Look } from '../../ui/look.js';
import { cutEnd, cutMiddle, textWidth } from '../../ui/text-width.js';
import { OPERATION_WORDS } from './progress-words.js';

/** "Uploading SOURCE to TARGET   zstd content-aware, 16 shards"; the settings go first when there is no room. */
export function titleLine(snapshot: TransferSnapshot, columns: number, look: Look): Line | undefined {
  if (snapshot.operation === undefined) return undefined;
  const { doing } = OPERATION_WORDS[snapshot.operation];
  const source = displayText(snapshot.source, look);
  const target = displayText(snapshot.target, look);
  const names = fitNames(source, target, columns - doing.length - 1, glyphsFor(look).ellipsis);
  const title: Line = [{ text: `${doing} ` }, { text: names, tone: 'accent' }];
  const settings = settingsText(snapshot);
  const room = columns - doing.length - 1 - textWidth(names);
  return settings !== '' && settings.length + 3 <= room ? [...title, { text: `   ${settings}`, tone: 'dim' }] : title;
}

function fitNames(source: string, target: string, room: number, ellipsis: string): string {
  if (target === '') return cutPlace(source, room, ellipsis);
  const both = room - ' to '.length;
  // The target gives way last, down to two thirds of the line: an upload's ends in the id that people copy.
  const sourceRoom = Math.max(Math.floor(both / 3), both - textWidth(target));
  const shownSource = cutPlace(source, sourceRoom, ellipsis);
  return `${shownSource} to ${cutPlace(target, both - textWidth(shownSource), ellipsis)}`;
}

/** Cuts an address or path so that its last part, often an id, stays whole where it fits. */
function cutPlace(place: string, room: number, ellipsis: string): string {
  const slash = place.lastIndexOf('/', place.length - 2);
  const last = slash === -1 ? '' : place.slice(slash);
  const front = room - textWidth(last) - textWidth(ellipsis);
  if (textWidth(place) <= room || last === '' || front < 1) return cutMiddle(place, room, ellipsis);
  return cutEnd(place.slice(0, slash), front + textWidth(ellipsis), ellipsis) + last;
}

function settingsText({ compression, shards }: TransferSnapshot): string {
  const parts = [compression ?? '', shards.length > 1 ? `${shards.length} shards` : ''];
  return parts.filter((part) => part !== '').join(', ');
}
