import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin } from 'vite'

/** Address patterns of all pages in the text of a service's `pages.ts`: the first argument of each call of `page`. */
export function readPageAddresses(text: string): string[] {
  return [...text.matchAll(/\bpage\(\s*'(\/[^']*)'/g)].map(([, pattern = '']) => pattern)
}

/**
 * Vite plugin that writes the address patterns of all pages to `pages.json` of the build. The server reads it and answers 404
 * for every other address.
 */
export function writePageAddresses(): Plugin {
  let folder = ''
  return {
    name: 'hearth-page-addresses',
    apply: 'build',
    configResolved({ root }) {
      folder = root
    },
    generateBundle() {
      const addresses = readPageAddresses(readFileSync(join(folder, 'src/pages.ts'), 'utf8'))
      if (!addresses.includes('/')) this.error('src/pages.ts names no page for /')
      this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(addresses) })
    },
  }
}
