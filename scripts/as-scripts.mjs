// Turns the modules that a build has written into scripts (CommonJS), which V8 can compile from what it has compiled before
// (src/cli/compiled-code.ts): for modules Node 20 has no such thing.
import { readFile, writeFile } from 'node:fs/promises';
import { transform } from 'esbuild';

/** What esbuild writes where a file of the build loads another one later. */
const LATER = /\bimport\(("\.[^"]+")\)/g;

/**
 * How esbuild exports: by a copy whose getters look each name up in the original, at every use. The original has getters too, which V8 compiles into
 * what they get; the copy costs a sync 8 % of its main thread.
 */
const COPIED = /\bmodule\.exports=__toCommonJS\((\w+)\);/;

/** For `import.meta.url`, which a script does not have; as a banner where it is used. */
const FILE_URL = '__fileUrl';
const URL_BANNER = `const ${FILE_URL}=require("node:url").pathToFileURL(__filename).href;`;

/** Options of esbuild for scripts. */
export const scripts = {
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  define: { 'import.meta.url': FILE_URL },
  minifyWhitespace: true,
  lineLimit: 500,
  legalComments: 'none',
};

/** Puts in what a script needs where `import.meta.url` was. */
export const withFileUrl = (code) => (code.includes(FILE_URL) ? URL_BANNER + code : code);

/** Rewrites the files of a build with this metafile. What they do not load at once they load by `require`, too. */
export async function asScripts({ outputs }) {
  const files = Object.keys(outputs).filter((path) => path.endsWith('.js'));
  await Promise.all(
    files.map(async (path) => {
      const text = await readFile(path, 'utf8');
      // Exports of ours are what an `import()` gives. Those of packages have to be made into that, as Node does it for an .mjs.
      const { code } = await transform(text.replaceAll(LATER, 'Promise.resolve().then(()=>require($1))'), {
        ...scripts,
        supported: { 'dynamic-import': false },
        sourcefile: `${path}.mjs`,
        logLevel: 'warning',
      });
      await writeFile(path, withFileUrl(code.replace(COPIED, 'module.exports=$1;')));
    }),
  );
}
