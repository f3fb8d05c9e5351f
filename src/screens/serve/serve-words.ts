import type { ServeSnapshot } from '../../stores/serve/serve-store.js';
import { formatBytes, formatQuantity, formatRate } from '../../ui/format.js';

/** `120 requests, 3.2/s; 1.2 GiB served, 12 MiB/s` */
export function servedText({ requests, requestsPerSecond, bytes, bytesPerSecond }: ServeSnapshot): string {
  const often = requestsPerSecond >= 0.1 ? `, ${requestsPerSecond.toFixed(1)}/s` : '';
  const fast = bytesPerSecond >= 1 ? `, ${formatRate(bytesPerSecond)}` : '';
  return `${formatQuantity(requests, 'request')}${often}; ${formatBytes(bytes)} served${fast}`;
}
