/**
 * Why a server must not write its access log there, or undefined. What visitors ask for stands in the log, so it goes to no place
 * where somebody reads it as something else. Only the text is judged: the file is on the server's machine.
 */
export function logFileProblem(path: string, directories: readonly string[]): string | undefined {
  const parts = path.split('/').slice(1)
  const isClean = path.startsWith('/') && parts.every((part) => !['', '.', '..'].includes(part))
  if (!isClean || /[{}\\\p{Cc}]/u.test(path)) return 'must be an absolute path without braces, empty parts, . or ..'
  if (!/[^/]\.log$/.test(path)) return 'must be the name of a file that ends with .log'
  const isBelow = directories.some((directory) => path.startsWith(`${directory.replace(/\/$/, '')}/`))
  return isBelow ? undefined : `must be below ${directories.join(' or ')}, see the setting LOG_DIRS`
}
