import { enableCompileCache } from 'node:module'
import { runCommandLine } from './command-line.ts'
import { enterService } from './installation.ts'
import { findServices, root } from './services.ts'

// The `hearth` of the Debian packages, bundled as `hearth.mjs`: their Node runs it, whatever the host has.
const args = process.argv.slice(2)
const program = process.argv[1] ?? ''
// Compiled code is kept where the service may write: the next start takes half the time.
const cache = process.env['CACHE_DIRECTORY']
if (cache !== undefined) enableCompileCache(cache)

const service = findServices(root).find(({ name }) => name === args[0])
const code = enter()
if (code === undefined) await runCommandLine(args, { root, program })
else process.exitCode = code

function enter(): number | undefined {
  try {
    return service && enterService(service, program, args)
  } catch (error) {
    process.stderr.write(`hearth: ${(error as Error).message}\n`)
    return 1
  }
}
