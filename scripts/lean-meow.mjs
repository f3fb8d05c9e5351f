// Bundles of meow what takes argv apart. It looks for package.json files, too, and for that runs 160 KB of code when it is loaded;
// `pkg` is always given to it (src/cli/tokenize.ts), so that this is never called: its calls are marked as pure, and esbuild leaves it out.
import { readFile } from 'node:fs/promises';

const none = (name) => `const ${name} = () => { throw new Error('the bundle looks for no package.json'); };`;

/** A plugin of esbuild. */
export const leanMeow = {
  name: 'lean-meow',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]meow[\\/]build[\\/]options\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const line = /^import \{ a as readPackageUpSync, n as normalizePackageData \} from .*$/m;
      if (!line.test(text)) throw new Error(`${path} imports otherwise than scripts/lean-meow.mjs expects`);
      return { contents: text.replace(line, ['readPackageUpSync', 'normalizePackageData'].map(none).join('')) };
    });
    onLoad({ filter: /[\\/]meow[\\/]build[\\/]dependencies\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const calls =
        /^((?:(?:var|const) [\w$]+ = (?:\/\*@__PURE__\*\/)?)?)(?=(?:require|getDefault|promisify)[\w$]*\()/gm;
      return { contents: text.replace(calls, '$1/* @__PURE__ */ ') };
    });
  },
};
