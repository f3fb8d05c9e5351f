// Statements of bucket policies, to be put together in tables.

export type Fields = Readonly<Record<string, unknown>>;

/** An Allow for anybody, with what is changed in it; `undefined` leaves a field out. */
export const statement = (fields: Fields = {}): Fields => ({
  Effect: 'Allow',
  Principal: '*',
  Action: 's3:GetObject',
  Resource: 'arn:aws:s3:::acme/*',
  ...fields,
});

/** A policy of these statements. */
export const policy = (...statements: readonly unknown[]): string =>
  JSON.stringify({ Version: '2012-10-17', Statement: statements });

/** An Allow for anybody under one condition. */
export const when = (operator: string, key: string, value: unknown): string =>
  policy(statement({ Condition: { [operator]: { [key]: value } } }));

/** An Allow for one principal. */
export const to = (principal: unknown): string => policy(statement({ Principal: principal }));
