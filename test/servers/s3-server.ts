// What a server that is started for tests is, and the environment of a client.

export interface S3Keys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface S3Server extends S3Keys {
  readonly endpoint: string;
  readonly region: string;
  /** What more tests of this server want to know. */
  readonly env: Readonly<Record<string, string>>;
  readonly stop: () => Promise<void>;
}

export const TEST_KEYS: S3Keys = { accessKeyId: 'archiver', secretAccessKey: 'archiver-secret' };
export const TEST_REGION = 'us-east-1';

/** What a client of the server has in its environment. */
export const clientEnv = (server: Omit<S3Server, 'env' | 'stop'>): Record<string, string> => ({
  AWS_ENDPOINT_URL: server.endpoint,
  AWS_REGION: server.region,
  AWS_ACCESS_KEY_ID: server.accessKeyId,
  AWS_SECRET_ACCESS_KEY: server.secretAccessKey,
});
