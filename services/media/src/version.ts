import { readFileSync } from 'node:fs'
import { z } from 'zod'

const Package = z.object({ version: z.string(), dependencies: z.object({ 'wavesurfer.js': z.string() }) })

const { version, dependencies } = Package.parse(
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')),
)

/** The version of the service, from its package. */
export { version }

/** The version of wavesurfer.js; the pages are built with exactly the one the package names. */
export const wavesurferVersion = dependencies['wavesurfer.js']
