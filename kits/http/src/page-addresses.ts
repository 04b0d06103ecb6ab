import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** True when the web application has a page at a path; the path is without its query. */
export type PageExists = (path: string) => boolean

/**
 * Returns what tells pages from other addresses, by patterns such as `/job/:id` or `/peers/:id?`. They match as the browser's
 * router matches them: whatever the case, with or without a slash at the end.
 */
export function matchPages(patterns: readonly string[]): PageExists {
  const expressions = patterns.map(expressionOf)
  return (path) => expressions.some((expression) => expression.test(path))
}

/** Reads which pages a built web application has from its `pages.json`. Without the file every path counts as a page. */
export function readPageAddresses(folder: string): PageExists {
  const file = join(folder, 'pages.json')
  return existsSync(file) ? matchPages(JSON.parse(readFileSync(file, 'utf8')) as string[]) : () => true
}

function expressionOf(pattern: string): RegExp {
  const parts = pattern.split('/').filter((part) => part !== '')
  const expressions = parts.map((part) => {
    if (!part.startsWith(':')) return `/${RegExp.escape(part)}`
    return part.endsWith('?') ? '(?:/[^/]+)?' : '/[^/]+'
  })
  return new RegExp(`^${expressions.join('')}/?$`, 'i')
}
