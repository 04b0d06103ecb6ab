import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import type { Plugin } from 'vite'

/** Files of text; pictures and fonts are compressed already. */
const texts = '**/*.{js,css,svg,json,webmanifest,txt,ico}'

/** Smallest file worth compressing, bytes: anything shorter travels in one packet as it is. */
const worthwhile = 1024

/**
 * Writes `NAME.br` and `NAME.gz` beside the files of text in a folder, where that saves at least a tenth. The same file gives
 * the same bytes.
 */
export function compressFiles(folder: string): void {
  for (const name of globSync(texts, { cwd: folder })) {
    const file = join(folder, name)
    const bytes = readFileSync(file)
    if (bytes.length < worthwhile) continue
    const brotli = {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }
    const compressed = { br: brotliCompressSync(bytes, brotli), gz: gzipSync(bytes, { level: 9 }) }
    for (const [ending, smaller] of Object.entries(compressed))
      if (smaller.length < 0.9 * bytes.length) writeFileSync(`${file}.${ending}`, smaller)
  }
}

/** Vite plugin that compresses what a build has written, so that the server only has to choose. */
export function compressOutput(): Plugin {
  return {
    name: 'hearth-compress',
    apply: 'build',
    writeBundle({ dir }) {
      if (dir !== undefined) compressFiles(dir)
    },
  }
}
