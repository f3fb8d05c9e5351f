// The entry point of worker threads: runs the script of dist/ that `acquireThread` names.
import { workerData } from 'node:worker_threads';
import { runScript } from './cli/compiled-code.js';
import type { ThreadData } from './core/platform/threads/end-work.js';

const { script } = workerData as ThreadData;
runScript(`${script}.js`, { env: process.env, folder: __dirname, build: BUILD_DIGEST, use: script });
