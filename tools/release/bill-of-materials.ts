import { createHash } from 'node:crypto'
import type { LockedPackage } from './locked-packages.ts'

/**
 * The bill of materials of a release in CycloneDX 1.6, as JSON: every npm package that is part of it, with its licence and the
 * lockfile's checksum. It is the same text for the same packages, version and time (seconds since 1970).
 */
export function billOfMaterials(packages: readonly LockedPackage[], about: { version: string; time: number }): string {
  const shipped = new Map(packages.filter(({ isWorkspace }) => !isWorkspace).map((one) => [packageUrl(one), one]))
  const components = [...shipped.keys()].sort().map((url) => component(url, shipped.get(url)))
  const content = createHash('sha256').update(JSON.stringify(components)).update(about.version).digest('hex')
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(content)}`,
    version: 1,
    metadata: {
      timestamp: new Date(about.time * 1000).toISOString(),
      component: { type: 'application', 'bom-ref': 'hearth', name: 'hearth', version: about.version },
    },
    components,
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

function component(url: string, shipped: LockedPackage | undefined) {
  const { name = '', version = '', license = 'unknown', integrity } = shipped ?? {}
  const [algorithm, sum = ''] = (integrity ?? '').split('-')
  const hashes = algorithm === 'sha512' ? [{ alg: 'SHA-512', content: Buffer.from(sum, 'base64').toString('hex') }] : []
  const isExpression = / (OR|AND) /.test(license)
  const licenses = [isExpression ? { expression: license } : { license: { name: license } }]
  return { type: 'library', 'bom-ref': url, name, version, purl: url, licenses, hashes }
}

const packageUrl = ({ name, version }: LockedPackage): string => `pkg:npm/${name.replace('@', '%40')}@${version}`

/** A UUID of version 8 made of the first half of a checksum. */
function uuidOf(hex: string): string {
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
