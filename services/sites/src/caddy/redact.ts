/** Text in place of a secret. */
export const hidden = '(hidden)'

const secretHeader =
  /^(proxy-)?authorization$|^(set-)?cookie$|token|secret|passw|(api|auth|access|account|subscription)-?key|^x-auth$/i
/**
 * Members of handlers, issuers and plugins; the names of secrets in plugins can only be guessed, so too much is hidden rather
 * than too little.
 */
const secretMember =
  /passw(or)?d|passphrase|secret|token|credential|^salt$|^session_tickets$|(mac|private|api|access|auth|account|encryption)_?key/i

/** Returns true if the value of a header is a secret. */
export function isSecretHeader(name: string): boolean {
  return secretHeader.test(name)
}

/** The text without password hashes and private keys. */
export function redactText(text: string): string {
  return (
    text
      .replaceAll(/\$2[aby]?\$\d\d\$[./A-Za-z0-9]{22,}/g, hidden)
      .replaceAll(/-----BEGIN [^-]*PRIVATE KEY-----[\s\S]*?(-----END [^-]*PRIVATE KEY-----|$)/g, hidden)
      // The same as Caddy's older versions write them, in base64.
      .replaceAll(/\bJDJ[a-z0-9]JD[A-Za-z0-9+/]{40,}={0,2}/gi, hidden)
      .replaceAll(/\$argon2\w*\$[^\s"]+/g, hidden)
  )
}

/** A copy of a configuration that may be shown: without password hashes, private keys and values of secret headers. */
export function redactConfig<T>(config: T): T {
  return redact(config, '') as T
}

function redact(value: unknown, name: string): unknown {
  // A name with a dot is a host, not a member.
  const isSecret = secretMember.test(name) && !name.includes('.')
  if (isSecret && value !== null && value !== '') return hidden
  if (typeof value === 'string') return redactText(value)
  if (Array.isArray(value)) return (value as unknown[]).map((member) => redact(member, ''))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [
      member,
      Array.isArray(inner) && isSecretHeader(member) ? [hidden] : redact(inner, member),
    ]),
  )
}
