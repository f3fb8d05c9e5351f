// string-width loads the tables of ICU when it is loaded, for a segmenter and for classes of characters that V8 looks up while it parses: 35 ms, though
// most texts are plain ASCII and are never given to it. Both are made when they are needed. The build fails where the source is not as expected:
// after an upgrade of string-width somebody has to look.
import { readFile } from 'node:fs/promises';

const SEGMENTER = 'const segmenter = new Intl.Segmenter();';
const REGEX = /^const (\w+Regex) = \/(.*)\/([a-z]*);$/gm;
const REGEXES = 5;

const LATE = `const once = make => { let made; return () => (made ??= make()); };
const lateRegex = (source, flags) => {
  const regex = once(() => new RegExp(source, flags));
  return {
    test: text => regex().test(text),
    [Symbol.match]: text => regex()[Symbol.match](text),
    [Symbol.search]: text => regex()[Symbol.search](text),
  };
};
const made = once(() => new Intl.Segmenter());
const segmenter = {segment: text => made().segment(text)};`;

/** The source with what is costly made late. */
export function lateWidths(source) {
  const found = [...source.matchAll(REGEX)];
  const uses = source.split(/\w+Regex\b/).length - 1;
  const calls = source.match(/\w+Regex\.test\(|(?:match|search)\(\w+Regex\)/g)?.length ?? 0;
  if (!source.includes(SEGMENTER) || found.length !== REGEXES || uses !== REGEXES + calls)
    throw new Error('string-width has changed: look at what it makes when it is loaded, then adapt late-widths');
  return source
    .replace(SEGMENTER, () => LATE)
    .replace(REGEX, (_, name, text, flags) => `const ${name} = lateRegex(String.raw\`${text}\`, '${flags}');`);
}

export const lateWidthsPlugin = {
  name: 'late-widths',
  setup(build) {
    build.onLoad({ filter: /[\\/]string-width[\\/]index\.js$/ }, async ({ path }) =>
      // Ink brings an older one, which is loaded with Ink.
      /wrap-ansi/.test(path) ? undefined : { contents: lateWidths(await readFile(path, 'utf8')), loader: 'js' },
    );
  },
};
