import type { Command } from '../../cli/command.js';
import { command as alertsConfig } from './alerts/config.js';
import { command as alertsConfigure } from './alerts/configure.js';
import { command as alertsDisable } from './alerts/disable.js';
import { command as alertsEnable } from './alerts/enable.js';
import { command as alertsTest } from './alerts/test.js';

export const COMMANDS: readonly Command[] = [alertsConfig, alertsConfigure, alertsTest, alertsEnable, alertsDisable];
