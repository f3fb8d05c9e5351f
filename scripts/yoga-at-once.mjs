// Has Yoga, which lays out what Ink draws, start when it is loaded. It waits for its WebAssembly with a top-level await, which a script
// (scripts/as-scripts.mjs) cannot have; its module is small enough to be compiled at once, for which Emscripten has a hook.
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const BINARY = /"data:application\/octet-stream;base64,([\w+/=]+)"/;

/** A plugin of esbuild. */
export const yogaAtOnce = {
  name: 'yoga-at-once',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]yoga-layout[\\/]dist[\\/]src[\\/]index\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const line = /^import loadYoga from (.*);$([^]*)^const Yoga = wrapAssembly\(await loadYoga\(\)\);$/m;
      if (!line.test(text)) throw new Error(`${path} starts otherwise than scripts/yoga-at-once.mjs expects`);
      const start = `const lib = {
  instantiateWasm(imports, receive) {
    const instance = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(binary, 'base64')), imports);
    receive(instance);
    return instance.exports;
  },
};
loadYoga(lib);
const Yoga = wrapAssembly(lib);`;
      return {
        contents: text.replace(line, `import loadYoga, { binary } from $1;$2${start}`),
        resolveDir: dirname(path),
      };
    });
    onLoad({ filter: /[\\/]yoga-wasm-base64-esm\.js$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const [whole, binary] = BINARY.exec(text) ?? [];
      if (whole === undefined) throw new Error(`${path} has no binary where scripts/yoga-at-once.mjs expects it`);
      // Emscripten asks whether its file is such an address before it asks for the hook.
      return {
        contents: `export const binary = "${binary}";${text.replace(whole, '"data:application/octet-stream;base64,"')}`,
      };
    });
  },
};
