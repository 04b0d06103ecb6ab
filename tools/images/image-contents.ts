import type { ServiceFolder } from '../../cli/services.ts'
import { readWanted } from '../../cli/system-packages.ts'

/** Debian release that images are based on. */
export const suite = 'trixie'

/** Debian packages of every image: Node's libraries and a shell for `/usr/bin/hearth`. */
const basePackages = ['base-files', 'dash', 'libc6', 'libstdc++6', 'libatomic1']

/** A service's part of its image beyond what all have. */
interface OwnContents {
  /** Programs by the package they are taken from, without the rest of it and what it depends on. */
  readonly programs: Readonly<Record<string, string>>
  readonly packages: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Ports beside that of the page, as `8180/tcp`. */
  readonly ports: readonly string[]
  /** Capabilities that the service uses when the container has them. */
  readonly capabilities: readonly string[]
}

const nothing: OwnContents = { programs: {}, packages: [], environment: {}, ports: [], capabilities: [] }

const ownContents: Readonly<Record<string, OwnContents>> = {
  vpn: {
    ...nothing,
    // It hands the container's capabilities to the service.
    programs: { 'util-linux': 'usr/bin/setpriv' },
    packages: ['libcap-ng0'],
    ports: ['51820/udp'],
    capabilities: ['net_admin', 'net_bind_service'],
  },
  sites: {
    ...nothing,
    programs: { caddy: 'usr/bin/caddy' },
    // The container's own address is the only one that its ports can be published from.
    environment: { CADDY_BIND: '0.0.0.0' },
    ports: ['8180/tcp', '8543/tcp', '8543/udp'],
  },
}

/** Contents of a service's image. */
export interface ImageContents extends OwnContents {
  readonly service: ServiceFolder
}

/** Returns the contents of a service's image; its Debian packages are those that the service asks for. */
export function imageContents(service: ServiceFolder): ImageContents {
  const own = ownContents[service.name] ?? nothing
  const wanted = Object.keys(service.systemPackages).map((text) => readWanted(text).name)
  return {
    ...own,
    service,
    packages: [...basePackages, ...wanted.filter((name) => !Object.hasOwn(own.programs, name)), ...own.packages],
    environment: {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      BIND_ADDRESS: '0.0.0.0',
      DATA_DIR: `/var/lib/hearth/${service.name}`,
      ...own.environment,
    },
  }
}
