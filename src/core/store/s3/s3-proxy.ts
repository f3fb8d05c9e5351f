// Tunnels through an HTTP proxy (CONNECT), for servers with TLS and without.
import type http from 'node:http';
import type { AgentOptions } from 'node:https';
import { HttpProxyAgent, HttpsProxyAgent } from 'hpagent';
import { systemCode } from '../../platform/failures/errors.js';

type ProxyOptions = AgentOptions & { readonly ca?: string };

/** One pool of connections for each proxy. */
export class ProxyAgents {
  readonly #options: ProxyOptions;
  readonly #agents = new Map<string, http.Agent>();

  constructor(options: ProxyOptions, connectMs: number) {
    // Only the agent's own time limit ends the wait for a proxy that does not answer.
    this.#options = { timeout: connectMs, ...options };
  }

  /** Returns the pool for servers behind `proxy`. */
  agent(proxy: URL, isTls: boolean): http.Agent {
    const name = `${isTls} ${proxy.href}`;
    const known = this.#agents.get(name);
    if (known !== undefined) return known;
    const { ca } = this.#options;
    const options = { ...this.#options, proxy, ...(ca && { proxyRequestOptions: { ca: [ca] } }) };
    const agent = isTls ? new HttpsProxyAgent(options) : new HttpProxyAgent(options);
    this.#agents.set(name, agent);
    return agent;
  }

  destroy(): void {
    for (const agent of this.#agents.values()) agent.destroy();
  }
}

/** Makes the error for a proxy that gives no connection. Only failures of the network may be different a moment later. */
export function proxyError(error: Error, proxy: URL): Error {
  const status = /^Bad response: (\d+)$/.exec(error.message)?.[1];
  const isSilent = error.message === 'Proxy timeout';
  const wants = status === '407' ? 'it wants another name and password' : `it answered ${status}`;
  const why = status === undefined ? (isSilent ? 'it did not answer' : error.message) : wants;
  const code = isSilent ? 'ETIMEDOUT' : status?.startsWith('5') === true ? 'ECONNRESET' : systemCode(error);
  return Object.assign(new Error(`no connection through the proxy ${proxy.host}: ${why}`), {
    name: 'ProxyError',
    code,
  });
}
