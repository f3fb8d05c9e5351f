import { type RawPath, rawFromBase64, rawFromText } from '../../platform/paths/raw-path.js';

/** The path of the entry that a text of lines begins with; an empty one where it begins with none. */
export function firstPath(text: string): RawPath {
  const line = text.slice(0, text.indexOf('\n')).replace(/,$/, '');
  if (!line.startsWith('{')) return rawFromText('');
  const { path, pathBase64 } = JSON.parse(line) as { readonly path?: string; readonly pathBase64?: string };
  return path === undefined ? rawFromBase64(pathBase64 ?? '') : rawFromText(path);
}
