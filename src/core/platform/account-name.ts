import { userInfo } from 'node:os';

/** The name of the account that runs this process; undefined where the computer has none for it, as in many containers. */
export function accountName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
