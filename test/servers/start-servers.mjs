// The same for scripts that Node runs as they are.
import { tsImport } from 'tsx/esm/api';

/** @returns {Promise<import('./start-servers.js').StartedServers>} */
export async function startServers() {
  const module = await tsImport('./start-servers.ts', import.meta.url);
  return await module.startServers();
}
