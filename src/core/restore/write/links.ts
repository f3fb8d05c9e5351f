// Makes hard links and symbolic links when every file is in place, so that nothing is ever written through one of them.
import { setAttributes } from './set-attributes.js';
import { errorText, systemCode } from '../../platform/failures/errors.js';
import { leadsOut } from '../../platform/paths/leads-out.js';
import { displayPath, type RawPath, rawFromText, TOP, splitPath, withEnd } from '../../platform/paths/raw-path.js';
import { fileMetadata } from './file-metadata.js';
import type { Folder } from '../output-tree/output-tree.js';
import { failureReason, fatalError } from '../output-tree/refusal.js';
import { destinationOf, STATE, type Extra, type SelectedTable } from '../plan/selected-table.js';
import type { Writing } from './folders.js';
import { addTo } from '../../platform/lists-by-key.js';

const COPY_BYTES = 1 << 20;

/**
 * Returns for each hard link the entry whose file it shares: the first selected member of its group, which is written from its own content,
 * or one that is in place already.
 */
export function planHardlinks(table: SelectedTable, extras: ReadonlyMap<number, Extra>): ReadonlyMap<number, number> {
  const carriers = new Map<number, number>();
  const members = new Map<number, number[]>();
  for (const [index, { linkGroup }] of extras) {
    const state = table.columns.state[index];
    if (linkGroup === undefined || (state !== STATE.waiting && state !== STATE.unchanged)) continue;
    addTo(members, linkGroup, index);
  }
  for (const group of members.values()) {
    const carrier = group.find((index) => table.columns.state[index] === STATE.unchanged) ?? group[0];
    for (const index of group) {
      if (carrier === undefined || index === carrier || table.columns.state[index] !== STATE.waiting) continue;
      if (isSameContent(table, index, carrier)) carriers.set(index, carrier);
    }
  }
  return carriers;
}

// If a manifest links files of different content, each is written from its own content.
const isSameContent = (table: SelectedTable, a: number, b: number): boolean =>
  table.columns.size[a] === table.columns.size[b] && table.md5(a) === table.md5(b);

class LinkMaker {
  private temporaries = 0;

  constructor(
    private readonly writing: Writing,
    private readonly warnings: string[],
  ) {}

  each(entries: Iterable<number>, make: (index: number) => void): void {
    const { table, failures, signal } = this.writing;
    for (const index of entries) {
      signal.throwIfAborted();
      try {
        make(index);
        table.columns.state[index] = STATE.done;
      } catch (error) {
        const fatal = fatalError(error);
        if (fatal !== undefined) throw fatal;
        table.columns.state[index] = STATE.failed;
        failures.add(table.path(index), failureReason(error));
      }
    }
  }

  private place(index: number): readonly [Folder, RawPath] {
    const { table, tree, settings } = this.writing;
    const [folderPath, name] = splitPath(destinationOf(table, index, settings.flatten));
    return [tree.folder(folderPath), name];
  }

  /** Creates something under a temporary name and renames it. */
  private put(folder: Folder, name: RawPath, make: (temp: RawPath) => void): void {
    const { tree, settings } = this.writing;
    const temp = withEnd(settings.tempName, rawFromText(`l${(this.temporaries++).toString(36)}`));
    try {
      make(temp);
      tree.rename(folder, temp, name);
    } catch (error) {
      tree.remove(folder, temp);
      throw error;
    }
    // When both names were links to one file already, rename has done nothing.
    if (!settings.isEmpty) tree.remove(folder, temp);
  }

  hardlink(index: number, carrier: number): void {
    const { table, tree, settings } = this.writing;
    if (table.columns.state[carrier] === STATE.failed)
      throw new Error(`the file it is linked with failed: ${displayPath(table.path(carrier))}`);
    const [folder, name] = this.place(index);
    tree.pin(folder);
    try {
      const [fromFolder, from] = this.place(carrier);
      this.put(folder, name, (temp) => {
        try {
          tree.link(fromFolder, from, folder, temp);
        } catch (error) {
          if (fatalError(error) !== undefined) throw error;
          // No hard links on this file system, or no more to this file: a copy has the content at least.
          this.copy(fromFolder, from, folder, temp, index);
          this.warnings.push(
            `${displayPath(destinationOf(table, index, settings.flatten))}: copied, not linked: ${errorText(error)}`,
          );
        }
      });
    } finally {
      tree.unpin(folder);
    }
  }

  private copy(fromFolder: Folder, from: RawPath, folder: Folder, temp: RawPath, index: number): void {
    const { table, tree, settings } = this.writing;
    const { creationMode, metadata } = fileMetadata(table, index, folder, settings);
    const source = tree.openFile(fromFolder, from);
    try {
      const fd = tree.createFile(folder, temp, creationMode);
      try {
        const buffer = Buffer.allocUnsafe(COPY_BYTES);
        for (let at = 0, count = 1; count > 0; at += count) {
          count = tree.read(source, buffer, at);
          tree.write(fd, buffer.subarray(0, count), at);
        }
        tree.describe(fd, metadata);
      } finally {
        tree.close(fd);
      }
    } finally {
      tree.close(source);
    }
  }

  symlink(index: number): void {
    const { table, tree, settings, extras } = this.writing;
    const extra = extras.get(index);
    const [folder, name] = this.place(index);
    const { metadata } = fileMetadata(table, index, folder, settings);
    const target = extra?.target ?? TOP;
    const describe = (at: RawPath): void => {
      setAttributes(
        (attribute, value) => tree.setLinkAttribute(folder, at, attribute, value),
        extra?.xattrs,
        (attribute, error) =>
          this.warnings.push(
            `${displayPath(table.path(index))}: attribute ${displayPath(attribute)} not restored: ${errorText(error)}`,
          ),
      );
      tree.describeLink(folder, at, metadata);
    };
    // A link has its content at once: where nothing has its name, it needs no other.
    try {
      tree.symlink(folder, name, target);
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error;
      return this.put(folder, name, (temp) => {
        tree.symlink(folder, temp, target);
        describe(temp);
      });
    }
    try {
      describe(name);
    } catch (error) {
      tree.remove(folder, name);
      throw error;
    }
  }
}

/** Makes the hard links, then the symbolic links. */
export function makeLinks(writing: Writing, hardlinks: ReadonlyMap<number, number>, warnings: string[]): void {
  const { table } = writing;
  const maker = new LinkMaker(writing, warnings);
  maker.each(hardlinks.keys(), (index) => maker.hardlink(index, hardlinks.get(index) ?? index));
  const symlinks = function* (): Generator<number> {
    for (let index = 0; index < table.count; index++) {
      if (table.type(index) === 'symlink' && table.columns.state[index] === STATE.waiting) yield index;
    }
  };
  maker.each(symlinks(), (index) => maker.symlink(index));
  warnings.push(...outsideText(writing));
}

const NAMED = 5;

/** Names links in outputs of DVC that lead out of the folder: the archive has no content for them. */
function outsideText({ table, extras }: Writing): readonly string[] {
  const outside = [...extras].flatMap(([index, { target, stage }]) => {
    const isThere = table.columns.state[index] === STATE.done || table.columns.state[index] === STATE.unchanged;
    const path = table.path(index);
    return isThere && stage !== undefined && target !== undefined && leadsOut(path, target) ? [displayPath(path)] : [];
  });
  if (outside.length === 0) return [];
  const more = outside.length > NAMED ? ` and ${outside.length - NAMED} more` : '';
  const [links, they] = outside.length === 1 ? ['link', 'leads'] : ['links', 'lead'];
  const named = outside.slice(0, NAMED).join(', ') + more;
  return [
    `${outside.length} ${links} of DVC outputs ${they} out of the folder, without content in the archive: ${named}`,
  ];
}
