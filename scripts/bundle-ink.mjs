// What it takes to bundle Ink: its caches get an upper limit, its developer tools are left out, and React's production build
// is chosen here once (its development build records every render and never drops the records: 5 KB a frame).
import { boundedInkCaches } from './bounded-ink-caches.mjs';

// Ink loads its developer tools only where DEV=true is set. They are not installed, so that branch is cut off.
const noDevtools = {
  name: 'no-devtools',
  setup(build) {
    build.onLoad({ filter: /[\\/]ink[\\/]build[\\/]devtools\.js$/ }, () => ({ contents: '', loader: 'js' }));
  },
};

/** Options of esbuild for everything that draws. */
export const inkBundle = {
  jsx: 'automatic',
  metafile: true,
  define: { 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
  plugins: [noDevtools, boundedInkCaches()],
};
