// Checks one chunk as a whole while its frames go by: the digest of the object, and that a tar member begins exactly
// where the manifest says each file's content begins, under the file's name. An object that is a file has no members.
import { createHash, type Hash } from 'node:crypto';
import { errorText } from '../../platform/failures/errors.js';
import type { Extents } from '../plan/extents.js';
import type { SelectedTable } from '../plan/selected-table.js';
import type { ChunkMessage, EntryFailure } from './unpack-protocol.js';
import type { TarMember } from '../../format/tar/tar-member.js';
import { TarReader, type TarSink } from '../../format/tar/tar-reader.js';

/** Reason of the failure if a file's content lies under another name than its own. */
export const MISNAMED = 'no tar member of this name begins where the manifest says its content is';

export class ChunkChecker {
  /** Of the stored bytes so far. */
  private hash: Hash = createHash('sha256');
  private readonly tar = new TarReader(this.sink(), { isChunk: true });
  private next: number;
  private isWhole = true;
  /** Digest of the object, once its tail has come. */
  private whole: string | undefined;
  private tarProblem: string | undefined;
  private readonly failures: EntryFailure[] = [];

  constructor(
    private readonly chunk: Pick<ChunkMessage, 'from' | 'to' | 'sha256' | 'isFile'>,
    private readonly table: SelectedTable,
    private readonly extents: Extents,
  ) {
    this.next = chunk.from;
  }

  /** Takes the first frame, in place of one that was taken as such before; returns its SHA-256. */
  firstStored(bytes: Uint8Array): Buffer {
    this.hash = createHash('sha256').update(bytes);
    return this.hash.copy().digest();
  }

  /** Takes the next frame, unless that is the first. */
  stored(frame: number, bytes: Uint8Array): void {
    if (frame > 0) this.hash.update(bytes);
  }

  /**
   * Takes the last bytes of the object. False when they make the whole wrong although everything before them was right; then they may come
   * again.
   */
  tail(bytes: Uint8Array): boolean {
    const whole = this.hash.copy().update(bytes);
    this.whole = whole.digest('hex');
    return !this.isWhole || this.whole === this.chunk.sha256;
  }

  decoded(bytes: Uint8Array): void {
    if (!this.isWhole || this.tarProblem !== undefined || this.chunk.isFile) return;
    try {
      this.tar.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    } catch (error) {
      this.tarProblem = errorText(error);
    }
  }

  /** Called when a part of the chunk is missing: neither its digest nor its headers can be checked any more. */
  lose(): void {
    this.isWhole = false;
  }

  /** Makes a sink for the tar reader that skips the data, which are hashed elsewhere. */
  private sink(): TarSink {
    return {
      isBusy: false,
      member: (member) => {
        if (member.kind === 'file' && member.dataSize > 0) this.onMember(member);
        return false;
      },
      plain: (bytes, from, to, dataOffset) =>
        this.onFile(dataOffset, (index) => this.table.hasPath(index, bytes, from, to)),
      data: ({ byteLength }) => byteLength,
      end: () => undefined,
    };
  }

  private onMember({ path: named, records, dataOffset }: TarMember): void {
    const path = records.get('ARCHIVER.part.path') ?? named;
    this.onFile(dataOffset, (index) => this.table.path(index) === path);
  }

  private onFile(dataOffset: number, isNameOf: (index: number) => boolean): void {
    const { offset } = this.extents;
    while (this.next < this.chunk.to && (offset[this.next] ?? 0) < dataOffset) this.fail(this.next++);
    let isNamed = false;
    const first = this.next;
    for (; this.next < this.chunk.to && offset[this.next] === dataOffset; this.next++) {
      isNamed ||= isNameOf(this.extents.entry[this.next] ?? 0);
    }
    if (!isNamed) for (let extent = first; extent < this.next; extent++) this.fail(extent);
  }

  private fail(extent: number): void {
    this.failures.push({ index: this.extents.entry[extent] ?? 0, reason: MISNAMED });
  }

  /** Returns what is wrong with the chunk, after its last byte. */
  finish(): { readonly problems: readonly string[]; readonly failures: readonly EntryFailure[] } {
    const problems: string[] = [];
    if (!this.isWhole) return { problems, failures: this.failures };
    if ((this.whole ?? this.hash.digest('hex')) !== this.chunk.sha256)
      problems.push('its bytes do not match its SHA-256 in the manifest');
    if (this.chunk.isFile) return { problems, failures: this.failures };
    if (this.tarProblem === undefined) {
      try {
        this.tar.finish();
      } catch (error) {
        this.tarProblem = errorText(error);
      }
    }
    if (this.tarProblem !== undefined) problems.push(this.tarProblem);
    else while (this.next < this.chunk.to) this.fail(this.next++);
    return { problems, failures: this.failures };
  }
}
