/** Words for errors of the system and of TLS, by their codes. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens at this address',
  ECONNRESET: 'the connection was cut; a broker that wants TLS has an address with mqtts://',
  EPIPE: 'the connection was cut',
  ETIMEDOUT: 'the broker does not answer',
  EHOSTUNREACH: 'the address cannot be reached',
  ENETUNREACH: 'the address cannot be reached',
  ENOTFOUND: 'the name has no address',
  EAI_AGAIN: 'the name cannot be looked up now',
  EPROTO: 'the broker does not speak TLS at this port',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the broker does not speak TLS at this port',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the broker does not speak TLS at this port',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate of the broker is private; add it as the CA certificate',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate of the broker is from a private authority; add its CA certificate',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'the certificate of the broker is from an unknown authority; add its CA certificate',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate of the broker is from an unknown authority; add its CA certificate',
  CERT_HAS_EXPIRED: 'the certificate of the broker has expired',
  CERT_NOT_YET_VALID: 'the certificate of the broker is not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate of the broker is for another name',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'the broker wants a client certificate',
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: 'the broker refuses the client certificate',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'the broker does not know the authority of the client certificate',

  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: 'the broker wants a client certificate, or another TLS version',
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: 'client certificate and key do not belong together',
  CONNECT_TIMEOUT: 'the broker did not answer within 10 seconds',
  KEEPALIVE: 'the broker fell silent',
  CLOSED: 'the broker closed the connection',
  SUBSCRIBE_REFUSED: 'the broker does not let this user subscribe to the topics of commands',
}

/** Words for the codes with which a broker answers CONNECT. */
const refusals: Readonly<Record<number, string>> = {
  1: 'the broker does not speak MQTT 3.1.1',
  2: 'the broker refuses the client',
  3: 'the broker is not ready',
  4: 'the broker refuses user name or password',
  5: 'the broker refuses user name or password, or this user',
}

/** Failure of the connection to a broker. The message names host and port, and nothing that the broker sent. */
export class BrokerError extends Error {
  override readonly name = 'BrokerError'
}

/** Returns the failure behind an error of the client library, the system or TLS. */
export function brokerError(error: unknown, url: string): BrokerError {
  if (error instanceof BrokerError) return error
  const { code, message = '' } = (error ?? {}) as { code?: unknown; message?: string }
  const known = typeof code === 'number' ? refusals[code] : words[typeof code === 'string' ? code : '']
  const reason = known ?? (/timeout/i.test(message) ? words['KEEPALIVE'] : unknownReason(code))
  return new BrokerError(`${new URL(url).host}: ${reason}`, { cause: error })
}

function unknownReason(code: unknown): string {
  const text = typeof code === 'string' && /^[A-Z0-9_]{1,60}$/.test(code) ? ` (${code})` : ''
  return `the connection failed${text}`
}
