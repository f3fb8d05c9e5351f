// Translates `--optimization`, `--congestion-control`, `--transporter` and `--disable-staging` for the pipeline: the window of requests in
// flight, and how many packed chunks may wait ("staged") for their turn.
//
// | transporter | requests in flight | staged chunks |
// | none        | 1                  | 0: packing waits until the store has the chunk |
// | basic       | 4, fixed           | 0: packing waits until a request slot is free |
// | staging     | controlled         | as many as workers |
// | adaptive    | controlled         | 0 to twice the workers, following which side is slower |
// | optimized   | controlled         | as adaptive, and largest chunks first, so that none is left alone at the end |
//
// `--optimization=false` replaces control by 4 fixed requests. `--disable-staging` sets staged to 0 for every transporter.
import {
  autoWindow,
  bbrWindow,
  cubicWindow,
  fixedWindow,
  type TransferWindow,
} from '../../platform/limits/transfer-window.js';

export const TRANSPORTERS = ['basic', 'staging', 'adaptive', 'optimized', 'none'] as const;
export type Transporter = (typeof TRANSPORTERS)[number];
export const CONGESTION_CONTROLS = ['bbr', 'cubic', 'auto'] as const;

const FIXED = 4;
/** Most requests in flight: they take memory, and more never helps one machine. */
const LIMIT = 8;

export interface TransferOptions {
  readonly optimization: boolean;
  readonly congestionControl: (typeof CONGESTION_CONTROLS)[number];
  readonly transporter: Transporter;
  readonly disableStaging: boolean;
  /** Most requests in flight, instead of what the transporter says. */
  readonly requests?: number | undefined;
}

export interface TransferPolicy {
  readonly window: TransferWindow;
  /** Most requests the window can ever allow. */
  readonly windowLimit: number;
  readonly stagedMin: number;
  readonly stagedMax: number;
  readonly largestFirst: boolean;
}

export function transferPolicy(options: TransferOptions, workers: number): TransferPolicy {
  const { transporter } = options;
  const controlled = options.optimization && transporter !== 'none' && transporter !== 'basic';
  const windowLimit = options.requests ?? (transporter === 'none' ? 1 : controlled ? LIMIT : FIXED);
  const adaptive = transporter === 'adaptive' || transporter === 'optimized';
  const staged = transporter === 'staging' ? workers : adaptive ? 2 * workers : 0;
  const stagedMax = options.disableStaging ? 0 : staged;
  return {
    window: controlled ? controlledWindow(options.congestionControl, windowLimit) : fixedWindow(windowLimit),
    windowLimit,
    stagedMin: adaptive ? 0 : stagedMax,
    stagedMax,
    largestFirst: transporter === 'optimized',
  };
}

function controlledWindow(control: TransferOptions['congestionControl'], limit: number): TransferWindow {
  if (control === 'bbr') return bbrWindow(limit);
  return control === 'cubic' ? cubicWindow(limit) : autoWindow(limit);
}
