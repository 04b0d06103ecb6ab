const maxDepth = 32

/**
 * Returns the reason why a fragment of a Caddyfile must not even be given to Caddy for adapting, or undefined. Adapting reads files that are
 * imported and puts their content into its errors, fills in the environment, and takes a closing brace too many as the end of the
 * site, after which another one would begin.
 */
export function rawTextProblem(text: string): string | undefined {
  if (/[^\P{Cc}\t\n\r]/u.test(text)) return 'must not hold control characters'
  if (text.includes('{$')) return 'must not hold {$…}, which reads the environment'
  if (/\{\s*(env|file|system)\s*\./i.test(text))
    return 'must not hold placeholders of the environment, of files or of the system'
  if (text.includes('<<')) return 'must not hold <<, which begins a text of many lines'
  if (/[`"]/.test(text) && !quotesAreEven(text)) return 'has a quotation that does not end'
  if (hasImport(text)) return 'must not hold import'
  if (/(^|\n)[ \t]*\(/.test(text)) return 'must not define snippets'
  return braceProblem(text)
}

/** The word, also when it is quoted, or when a backslash at the end of a line joins or divides it. */
function hasImport(text: string): boolean {
  const plain = text.replaceAll(/["`]/g, '')
  return ['', ' '].some((joint) =>
    /(^|[^\w.-])import([^\w.-]|$)/.test(plain.replaceAll(/\\\r?\n/g, joint).replaceAll('\\', '')),
  )
}

function quotesAreEven(text: string): boolean {
  let open = ''
  for (let at = 0; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === '\\') at++
    else if (open !== '') open = character === open ? '' : open
    else if (character === '"' || character === '`') open = character
  }
  return open === ''
}

/** A block begins with `{` at the end of a line and ends with `}` alone on one, as Caddy reads them. */
function braceProblem(text: string): string | undefined {
  let depth = 0
  for (const line of text.split('\n')) {
    const tokens = line.trim().split(/\s+/)
    for (const [index, token] of tokens.entries()) {
      const isAlone = tokens.length === 1
      if (token === '{' && index !== tokens.length - 1) return 'must have an opening brace at the end of its line'
      if (token === '}' && !isAlone) return 'must have a closing brace alone on its line'
      if (token === '{') depth++
      if (token === '}') depth--
      if (token.startsWith('#')) break
    }
    if (depth < 0) return 'has a closing brace too many'
    if (depth > maxDepth) return `must not nest deeper than ${maxDepth} blocks`
  }
  return depth === 0 ? undefined : 'has a block that does not end'
}
