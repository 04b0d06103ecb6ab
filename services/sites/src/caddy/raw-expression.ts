/**
 * Returns the reason why the text of an expression matcher must not go to Caddy, or undefined. An expression may ask for placeholders by a function
 * and so by a name that it puts together; comments and escapes in texts hide what it asks for.
 */
export function expressionProblem(text: string): string | undefined {
  if (text.includes('\\')) return 'an expression must not hold a backslash'
  if (text.includes('//')) return 'an expression must not hold comments, nor // elsewhere'
  if (/\bfile\s*\(/.test(text)) return 'an expression must not ask for files'
  // Reads what visitors send as placeholders again.
  if (/\bvars_regexp\s*\(/.test(text)) return 'an expression must not ask for vars_regexp'
  return /\b(caddyPlaceholder|ph)\s*\(/.test(text)
    ? 'an expression must not ask for a placeholder by its name; write it in braces'
    : undefined
}

/** All texts in a value. */
export function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(textsIn) : []
}
