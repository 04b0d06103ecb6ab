/** Returns why a path matches no request, or undefined: Caddy decodes and cleans paths before it compares them. */
export function pathProblem(path: string): string | undefined {
  if (!path.startsWith('/')) return 'must start with /'
  if (!/^[\p{L}\p{N}._~!$&'()+,;=:@/-]+$/u.test(path)) return 'must hold no blanks, wildcards, braces, %, ? or #'
  const parts = path.split('/').slice(1, -1)
  return parts.includes('') || path.split('/').some((part) => part === '.' || part === '..')
    ? 'must not hold empty parts, . or ..'
    : undefined
}
