import { buildPages } from './build-ui.ts'
import { chooseServices, findServices, type ServiceFolder } from '../cli/services.ts'
import { providePackages } from '../cli/system-packages.ts'

/** Provides what services need beside npm's packages: Debian packages, and their web pages. Returns whether the pages are built. */
export function prepare(services: readonly ServiceFolder[]): boolean {
  for (const service of services) providePackages(service.systemPackages)
  return buildPages(services)
}

if (import.meta.main) {
  const services = chooseServices(findServices(), process.argv.slice(2))
  process.exitCode = prepare(services) ? 0 : 1
}
