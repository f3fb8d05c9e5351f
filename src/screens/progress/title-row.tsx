import type { ReactElement } from 'react';
import { displayText } from '../../stores/display-text.js';
import type { TransferSnapshot } from '../../stores/transfer-snapshot.js';
import { useSize } from '../../ui/size.js';
import { cut, widthOf } from '../../ui/text.js';
import { Tint, useTheme } from '../../ui/theme.js';
import { kindOf } from './progress-words.js';

/** "Uploading SOURCE to TARGET   zstd content-aware, 16 shards"; the settings go first when there is no room. */
export function TitleRow({ snapshot }: { readonly snapshot: TransferSnapshot }): ReactElement {
  const { columns } = useSize();
  const look = useTheme();
  const doing = kindOf(snapshot)?.doing ?? '';
  const source = displayText(snapshot.source, look);
  const target = displayText(snapshot.target, look);
  const room = columns - doing.length - 1;
  const names = fitNames({ source, target, room, mark: look.glyphs.ellipsis });
  const settings = settingsText(snapshot);
  return (
    <Tint>
      {`${doing} `}
      <Tint tone="accent">{names}</Tint>
      {settings !== '' && settings.length + 3 <= room - widthOf(names) && <Tint tone="dim">{`   ${settings}`}</Tint>}
    </Tint>
  );
}

interface Names {
  readonly source: string;
  readonly target: string;
  readonly room: number;
  readonly mark: string;
}

function fitNames({ source, target, room, mark }: Names): string {
  if (target === '') return cutPlace(source, room, mark);
  const both = room - ' to '.length;
  // The target is shortened last, down to two thirds of the line: an upload's ends in the ID that people copy.
  const sourceRoom = Math.max(Math.floor(both / 3), both - widthOf(target));
  const shownSource = cutPlace(source, sourceRoom, mark);
  return cut(`${shownSource} to ${cutPlace(target, both - widthOf(shownSource), mark)}`, room, 'end', mark);
}

/** Cuts an address or path so that its last part, often an ID, stays whole if it fits. */
function cutPlace(place: string, room: number, mark: string): string {
  const slash = place.lastIndexOf('/', place.length - 2);
  const last = slash === -1 ? '' : place.slice(slash);
  const front = room - widthOf(last);
  if (widthOf(place) <= room || last === '' || front < 2) return cut(place, room, 'middle', mark);
  return cut(place.slice(0, slash), front, 'end', mark) + last;
}

function settingsText({ compression, shards }: TransferSnapshot): string {
  const parts = [compression ?? '', shards.length > 1 ? `${shards.length} shards` : ''];
  return parts.filter((part) => part !== '').join(', ');
}
