import { readFileSync } from 'node:fs'

/** The version of the service, from its package. It is by itself for nodes, which load nothing of the API. */
export const version = (
  JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }
).version
