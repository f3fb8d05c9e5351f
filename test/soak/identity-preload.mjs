// Loaded before the program: a machine of its own, with another host name (SOAK_HOST) and a clock that is SOAK_SKEW_MS off.
import os from 'node:os';
import { syncBuiltinESMExports } from 'node:module';

const host = process.env['SOAK_HOST'];
const skewMs = Number(process.env['SOAK_SKEW_MS'] ?? 0);

if (host !== undefined) {
  os.hostname = () => host;
  syncBuiltinESMExports();
}
if (skewMs !== 0) {
  const RealDate = Date;
  globalThis.Date = class extends RealDate {
    constructor(...parts) {
      if (parts.length === 0) super(RealDate.now() + skewMs);
      else super(...parts);
    }
    static now() {
      return RealDate.now() + skewMs;
    }
  };
}
