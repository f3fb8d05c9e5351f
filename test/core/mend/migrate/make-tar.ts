// Tar files by hand, as tar itself would never write them. Names and values are byte strings.

export interface TarField {
  readonly path: string;
  readonly type?: string;
  readonly target?: string;
  readonly content?: string | Buffer;
  /** What the header says, when it is not the length of the content. */
  readonly size?: number;
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly mtime?: number;
  /** Records of an extended header before it. */
  readonly pax?: readonly (readonly [key: string, value: string])[];
  readonly magic?: string;
  /** Bends the block before its checksum is made. */
  readonly bend?: (block: Buffer) => void;
}

/** Owners that anybody can keep. */
const OWN = { uid: process.geteuid?.() ?? 0, gid: process.getegid?.() ?? 0 };

const pad = (bytes: Buffer): Buffer => Buffer.concat([bytes, Buffer.alloc((512 - (bytes.length % 512)) % 512)]);
const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;

/** One header block. */
export function headerBlock(field: TarField, size: number): Buffer {
  const block = Buffer.alloc(512);
  block.write(field.path.slice(0, 100), 0, 'latin1');
  block.write(octal(field.mode ?? 0o644, 7), 100);
  block.write(octal(field.uid ?? OWN.uid, 7), 108);
  block.write(octal(field.gid ?? OWN.gid, 7), 116);
  block.write(octal(field.size ?? size, 11), 124);
  block.write(octal(field.mtime ?? 1_600_000_000, 11), 136);
  block.write('        ', 148);
  block.write(field.type ?? '0', 156, 'latin1');
  block.write((field.target ?? '').slice(0, 100), 157, 'latin1');
  block.write(field.magic ?? 'ustar\u000000', 257, 'latin1');
  field.bend?.(block);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

/** The body of an extended header. */
export function paxBody(records: readonly (readonly [key: string, value: string])[]): Buffer {
  const lines = records.map(([key, value]) => {
    const rest = ` ${key}=${value}\n`.length;
    const short = rest + String(rest).length;
    return `${rest + String(short).length} ${key}=${value}\n`;
  });
  return Buffer.from(lines.join(''), 'latin1');
}

/** A header with its extended header before it and its content after it. */
export function tarMember(field: TarField): Buffer {
  const content = Buffer.from(field.content ?? '');
  const parts = [headerBlock(field, content.length), pad(content)];
  if (field.pax === undefined) return Buffer.concat(parts);
  const body = paxBody(field.pax);
  return Buffer.concat([headerBlock({ path: 'PaxHeader', type: 'x' }, body.length), pad(body), ...parts]);
}

export const TAR_END = Buffer.alloc(1024);

/** A whole tar file. */
export const makeTar = (...fields: readonly TarField[]): Buffer => Buffer.concat([...fields.map(tarMember), TAR_END]);
