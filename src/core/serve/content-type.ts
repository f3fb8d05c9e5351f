// Media types by the end of a name, of what browsers show; everything else is bytes to be saved. Content is never sniffed.
import { textFromRaw, type RawPath } from '../platform/paths/raw-path.js';

const TEXT = 'text/plain; charset=utf-8';

/** What is read as text, whatever program it is for. */
const TEXTS =
  'txt text log md rst csv tsv json jsonl ndjson yaml yml toml ini cfg conf xml tex bib sql sh bash zsh py r jl c h cc cpp hpp rs go java js mjs ts tsx css f f90 m pl rb lua dvc gitignore fa fasta fastq vcf bed gff sam pdb diff patch';

const TYPES: ReadonlyMap<string, string> = new Map([
  ...TEXTS.split(' ').map((end) => [end, TEXT] as const),
  ['html', 'text/html; charset=utf-8'],
  ['htm', 'text/html; charset=utf-8'],
  ['svg', 'image/svg+xml'],
  ['png', 'image/png'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['avif', 'image/avif'],
  ['pdf', 'application/pdf'],
  ['mp4', 'video/mp4'],
  ['webm', 'video/webm'],
  ['mp3', 'audio/mpeg'],
  ['wav', 'audio/wav'],
  ['flac', 'audio/flac'],
  ['ogg', 'audio/ogg'],
]);

/** The media type of a file with this name. */
export function contentType(name: RawPath): string {
  const text = textFromRaw(name)?.toLowerCase() ?? '';
  const end = text.slice(text.lastIndexOf('.') + 1);
  return TYPES.get(end) ?? (/^(?:readme|license|makefile|dockerfile)$/.test(text) ? TEXT : 'application/octet-stream');
}
