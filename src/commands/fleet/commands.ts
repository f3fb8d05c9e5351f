import type { Command } from '../../cli/command.js';
import { command as fleetagentAdopt } from './fleetagent/adopt.js';
import { command as fleetagentConfigKeygen } from './fleetagent/config-keygen.js';
import { command as fleetagentIamPolicy } from './fleetagent/iam-policy.js';
import { command as fleetagentInit } from './fleetagent/init.js';
import { command as fleetagentRun } from './fleetagent/run.js';
import { command as fleetagentScuttle } from './fleetagent/scuttle.js';
import { command as fleetagentSignConfig } from './fleetagent/sign-config.js';
import { command as fleetagentValidateConfig } from './fleetagent/validate-config.js';
import { command as fleetLockExtend } from './lock-extend.js';
import { command as fleetLockStatus } from './lock-status.js';
import { command as fleetMonitor } from './monitor.js';
import { command as fleetStatus } from './status.js';

export const COMMANDS: readonly Command[] = [
  fleetagentRun,
  fleetStatus,
  fleetMonitor,
  fleetLockStatus,
  fleetagentValidateConfig,
  fleetagentConfigKeygen,
  fleetagentSignConfig,
  fleetLockExtend,
  fleetagentInit,
  fleetagentScuttle,
  fleetagentAdopt,
  fleetagentIamPolicy,
];
