// Serves the metrics of a run over HTTP, for Prometheus to scrape: /metrics, as text or as OpenMetrics, and /healthz
// for probes. It ends with the run.
import { errorText } from '../../platform/failures/errors.js';
import { listenAddress } from '../../platform/http/listen-address.js';
import { type LocalServer, openServer } from '../../platform/http/local-server.js';
import { OPENMETRICS, openMetricsText, prefersOpenMetrics } from './openmetrics.js';
import type { RunMetrics } from './run-metrics.js';

export interface MetricsServerOptions {
  /** `host:port`, as typed. */
  readonly address: string;
  readonly allowPublic: boolean;
}

const FLAG = '--prometheus-addr';

/** Starts the server. @throws usage for an address that is invalid, in use, or reachable by others; `io` for what the system refuses */
export async function serveMetrics(
  metrics: Pick<RunMetrics, 'text' | 'contentType'>,
  { address, allowPublic }: MetricsServerOptions,
): Promise<LocalServer> {
  const place = await listenAddress(address, { allowPublic, flag: FLAG });
  return await openServer(place, FLAG, ({ method, url = '', headers }, response) => {
    const plain = (status: number, text: string): void =>
      void response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(text);
    const path = url.replace(/\?.*$/s, '');
    if (method !== 'GET' && method !== 'HEAD') return plain(405, 'only GET\n');
    if (path === '/healthz') return plain(200, 'ok\n');
    if (path !== '/metrics') return plain(404, 'there is /metrics, and /healthz\n');
    const isOpen = prefersOpenMetrics(headers.accept);
    const head = { 'content-type': isOpen ? OPENMETRICS : metrics.contentType, vary: 'Accept' };
    metrics.text().then(
      (text) => response.writeHead(200, head).end(isOpen ? openMetricsText(text) : text),
      (error: unknown) => plain(500, `${errorText(error)}\n`),
    );
  });
}
