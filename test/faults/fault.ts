// The faults that the proxy can inject, and which requests they hit.
import type { IncomingMessage } from 'node:http';

export type Fault =
  /** Answers itself with an S3 error document, also with status 200; the upstream never sees the request. */
  | {
      readonly kind: 'status';
      readonly status: number;
      readonly code?: string;
      readonly message?: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** In place of the error document. */
      readonly body?: string;
    }
  /** Says "done" without acting. */
  | { readonly kind: 'ack' }
  /** Waits before passing the request on. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Cuts the connection before anything is done. */
  | { readonly kind: 'reset' }
  /** The upstream never sees these headers. */
  | { readonly kind: 'without-headers'; readonly names: readonly string[] }
  /** Never answers. */
  | { readonly kind: 'no-answer' }
  /** Cuts the connection when so many bytes of the body have come in. */
  | { readonly kind: 'cut-request'; readonly afterBytes: number }
  /** The upstream acts, the answer is lost. */
  | { readonly kind: 'lost-answer' }
  /** Passes the request on twice and gives the second answer. */
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'corrupt-request'; readonly byte: number }
  | { readonly kind: 'corrupt-response'; readonly byte: number }
  /** Cuts the connection after so many bytes of the answer's body. */
  | { readonly kind: 'cut-response'; readonly afterBytes: number }
  /** Ends the answer early, with a Content-Length that fits what was sent. */
  | { readonly kind: 'shorten-response'; readonly bytes: number }
  /** Sends so many bytes of the answer's body, then nothing, with the connection open. */
  | { readonly kind: 'stall-response'; readonly afterBytes: number }
  | { readonly kind: 'slow-response'; readonly bytesPerSecond: number }
  /** Answers a range request with 200 and no Content-Range. */
  | { readonly kind: 'range-ignored' }
  /** Claims another range than was asked for. */
  | { readonly kind: 'range-shifted'; readonly by: number }
  | { readonly kind: 'etag'; readonly etag: string };

export interface FaultRule {
  readonly fault: Fault;
  /** An S3 operation, e.g. `PutObject`; every one when absent. */
  readonly operation?: string;
  readonly path?: RegExp;
  /** What else the request must be like. */
  readonly when?: (operation: string, request: Pick<IncomingMessage, 'url' | 'headers'>) => boolean;
  /** Matching requests that pass unharmed first. */
  readonly skip?: number;
  /** How many are hit after that; for ever when absent. */
  readonly times?: number;
}
