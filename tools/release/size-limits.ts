import { statSync } from 'node:fs'
import { basename } from 'node:path'
import type { WrittenPackage } from './packages.ts'

/** Maximum size of one service with the runtime it needs, bytes. */
export const sizeLimits = { download: 60_000_000, installed: 190_000_000 } as const

/** Sizes of a package, bytes. */
interface PackageSize {
  readonly name: string
  readonly architecture: string
  readonly download: number
  readonly installed: number
}

/** Returns the sizes of packages that were written. */
export const sizesOf = (written: readonly WrittenPackage[]): PackageSize[] =>
  written.map(({ file, installed }) => {
    const [name = '', , architecture = ''] = basename(file, '.deb').split('_')
    return { name, architecture, download: statSync(file).size, installed }
  })

/** Returns a line for each service that, with its runtime, is larger than the limits. */
export function sizeProblems(
  sizes: readonly PackageSize[],
  limits: { readonly download?: number; readonly installed: number } = sizeLimits,
): string[] {
  const runtimes = sizes.filter(({ name }) => name === 'hearth-runtime')
  return runtimes.flatMap((runtime) => {
    const services = sizes.filter(
      ({ name, architecture }) =>
        name.startsWith('hearth-') && name !== runtime.name && architecture === runtime.architecture,
    )
    return services.flatMap((service) =>
      (['download', 'installed'] as const).flatMap((what) => {
        const [size, limit] = [service[what] + runtime[what], limits[what]]
        if (limit === undefined || size <= limit) return []
        const [is, may] = [size, limit].map((bytes) => (bytes / 1e6).toFixed(1))
        return `${service.name} with its runtime (${runtime.architecture}), ${what}: ${is} MB; at most ${may} are allowed`
      }),
    )
  })
}
