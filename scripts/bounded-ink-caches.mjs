// Three changes to Ink 6.8 at build time: it remembers texts in the wrong places, and takes the long way with plain ones.
//
// 1. It keeps the measure and the wrapping of every different text for ever, in module-level caches. A screen
//    with rates, clocks and a million file names never shows the same text twice: the heap grows until the
//    process dies. Both caches get an upper limit.
// 2. It forgets after every frame how a line splits into styled characters, the dearest step of drawing.
//    That cache, also limited, is kept between frames: a cursor step then splits two rows, not forty.
//    It also measures every text once more while drawing; now it asks the first cache.
// 3. It looks for emoji, links and codes at each character of a line, gives each a list of its styles and compares these
//    lists when it writes. A line of letters, lines and colours is split by its codes alone now, characters between two
//    codes share one list, and what shares a list is written in one go. A page of new rows takes half the time.
//
// It replaces exact lines and fails the build when one is missing or there twice: after an upgrade of
// Ink somebody has to look, instead of the leak coming back in silence.
import { readFile } from 'node:fs/promises';

/** Entries per generation. A 200x60 screen has some 200 texts, so a frame never evicts its own. */
const TEXTS = 4096;
/** A split line is 100 bytes per character, twice: 200 of them are about 8 MB at 200 columns. No window has more rows. */
const LINES = 200;

// Two generations: when the young one is full it becomes the old one, and the old one is forgotten.
// What is used on every frame moves to the young one in time. Cheaper than an LRU list, same bound.
const BOUNDED = `const boundedMap = limit => ({
  young: new Map(), old: new Map(),
  get(key) {
    const value = this.young.get(key);
    if (value !== undefined) return value;
    const kept = this.old.get(key);
    if (kept !== undefined) this.set(key, kept);
    return kept;
  },
  set(key, value) {
    if (this.young.size >= limit) { this.old = this.young; this.young = new Map(); }
    this.young.set(key, value);
  },
});
`;

// The other characters in it are narrow, no emoji, and nothing joins them to their neighbours.
const PLAIN_LINES = String.raw`const PLAIN = /^(?:[\x20-\x7e\u00b7\u2026\u2500-\u259f\u25b2\u25b8\u25be]|\x1b\[[\d;]*m)*$/;
const CODE = /(\x1b\[[\d;]*m)/;
const BLANK = { type: 'char', value: ' ', fullWidth: false, styles: [] };
const stylesByCodes = boundedMap(${LINES});
function stylesAfter(codes) {
  const known = stylesByCodes.get(codes);
  if (known !== undefined) return known;
  const { styles } = styledCharsFromTokens(tokenize(codes + ' '))[0];
  stylesByCodes.set(codes, styles);
  return styles;
}
export function charactersOf(line) {
  if (!PLAIN.test(line)) return styledCharsFromTokens(tokenize(line));
  const characters = [];
  let codes = '';
  let styles = BLANK.styles;
  line.split(CODE).forEach((part, at) => {
    if (at % 2 === 1) styles = stylesAfter((codes += part));
    else for (const value of part) characters.push({ type: 'char', value, fullWidth: false, styles });
  });
  return characters;
}
export function inRuns(characters) {
  const runs = [];
  let last;
  for (const { value, styles } of characters) {
    if (last !== undefined && (last.styles === styles || (styles.length === 0 && last.styles.length === 0))) last.value += value;
    else runs.push((last = { value, styles }));
  }
  return runs;
}
`;

const PATCHES = {
  'measure-text.js': [['const cache = new Map();', `${BOUNDED}const cache = boundedMap(${TEXTS});`]],
  'wrap-text.js': [
    ['const cache = {};', `${BOUNDED}const cache = boundedMap(${TEXTS});`],
    ['const cachedText = cache[cacheKey];', 'const cachedText = cache.get(cacheKey);'],
    ['cache[cacheKey] = wrappedText;', 'cache.set(cacheKey, wrappedText);'],
  ],
  'render-node-to-output.js': [
    ["import widestLine from 'widest-line';", "import measureText from './measure-text.js';"],
    ['widestLine(text)', 'measureText(text).width'],
  ],
  'output.js': [
    ['class OutputCaches {', `${BOUNDED}${PLAIN_LINES}class OutputCaches {`],
    ['cached = styledCharsFromTokens(tokenize(line));', 'cached = charactersOf(line);'],
    [
      'Math.max(1, this.caches.getStringWidth(character.value))',
      "character.value.length === 1 && character.value <= '~' ? 1 : Math.max(1, this.caches.getStringWidth(character.value))",
    ],
    [/row\.push\(\{\s*type: 'char',\s*value: ' ',\s*fullWidth: false,\s*styles: \[\],\s*\}\);/, 'row.push(BLANK);'],
    ['styledCharsToString(lineWithoutEmptyItems)', 'styledCharsToString(inRuns(lineWithoutEmptyItems))'],
    ['    widths = new Map();', `    widths = boundedMap(${TEXTS});`],
    ['blockWidths = new Map();', `blockWidths = boundedMap(${TEXTS});`],
    ['styledChars = new Map();', `styledChars = boundedMap(${LINES});`],
    ['export default class Output {', 'const sharedCaches = new OutputCaches();\nexport default class Output {'],
    ['caches = new OutputCaches();\n', 'caches = sharedCaches;\n'],
  ],
};

/** The patched source; throws when it is not the source this was written for. */
export function patch(file, source) {
  return PATCHES[file].reduce((text, [from, to]) => {
    if (text.split(from).length !== 2)
      throw new Error(
        `ink/build/${file} has changed: expected exactly one "${from}". Check its cache, then adapt bounded-ink-caches.`,
      );
    return text.replace(from, () => to);
  }, source);
}

export const boundedInkCaches = () => ({
  name: 'bounded-ink-caches',
  setup(build) {
    const patched = new Set();
    build.onLoad(
      { filter: /[\\/]ink[\\/]build[\\/](measure-text|wrap-text|render-node-to-output|output)\.js$/ },
      async ({ path }) => {
        const file = path.split(/[\\/]/).at(-1);
        const contents = patch(file, await readFile(path, 'utf8'));
        patched.add(file);
        return { contents, loader: 'js' };
      },
    );
    // A renamed file would slip past the filter above. A build without Ink has nothing to patch.
    build.onEnd((result) => {
      const hasInk = Object.keys(result.metafile?.inputs ?? {}).some((name) =>
        /[\\/]ink[\\/]build[\\/]ink\.js$/.test(name),
      );
      const missing = hasInk ? Object.keys(PATCHES).filter((file) => !patched.has(file)) : [];
      return {
        errors: missing.map((file) => ({ text: `ink/build/${file} was not bundled: its cache is as published` })),
      };
    });
  },
});
