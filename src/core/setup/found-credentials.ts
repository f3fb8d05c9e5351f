// Finds sources of S3 credentials on this computer, without prompting and without reading secrets out of the files.
import { awsProfile, type AwsSources } from '../store/s3/s3-profile.js';

/** `machine`: credentials that the SDK finds by itself, such as an instance's role. */
export type CredentialSource =
  | { readonly kind: 'environment' }
  | { readonly kind: 'profile'; readonly name: string; readonly gives: string }
  | { readonly kind: 'machine' }
  | { readonly kind: 'new' };

type Section = Readonly<Record<string, string | undefined>>;

/** Describes where a profile gets its credentials from; undefined when it has none. */
function originOf(section: Section): string | undefined {
  if (section['role_arn'] !== undefined) return `role ${section['role_arn']}`;
  if (section['sso_session'] !== undefined || section['sso_start_url'] !== undefined)
    return 'single sign-on (aws sso login)';
  if (section['credential_process'] !== undefined) return 'a program (credential_process)';
  if (section['login_session'] !== undefined) return 'a sign-in (aws login)';
  return section['aws_access_key_id'] === undefined ? undefined : 'keys in the AWS files';
}

/** Returns the available sources, the likeliest first; typing new keys is always the last. @throws errors in the AWS files */
export async function foundCredentials(sources: AwsSources): Promise<readonly CredentialSource[]> {
  const { all } = await awsProfile(sources);
  const profiles = Object.entries(all).flatMap(([name, section]): readonly CredentialSource[] => {
    const gives = originOf(section);
    return gives === undefined ? [] : [{ kind: 'profile', name, gives }];
  });
  const isDefault = (one: CredentialSource): boolean => one.kind === 'profile' && one.name === 'default';
  const { env } = sources;
  const isInEnvironment = Boolean(env['AWS_ACCESS_KEY_ID']) || Boolean(env['AWS_WEB_IDENTITY_TOKEN_FILE']);
  return [
    ...(isInEnvironment ? [{ kind: 'environment' } as const] : []),
    ...profiles.filter(isDefault),
    ...profiles.filter((one) => !isDefault(one)),
    ...(isInEnvironment ? [] : [{ kind: 'machine' } as const]),
    { kind: 'new' },
  ];
}
