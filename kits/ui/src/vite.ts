import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import react from '@vitejs/plugin-react'
import type { Plugin, UserConfig } from 'vite'
import { compressOutput } from './compress-files.ts'

/** Differences between services in their build. */
export interface HearthUiOptions {
  /** The service's name as a person reads it; the document's title until a page sets its own. */
  title: string
}

/** Sets the colour scheme before the first paint, so that a dark page does not flash white. */
const earlyColorScheme = `try{var s=localStorage.getItem('hearth-color-scheme')||'auto';if(s==='auto')s=matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light';document.documentElement.setAttribute('data-mantine-color-scheme',s)}catch{}`

/**
 * The Vite settings of a Hearth UI: React, hashed files, and a head whose scripts and styles carry the placeholder
 * `__CSP_NONCE__`, which the server replaces by the nonce of each answer.
 */
export function hearthUi(options: HearthUiOptions): UserConfig {
  return {
    plugins: [react(), documentHead(options.title), writePageAddresses(), compressOutput()],
    html: { cspNonce: '__CSP_NONCE__' },
    build: {
      target: 'es2023',
      chunkSizeWarningLimit: 900,
      // One chunk for the packages every page needs; those of a single page travel with it.
      rolldownOptions: {
        output: { codeSplitting: { groups: [{ name: 'vendor', test: /node_modules/, tags: ['$initial'] }] } },
      },
    },
  }
}

function documentHead(title: string): Plugin {
  return {
    name: 'hearth-head',
    transformIndexHtml: () => [
      { tag: 'title', children: title, injectTo: 'head' },
      { tag: 'meta', attrs: { name: 'color-scheme', content: 'light dark' }, injectTo: 'head-prepend' },
      {
        tag: 'meta',
        attrs: { name: 'viewport', content: 'width=device-width, initial-scale=1, viewport-fit=cover' },
        injectTo: 'head-prepend',
      },
      { tag: 'meta', attrs: { charset: 'utf-8' }, injectTo: 'head-prepend' },
      { tag: 'script', attrs: { nonce: '__CSP_NONCE__' }, children: earlyColorScheme, injectTo: 'head' },
    ],
  }
}

/** Address patterns of all pages in the text of a service's `pages.ts`: the first argument of each call of `page`. */
export function readPagePatterns(text: string): string[] {
  return [...text.matchAll(/\bpage\(\s*'(\/[^']*)'/g)].map(([, pattern = '']) => pattern)
}

/**
 * Vite plugin that writes the address patterns of all pages to `pages.json` of the build. The server reads it and answers 404
 * for every other address.
 */
function writePageAddresses(): Plugin {
  let folder = ''
  return {
    name: 'hearth-page-addresses',
    apply: 'build',
    configResolved({ root }) {
      folder = root
    },
    generateBundle() {
      const addresses = readPagePatterns(readFileSync(join(folder, 'src/pages.ts'), 'utf8'))
      if (!addresses.includes('/')) this.error('src/pages.ts names no page for /')
      this.emitFile({ type: 'asset', fileName: 'pages.json', source: JSON.stringify(addresses) })
    },
  }
}
