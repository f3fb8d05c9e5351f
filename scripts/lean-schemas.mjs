// The SDKs describe every call of their service in one module: S3 has some 500 lists, and we make 30 calls. esbuild keeps all of them, since a key that
// is computed could run code: `{ [_hH]: _Ra }`. The names there are constant texts, so they are put in, and what nobody names is left out.
import { readFile } from 'node:fs/promises';

const TEXT = /^const (_\w+) = ("(?:[^"\\]|\\.)*");$/gm;
const COMPUTED = /\[(_\w+)\]:/g;

export const leanSchemas = {
  name: 'lean-schemas',
  setup({ onLoad }) {
    onLoad(
      { filter: /[\\/]@aws-sdk[\\/]client-[\w-]+[\\/]dist-es[\\/]schemas[\\/]schemas_0\.js$/ },
      async ({ path }) => {
        const code = await readFile(path, 'utf8');
        const texts = new Map([...code.matchAll(TEXT)].map(([, name, text]) => [name, text]));
        if (texts.size === 0)
          throw new Error(`${path} names its texts otherwise than scripts/lean-schemas.mjs expects`);
        const contents = code.replaceAll(COMPUTED, (key, name) => (texts.has(name) ? `${texts.get(name)}:` : key));
        return { contents, loader: 'js' };
      },
    );
  },
};
