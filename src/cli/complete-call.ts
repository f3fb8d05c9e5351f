// `archiver __complete`, which the scripts of completion-script.ts call: `-- WORD...` with words as they mean, or `bash PART -- WORD...` with
// words as they are typed, where PART is what bash replaces of the last one.
import { type Candidate, completeWithNames, type LookUp } from './complete.js';
import { bashCandidate, unquoted } from './complete-words.js';
import type { Host } from './host.js';
import type { Node } from './tree.js';

/** One candidate a line with its description, then `:file`, `:folder` or `:nothing`. */
export async function completions(root: Node, argv: readonly string[], host: Host): Promise<string> {
  const end = argv.indexOf('--');
  const [shell, part = ''] = argv.slice(0, Math.max(0, end));
  const typed = argv.slice(end + 1);
  const isBash = shell === 'bash';
  const words = isBash ? typed.map((word) => unquoted(word).text) : typed;
  const { candidates, paths } = await completeWithNames(root, words, lookUpFor(root, host));
  const last = typed.at(-1) ?? '';
  const before = last.endsWith(part) ? last.slice(0, last.length - part.length) : '';
  const shown = isBash ? candidates.flatMap((one) => asTyped(one, before, part)) : candidates;
  const lines = shown.map(({ text, describe }) => (describe === '' ? text : `${text}\t${describe}`));
  return `${[...lines, `:${paths}`].join('\n')}\n`;
}

function asTyped({ text, describe }: Candidate, before: string, part: string): readonly Candidate[] {
  const typed = bashCandidate(text, before, part);
  return typed === undefined ? [] : [{ text: typed, describe }];
}

const lookUpFor =
  (root: Node, host: Host): LookUp =>
  async (names, line) => {
    const { knownCandidates } = await import('./complete-known.js');
    return await knownCandidates(names, line, { ...host, root });
  };
