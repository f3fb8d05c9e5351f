// Explains what is wrong with a server's certificate, by the codes of OpenSSL and Node, and who can fix it.

export interface TlsTrouble {
  readonly text: string;
  readonly hint: string;
}

/** Returns the explanation; undefined if the code is not about a certificate. `host` is the server for people. */
export function tlsTrouble(code: string, host: string, message: string): TlsTrouble | undefined {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return {
        text: `the certificate of ${host} has expired`,
        hint: "whoever runs the server renews it; check this computer's clock, too",
      };
    case 'CERT_NOT_YET_VALID':
      return {
        text: `the certificate of ${host} is not valid yet`,
        hint: 'check the clocks of this computer and of the server',
      };
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return {
        text: `the certificate of ${host} is for another name: ${message}`,
        hint: 'name the server in the endpoint as its certificate does; if that is right, somebody else answers',
      };
    default:
      if (!/^(ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_)/.test(code)) return undefined;
      return {
        text: `no secure connection to ${host}: ${message}`,
        hint: 'name the file of its certificate authority with --ca-bundle or AWS_CA_BUNDLE',
      };
  }
}
