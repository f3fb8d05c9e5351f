// Compares the cost of uploading the same files with each tool: its requests once, and its objects for a month.
import { billOf, type Usage } from '../../cost/cost-model.js';
import { sumOf, type Usd } from '../../cost/money.js';
import type { PriceList } from '../../cost/price-table.js';
import { storedObject } from '../../cost/stored-object.js';
import type { RequestCounts } from '../../store/object-store.js';
import { newRequestCounts } from '../../store/request-count.js';
import { type Sent, type ToolName, TOOLS, type Workload } from './tools.js';

export interface ToolCost {
  readonly program: ToolName;
  readonly model: string;
  readonly modelSource: string;
  readonly objects: number;
  readonly storedBytes: number;
  readonly requests: RequestCounts;
  /** One-time cost. */
  readonly requestsUsd: Usd;
  /** Cost per month. */
  readonly monthlyUsd: Usd;
  /** Requests and the first month. */
  readonly costUsd: Usd;
}

/** Returns the cost of a tool; `storageClass` is that of the content. */
export function toolCost(tool: ToolName, workload: Workload, storageClass: string, prices: PriceList): ToolCost {
  const { model, source, send } = TOOLS[tool];
  const sent = send(workload);
  const { objects, objectBytes, multiparts, parts, puts, extraPuts, heads, lists } = sent;
  const storage = storedObject({ sizeBytes: objectBytes, storageClass, count: objects }, undefined, prices);
  const bill = billOf(
    [
      ['requests', requestsOf(sent, storageClass)],
      ['storage', storage],
    ],
    prices,
  );
  const [requestsUsd = null, monthlyUsd = null] = bill.lines.map(({ costUsd }) => costUsd);
  return {
    program: tool,
    model,
    modelSource: source,
    objects: objects + extraPuts,
    storedBytes: Math.round(objects * objectBytes),
    // Beginning and completing a multipart upload count as PUTs too.
    requests: { ...newRequestCounts(), put: puts + 2 * multiparts + parts + extraPuts, head: heads, list: lists },
    requestsUsd,
    monthlyUsd,
    costUsd: sumOf([requestsUsd, monthlyUsd]),
  };
}

function requestsOf(sent: Sent, storageClass: string): readonly Usage[] {
  const { multiparts, parts, puts, extraPuts, heads, lists } = sent;
  return [
    { kind: 'put', storageClass, quantity: puts },
    { kind: 'initiateMultipart', storageClass, quantity: multiparts },
    { kind: 'uploadPart', storageClass, quantity: parts },
    { kind: 'completeMultipart', storageClass, quantity: multiparts },
    { kind: 'put', storageClass: 'STANDARD', quantity: extraPuts },
    { kind: 'head', storageClass, quantity: heads },
    { kind: 'list', quantity: lists },
  ];
}
