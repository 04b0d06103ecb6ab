const allowed = /^(http\.request\.|http\.reverse_proxy\.|http\.auth\.user\.|http\.error\.|time\.now)[A-Za-z0-9._-]*$/
const placeholder = /\{([^{}]*)\}/g
const dangerous = /\{\s*(env|file|system)\.|\{\$[A-Za-z_]\w*[:}]/i

/** Returns the reason why a text must not go to Caddy, or undefined. Placeholders of the machine, its files and its environment are refused. */
export function placeholderProblem(text: string): string | undefined {
  if (dangerous.test(text)) return 'must not hold placeholders of the environment, of files or of the system'
  for (const [whole, name = ''] of text.matchAll(placeholder)) {
    if (/^(http|tls|time|vars|caddy)\b/.test(name) && !allowed.test(name))
      return `has the placeholder ${whole}, which is not allowed`
  }
  return undefined
}

/**
 * The text so that Caddy fills in the allowed placeholders and takes every other brace as it is. Safe for any text, also one that
 * no rule has seen. A backslash before an allowed placeholder keeps it from being filled in.
 */
export function escapePlaceholders(text: string): string {
  if (!text.includes('{')) return text
  let done = 0
  let result = ''
  for (const match of text.matchAll(placeholder)) {
    const [whole, name = ''] = match
    if (!allowed.test(name)) continue
    result += escapeAll(text.slice(done, match.index)) + whole
    done = match.index + whole.length
  }
  return result + escapeAll(text.slice(done))
}

/** The text with every brace taken as it is. */
export function escapeBraces(text: string): string {
  // Old versions look for escapes only in texts that hold an opening brace.
  return text.includes('{') ? escapeAll(text) : text
}

/** A closing brace needs it only where a backslash before it would be taken for an escape. */
function escapeAll(text: string): string {
  return text.replaceAll('\\}', String.raw`\\}`).replaceAll('{', String.raw`\{`)
}
