import { OutboundFailed, OutboundRefused } from '@hearth/outbound'

/** Outcome of an attempt to send. The detail is for a person and holds no secret. */
export type Outcome =
  | { readonly kind: 'delivered'; readonly detail: string }
  /** Worth another attempt; not before `retryAfterMs` when the server says so. */
  | { readonly kind: 'failed'; readonly detail: string; readonly retryAfterMs?: number | undefined }
  /** No other attempt would end differently. */
  | { readonly kind: 'refused'; readonly detail: string }

/** Texts for the codes of errors below HTTP and SMTP. */
const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'refuses the connection',
  ECONNRESET: 'closed the connection',
  EHOSTUNREACH: 'cannot be reached',
  ENETUNREACH: 'cannot be reached',
  ETIMEDOUT: 'did not answer in time',
  UND_ERR_CONNECT_TIMEOUT: 'did not answer in time',
  UND_ERR_SOCKET: 'closed the connection',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a certificate that is not trusted: it signed itself',
  SELF_SIGNED_CERT_IN_CHAIN: 'has a certificate that is not trusted: its authority is unknown',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'has a certificate that is not trusted: its authority is unknown',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'has a certificate that is not trusted: its authority is unknown',
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for another name',
}

/** Returns the outcome of an attempt that ended with an error. */
export function outcomeOfError(error: unknown, host: string): Outcome {
  if (error instanceof OutboundRefused)
    return { kind: 'refused', detail: `${error.message}. OUTBOUND_ALLOW exempts a host, HOST:PORT or a network.` }
  const reason = codesOf(error).flatMap((code) => reasons[code] ?? [])[0]
  if (reason !== undefined) return { kind: 'failed', detail: `${host} ${reason}` }
  return { kind: 'failed', detail: error instanceof OutboundFailed ? error.message : `${host} cannot be reached` }
}

/** The codes of an error and of its causes. */
function codesOf(error: unknown): string[] {
  const codes: string[] = []
  for (let each = error; each instanceof Error && codes.length < 8; each = each.cause) {
    // nodemailer keeps the code of a socket under another name.
    const { code, originalCode } = each as { code?: unknown; originalCode?: unknown }
    codes.push(...[originalCode, code].filter((text) => typeof text === 'string'))
    if (each instanceof AggregateError) codes.push(...each.errors.flatMap((one) => codesOf(one)))
  }
  return codes
}

/** Returns one line of a server's text, without control characters and short enough for a page. */
export function oneLine(text: string): string {
  return text
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim()
    .slice(0, 200)
}
