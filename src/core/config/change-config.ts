// Changes settings in the text of a config file and leaves everything else as it is: comments, order, other settings.
import { ArchiverError } from '../platform/failures/errors.js';

export type SettingValue = string | number | boolean;

/** Values by dotted key; undefined takes the key away. */
export type ConfigChanges = ReadonlyMap<string, SettingValue | undefined>;

const HEAD = ' Settings of archiver; `archiver config --generate` explains all that there are.\n';

/** The text with these settings; what it says already is not touched. `text` is sound YAML. @throws internal where it is none */
export async function changedConfig(text: string, changes: ConfigChanges): Promise<string> {
  const { Document, isMap, parseDocument } = await import('../platform/text/yaml.js');
  const parsed = parseDocument(text);
  if (parsed.errors.length > 0)
    throw new ArchiverError('internal', 'a config file that cannot be read was to be changed');
  const isEmpty = !isMap(parsed.contents);
  const document = isEmpty ? new Document({}) : parsed;
  if (isEmpty) document.commentBefore = parsed.comment ?? parsed.commentBefore ?? HEAD.trimEnd();
  let hasChanged = false;
  for (const [key, value] of changes) {
    const path = key.split('.');
    if (document.getIn(path) === value) continue;
    hasChanged = true;
    if (value === undefined) removeKey(document, path, isMap);
    else {
      clearEmptySections(document, path);
      document.setIn(path, value);
    }
  }
  return hasChanged ? document.toString({ lineWidth: 0 }) : text;
}

type Document = import('yaml').Document;
type IsMap = typeof import('yaml').isMap;

/** A section that has nothing else goes with its last key, unless there is a comment in it. */
function removeKey(document: Document, path: readonly string[], isMap: IsMap): void {
  document.deleteIn(path);
  const section = path.slice(0, -1);
  const left: unknown = document.getIn(section, true);
  const isBare = isMap(left) && left.items.length === 0 && left.comment == null && left.commentBefore == null;
  if (section.length > 0 && isBare) removeKey(document, section, isMap);
}

/** `upload:` with all of its lines commented out is null, below which nothing can be set. */
function clearEmptySections(document: Document, path: readonly string[]): void {
  for (let depth = 1; depth < path.length; depth++) {
    const section = path.slice(0, depth);
    if (document.hasIn(section) && document.getIn(section) === null) document.setIn(section, document.createNode({}));
  }
}
