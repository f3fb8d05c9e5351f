// Hard links while versions are compared. A group shares one content, so it is packed as a whole or kept as a whole, and when its members
// changed, every member is mentioned again. Only rows that are or were linked are examined.
import type { Entry } from '../../format/manifest/manifest-types.js';
import { type EntryTable, STATUS } from '../../format/columns/entry-table.js';
import { addTo } from '../../platform/lists-by-key.js';

interface Member {
  readonly index: number;
  /** The path's earlier entry when its content is unchanged. */
  readonly before: Entry | undefined;
}

export interface LinkSink {
  /** Lets an entry refer to the content of an earlier one; `before` is the path's own earlier entry. */
  readonly keep: (index: number, content: Entry, before: Entry | undefined) => void;
  /** Has an entry packed. */
  readonly reopen: (index: number) => void;
  /** Counts an entry as modified that looks as before and is mentioned nevertheless. */
  readonly modify: (index: number) => void;
}

export class LinkGroups {
  private readonly groups = new Map<number, Member[]>();
  /** Files that were hard links before and have a single name now. */
  private readonly alone: Member[] = [];

  constructor(
    private readonly table: EntryTable,
    private readonly sink: LinkSink,
  ) {}

  add(index: number, before: Entry | undefined): void {
    const group = this.table.columns.group[index] ?? 0;
    if (group !== 0) addTo(this.groups, group, { index, before });
    else if (before?.linkGroup !== undefined) this.alone.push({ index, before });
  }

  /** Corrects the status of rows, and reports those that are modified by that. */
  settle(): void {
    for (const member of this.alone) this.mention(member, member.before);
    const claims = new Map<number, number>();
    for (const members of this.groups.values()) {
      for (const group of new Set(members.map(({ before }) => before?.linkGroup ?? 0)))
        claims.set(group, (claims.get(group) ?? 0) + 1);
    }
    for (const members of this.groups.values()) this.settleGroup(members, claims);
  }

  private settleGroup(members: readonly Member[], claims: ReadonlyMap<number, number>): void {
    const known = members.find(({ before }) => before !== undefined)?.before;
    if (known === undefined) return; // all of it is packed
    const { status } = this.table.columns;
    if (members.some(({ before }) => before !== undefined && !isSameContent(before, known))) {
      // One inode now, with two contents before: only reading it tells which.
      for (const { index } of members) this.repack(index);
      return;
    }
    const group = known.linkGroup;
    const isSame =
      group !== undefined && claims.get(group) === 1 && members.every((m) => m.before?.linkGroup === group);
    if (isSame && members.every(({ index }) => status[index] === STATUS.same)) return;
    for (const member of members) this.mention(member, known);
  }

  /** Mentions a row with a reference to known content, unless this upload has stored it itself. */
  private mention({ index, before }: Member, known: Entry | undefined): void {
    const { status } = this.table.columns;
    if (known === undefined || status[index] === STATUS.stored || status[index] === STATUS.changed) return;
    if (status[index] === STATUS.same) this.sink.modify(index);
    status[index] = STATUS.kept;
    this.sink.keep(index, known, before);
  }

  private repack(index: number): void {
    const { status } = this.table.columns;
    if (status[index] === STATUS.same) this.sink.modify(index);
    if (status[index] !== STATUS.stored && status[index] !== STATUS.changed) this.sink.reopen(index);
  }
}

const isSameContent = (a: Entry, b: Entry): boolean =>
  a === b || (a.md5 === undefined || b.md5 === undefined ? isSamePlace(a, b) : a.md5 === b.md5);

/** A cut file has no chunk of its own: its first piece, which is alone in its chunk, says where it lies. */
function isSamePlace({ segments: [a] = [], ...one }: Entry, { segments: [b] = [], ...other }: Entry): boolean {
  return (a ?? one).chunk === (b ?? other).chunk && (a ?? one).offset === (b ?? other).offset;
}
