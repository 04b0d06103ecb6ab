import { buildServices } from './build.ts'
import { buildPages } from './build-ui.ts'
import { chooseServices, findServices, type ServiceFolder } from '../cli/services.ts'
import { providePackages } from '../cli/system-packages.ts'

/**
 * Provides what services need beside npm's packages: Debian packages, their web pages, and their build. Returns whether all
 * is built.
 */
export async function prepare(services: readonly ServiceFolder[]): Promise<boolean> {
  for (const service of services) providePackages(service.systemPackages)
  const hasPages = buildPages(services)
  return (await buildServices(services)) && hasPages
}

if (import.meta.main) {
  const services = chooseServices(findServices(), process.argv.slice(2))
  process.exitCode = (await prepare(services)) ? 0 : 1
}
