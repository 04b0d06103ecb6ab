import { runCommandLine } from '../cli/command-line.ts'
import { findServices } from '../cli/services.ts'
import { prepare } from './prepare.ts'

/** `npm start [-- services…]`: provides what the services need and starts them. `hearth up` refuses names that no service has. */
const names = process.argv.slice(2)
await prepare(findServices().filter(({ name }) => names.length === 0 || names.includes(name)))
await runCommandLine(['up', ...names])
