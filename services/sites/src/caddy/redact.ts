/** What stands in place of a secret. */
export const hidden = '(hidden)'

const secretHeader = /^(proxy-)?authorization$|^(set-)?cookie$|token|secret|passw|api-?key/i
const secretMember = /^(password|secret|salt|mac_key|private_key)$/i

/** Whether the value of a header is one to keep to oneself. */
export function isSecretHeader(name: string): boolean {
  return secretHeader.test(name)
}

/** The text without password hashes and private keys. */
export function redactText(text: string): string {
  return text
    .replaceAll(/\$2[aby]?\$\d\d\$[./A-Za-z0-9]{22,}/g, hidden)
    .replaceAll(/-----BEGIN [^-]*PRIVATE KEY-----[\s\S]*?(-----END [^-]*PRIVATE KEY-----|$)/g, hidden)
    .replaceAll(/\$argon2\w*\$[^\s"]+/g, hidden)
}

/** A copy of a configuration that may be shown: without password hashes, private keys and values of secret headers. */
export function redactConfig<T>(config: T): T {
  return redact(config, '') as T
}

function redact(value: unknown, name: string): unknown {
  if (typeof value === 'string') return secretMember.test(name) ? hidden : redactText(value)
  if (Array.isArray(value)) return (value as unknown[]).map((member) => redact(member, ''))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => [
      member,
      Array.isArray(inner) && isSecretHeader(member) ? [hidden] : redact(inner, member),
    ]),
  )
}
