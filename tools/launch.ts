import { runCommandLine } from '../cli/command-line.ts'
import { buildPages } from './build-ui.ts'
import { findServices } from '../cli/services.ts'
import { providePackages } from '../cli/system-packages.ts'

/** `npm start [-- services…]`: provides what the services need, builds their pages, starts them. */
const asked = process.argv.slice(2)
const services = findServices().filter((service) => asked.length === 0 || asked.includes(service.name))
for (const service of services) providePackages(service.systemPackages)
buildPages(services)
await runCommandLine(['up', ...asked])
