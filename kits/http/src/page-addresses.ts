import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Tells whether the web application has a page at a path; the path is without its query. */
export type PageExists = (path: string) => boolean

/**
 * Reads which pages a built web application has from the patterns in its `pages.json`, such as `/job/:id` or `/peers/:id?`.
 * They match as the browser's router matches them: whatever the case, with or without a slash at the end. Without the file
 * every path counts as a page.
 */
export function readPageAddresses(folder: string): PageExists {
  const file = join(folder, 'pages.json')
  if (!existsSync(file)) return () => true
  const patterns = (JSON.parse(readFileSync(file, 'utf8')) as string[]).map(expressionOf)
  return (path) => patterns.some((pattern) => pattern.test(path))
}

function expressionOf(pattern: string): RegExp {
  const parts = pattern.split('/').filter((part) => part !== '')
  const expressions = parts.map((part) => {
    if (!part.startsWith(':')) return `/${RegExp.escape(part)}`
    return part.endsWith('?') ? '(?:/[^/]+)?' : '/[^/]+'
  })
  return new RegExp(`^${expressions.join('')}/?$`, 'i')
}
