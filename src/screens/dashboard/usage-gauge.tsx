import type { ReactElement } from 'react';
import type { Usage } from '../../core/notify/alerts/alert.js';
import { Gauge } from '../../ui/gauge.js';
import { Tint } from '../../ui/theme.js';

interface Props {
  readonly usage: Usage | undefined;
  readonly width: number;
}

/** The used part of a limit; blank when there is none. Exactly `width` columns wide. */
export const UsageGauge = ({ usage, width }: Props): ReactElement =>
  usage === undefined || usage.limit === 0 ? (
    <Tint>{' '.repeat(width)}</Tint>
  ) : (
    <Gauge share={usage.used / usage.limit} width={width} warnAt={usage.alertPercent / 100} />
  );
